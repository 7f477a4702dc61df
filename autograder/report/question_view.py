"""Describes the state of one question to the student, after tests and after manual grading."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup

from autograder.report.example import ExampleView, show_example
from autograder.report.report import GradebookEntry, QuestionReport, Verdict, standing
from autograder.report.safe_html import Allowance, render_comment, render_lines
from autograder.report.text import number

MEANINGS = {
    Verdict.PASSED: "All tests passed.",
    Verdict.FAILED: "Some tests failed.",
    Verdict.NOT_ATTEMPTED: "The stub has not been changed.",
    Verdict.NOT_JUDGED: "Its properties are not tested while its values are wrong.",
    Verdict.NOT_DEFINED: "Running the notebook from top to bottom does not define it.",
    Verdict.CRASHED: "Your code stopped with an error.",
    Verdict.TIMED_OUT: "Your code took too long.",
    Verdict.BLOCKED: "Your code tried something that is not allowed here.",
    Verdict.REVIEW: "An instructor will look at this answer.",
    Verdict.GRADER_ERROR: "The autograder failed here, not your code. Your instructor has been told.",
    Verdict.UNGRADED: "An instructor will read this written answer.",
}
_IN_SOME_TESTS = {  # of an answer that has a part of the points all the same
    Verdict.CRASHED: "In some tests your code stopped with an error.",
    Verdict.TIMED_OUT: "In some tests your code took too long.",
    Verdict.BLOCKED: "In some tests your code tried something that is not allowed here.",
}
_FOR_A_PERSON = (Verdict.REVIEW, Verdict.GRADER_ERROR, Verdict.UNGRADED)
_PROMISE = re.compile(r"\s*\b(A person|An instructor) will [^.]*\.")  # written before anybody had looked
_PART = re.compile(r"\n\d\. ")  # of a hint that names several things
_ShownTest = tuple[str, Markup, Markup | None]  # its verdict, its title, and a hint of its own


@dataclass(frozen=True, slots=True)
class QuestionView:
    """What the page says of one question."""

    name: str
    badge: str
    points: str
    meaning: str
    hint: str
    parts: tuple[str, ...]  # of the hint, where it names several things
    tests: tuple[tuple[_ShownTest, int], ...]  # each with how many in a row look the same
    remark: Markup | None
    example: ExampleView | None


def show_question(
    question: QuestionReport, entry: GradebookEntry | None, allowance: Allowance, *, unreadable: bool
) -> QuestionView:
    """Return what to say of a question; without an `entry` in the gradebook the report alone counts."""
    score = question.score if entry is None else entry.score
    decided = entry is not None and _decided(question, entry, unreadable)
    badge, meaning = _standing(question, entry, unreadable=unreadable, decided=decided)
    hint, *parts = _PART.split(_PROMISE.sub("", question.hint) if decided else _counted(question))
    shown = "No score yet," if score is None else number(score)
    return QuestionView(
        name=question.name,
        badge=badge,
        points=f"{shown} of {number(question.max_score)} points.",
        meaning=meaning,
        hint=hint,
        parts=tuple(parts),
        tests=tuple(_distinct_tests(question, decided=decided)),
        remark=render_comment(entry.remark, allowance) if entry is not None and entry.remark else None,
        example=show_example(question.shown) if question.shown else None,
    )


def stand(question: QuestionReport, score: float | None) -> tuple[str, str]:
    """Return a word or two and a sentence on how the tests left a question that has this score."""
    badge = standing(question.verdict, score, question.max_score)
    meaning = MEANINGS[question.verdict]
    return badge, meaning if badge == question.verdict else _IN_SOME_TESTS.get(question.verdict, meaning)


def _decided(question: QuestionReport, entry: GradebookEntry, unreadable: bool) -> bool:
    """Whether a person has given this question, on which tests could not decide, its points."""
    if entry.needs_person or entry.score is None:
        return False
    return entry.manual_score is not None if unreadable else question.verdict in _FOR_A_PERSON


def _standing(
    question: QuestionReport, entry: GradebookEntry | None, *, unreadable: bool, decided: bool
) -> tuple[str, str]:
    """Return the badge and the sentence that say how a question stands."""
    if unreadable and not decided:
        return "unreadable", ""
    badge, meaning = stand(question, question.score if entry is None else entry.score)
    written = question.verdict is Verdict.UNGRADED
    if entry is None:
        return ("not graded yet" if written else badge), meaning
    if decided and written and entry.manual_score is None:  # the stub of a written answer needs no reader
        return "not attempted", "This answer is empty."
    if decided:
        given = f"An instructor graded this answer and gave it {_given(entry)}."
        return "reviewed" if question.verdict is Verdict.REVIEW and not unreadable else "graded", given
    if written:
        return ("not graded yet" if entry.score is None else "not final"), meaning
    if entry.manual_score is not None and not entry.needs_person:
        full = (entry.score or 0.0) >= entry.max_score
        return ("reviewed" if full else badge), f"{meaning} An instructor looked at it and set the points."
    return badge, meaning


def _given(entry: GradebookEntry) -> str:
    if not entry.score:
        return "no points"
    return "full points" if entry.score >= entry.max_score else "a part of the points"


def _distinct_tests(question: QuestionReport, *, decided: bool) -> Iterator[tuple[_ShownTest, int]]:
    """Yield each test as a reader sees it, and how many tests in a row look the same."""
    shown, known = list[_ShownTest](), set[str]()
    for test in question.tests:
        verdict = "held for review" if decided and test.verdict is Verdict.REVIEW else str(test.verdict)
        said = test.hint in known or question.hint.endswith(test.hint)
        hint = None if said else render_lines(_counted(question, test.hint))
        shown.append((verdict, render_lines(test.title), hint))
        if test.verdict is Verdict.CRASHED:
            known.add(test.hint)
    return ((test, len(list(same))) for test, same in groupby(shown))


def _counted(question: QuestionReport, hint: str | None = None) -> str:
    """Return a hint, by default the question's own, with the number of crashes for which it stands."""
    hint = question.hint if hint is None else hint
    count = sum(test.hint == hint and test.verdict is Verdict.CRASHED for test in question.tests)
    return f"{hint} (in {count} tests)" if count > 1 else hint
