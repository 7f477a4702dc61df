"""Describes the state of one question to the student, after tests and after manual grading."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from markupsafe import Markup

from autograder.report.example import ExampleView, show_example
from autograder.report.report import Entry, Place, QuestionReport, Verdict, standing
from autograder.report.safe_html import Allowance, render_comment, render_lines, render_text
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
_EARLIER_SCORE = "An instructor will check this answer. Its earlier score counts until then."
_IN_SOME_TESTS = {  # of an answer that has a part of the points all the same
    Verdict.CRASHED: "In some tests your code stopped with an error.",
    Verdict.TIMED_OUT: "In some tests your code took too long.",
    Verdict.BLOCKED: "In some tests your code tried something that is not allowed here.",
}
_FOR_A_PERSON = (Verdict.REVIEW, Verdict.GRADER_ERROR, Verdict.UNGRADED)
_PROMISE = re.compile(r"\s*\b(A person|An instructor) (will|looks at) [^.]*\.")  # before anybody had looked
_PART = re.compile(r"\n\d\. ")  # of a hint that names several things
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_AROUND, _SHORT, _LONGEST_LINE = 3, 10, 200  # lines beside a marked one; of code that is shown whole; letters
_NEXT = {
    Verdict.FAILED: "See what is wrong",
    Verdict.CRASHED: "Fix the error",
    Verdict.TIMED_OUT: "Make it end in time",
    Verdict.BLOCKED: "Take out what is not allowed",
    Verdict.NOT_DEFINED: "Define it",
    Verdict.NOT_ATTEMPTED: "Replace the stub",
}
_WAITING = "Wait for a grader"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the student's own code, and whether the place of the mistake is in it."""

    number: int
    text: Markup
    marked: bool


@dataclass(frozen=True, slots=True)
class TestGroup:
    """Tests of a question that ended alike: one row, however many there are."""

    __test__ = False
    verdict: str
    hint: Markup | None  # none where the question says it
    titles: dict[Markup, int]  # with the number of tests of each title
    count: int


@dataclass(frozen=True, slots=True)
class QuestionView:
    """What the page says of one question."""

    name: str
    anchor: str
    badge: str
    points: str
    share: float  # of its points, between 0 and 1
    meaning: str
    error: str  # that stopped the code, where what is said does not name it
    next: str  # what the student can do, or nothing
    lead: str  # the first sentence of what is said
    more: str  # the others
    parts: tuple[str, ...]  # of the hint, where it names several things
    code: tuple[Line, ...]
    halves: str  # its points for results and for everything else, where a part is earned
    tally: str
    tests: tuple[TestGroup, ...]
    remark: Markup | None
    example: ExampleView | None
    failed: bool


def show_question(
    question: QuestionReport,
    entry: Entry | None,
    allowance: Allowance,
    *,
    sources: Mapping[str, str] = MappingProxyType({}),
    place: int = 1,
) -> QuestionView:
    """Return what to say of a question; without an `entry` in the gradebook the report alone counts.

    `sources` are the student's cells by the name of the question that they answer; `place` is the question's.
    """
    score = question.score if entry is None else entry.score
    if question.verdict is Verdict.GRADER_ERROR and entry is not None and entry.waits and score is not None:
        question = replace(question, hint="", tests=())  # what the student reads is about the earlier score
    if question.verdict is Verdict.REVIEW and not score and (entry is None or entry.waits):
        score = None  # the tests have earned something, and an instructor decides
    decided = entry is not None and _decided(question, entry)
    badge, meaning = _standing(question, entry, decided=decided)
    hint, *parts = _PART.split(_PROMISE.sub("", question.hint).strip() if decided else _counted(question))
    lead, *more = _SENTENCE.split(hint, maxsplit=1)
    passed = sum(test.verdict is Verdict.PASSED for test in question.tests)
    code = tuple(_own_lines(question, sources))
    return QuestionView(
        name=question.name,
        anchor=f"question-{place}",
        badge=badge,
        points=f"{'worth' if score is None else f'{number(score)} of'} {number(question.max_score)}",
        share=min(max((score or 0.0) / question.max_score, 0.0), 1.0) if question.max_score else 0.0,
        meaning="" if badge == Verdict.REVIEW and "instructor" in hint else meaning,
        error=_error(question),
        next="" if decided else _next(question, entry, code),
        lead=lead,
        more=" ".join(more),
        parts=tuple(parts),
        code=code,
        halves=question.halves_in_words if entry is None or score == question.score else "",
        tally=f"{passed} of {len(question.tests)} tests passed",
        tests=tuple(_grouped_tests(question, decided=decided)),
        remark=render_comment(entry.remark, allowance) if entry is not None and entry.remark else None,
        example=show_example(question.shown) if question.shown else None,
        failed=not decided and question.verdict in _NEXT,
    )


def _next(question: QuestionReport, entry: Entry | None, code: Sequence[Line]) -> str:
    if question.verdict in _FOR_A_PERSON:
        return _WAITING if entry is None or entry.waits else ""
    marked = [line.number for line in code if line.marked]
    if marked and question.verdict in (Verdict.FAILED, Verdict.CRASHED):
        return f"{'Fix the error in' if question.verdict is Verdict.CRASHED else 'Look at'} line {marked[0]}"
    return _NEXT.get(question.verdict, "")


def _error(question: QuestionReport) -> str:
    """Return the error that stopped the code, where the question's hint names a repair instead."""
    errors = [test.hint for test in question.tests if test.verdict is Verdict.CRASHED]
    return errors[0] if errors and question.place and question.hint not in errors else ""


def _own_lines(question: QuestionReport, sources: Mapping[str, str]) -> Iterator[Line]:
    """Yield the student's lines around the place of the mistake, or the whole of a short answer."""
    if question.verdict not in (Verdict.FAILED, Verdict.CRASHED, Verdict.TIMED_OUT):
        return
    place = question.place or Place(question.name, 0)
    lines = sources.get(place.question, "").splitlines()
    marked = place.line if place.line <= len(lines) else 0
    first, last = (marked - _AROUND, marked + _AROUND) if marked else (1, len(lines))
    if marked or len(lines) <= _SHORT:
        for number, line in enumerate(lines, 1):
            if first <= number <= last:
                yield Line(number, render_text(line[:_LONGEST_LINE]), number == marked)


def stand(question: QuestionReport, score: float | None) -> tuple[str, str]:
    """Return a word or two and a sentence on how the tests left a question that has this score."""
    badge = standing(question.verdict, score, question.max_score)
    meaning = MEANINGS[question.verdict]
    return badge, meaning if badge == question.verdict else _IN_SOME_TESTS.get(question.verdict, meaning)


def _decided(question: QuestionReport, entry: Entry) -> bool:
    """Whether a person has given this question, on which tests could not decide, its points."""
    if entry.waits:
        return False
    return question.verdict in _FOR_A_PERSON


def _standing(question: QuestionReport, entry: Entry | None, *, decided: bool) -> tuple[str, str]:
    badge, meaning = stand(question, question.score if entry is None else entry.score)
    written = question.verdict is Verdict.UNGRADED
    if entry is None:
        return ("not graded yet" if written else badge), meaning
    if decided and written and entry.manual_score is None:  # the stub of a written answer needs no reader
        return "not attempted", "This answer is empty."
    if decided:
        given = f"An instructor graded this answer and gave it {_given(entry)}."
        return "reviewed" if question.verdict is Verdict.REVIEW else "graded", given
    if written:
        return ("not graded yet" if entry.score is None else "not final"), meaning
    if question.verdict is Verdict.GRADER_ERROR and entry.score is not None:
        return "not final", _EARLIER_SCORE
    if entry.manual_score is not None and not entry.needs_person:
        full = (entry.score or 0.0) >= entry.max_score
        return ("reviewed" if full else badge), f"{meaning} An instructor looked at it and set the points."
    return badge, meaning


def _given(entry: Entry) -> str:
    if not entry.score:
        return "no points"
    return "full points" if entry.score >= entry.max_score else "a part of the points"


def _grouped_tests(question: QuestionReport, *, decided: bool) -> Iterator[TestGroup]:
    """Yield the tests by what became of them: those that failed first, and alike ones together."""
    groups = dict[tuple[str, str], list[str]]()
    for test in sorted(question.tests, key=lambda test: test.verdict is Verdict.PASSED):
        verdict = "held for review" if decided and test.verdict is Verdict.REVIEW else str(test.verdict)
        groups.setdefault((verdict, test.hint), []).append(test.title)
    for (verdict, hint), titles in groups.items():
        said = question.hint.endswith(hint)  # which every text does with an empty one
        shown = {render_lines(title): count for title, count in Counter(titles).items()}
        yield TestGroup(verdict, None if said else render_lines(hint), shown, len(titles))


def _counted(question: QuestionReport) -> str:
    """Return a question's hint with the number of crashes for which it stands."""
    hint = question.hint
    count = sum(test.hint == hint and test.verdict is Verdict.CRASHED for test in question.tests)
    return f"{hint} (in {count} tests)" if count > 1 else hint
