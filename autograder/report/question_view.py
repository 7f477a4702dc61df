"""Describes the state of one question to the student, after tests and after manual grading."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from markupsafe import Markup

from autograder.report.example import ExampleView, show_example
from autograder.report.report import AnswerLine, Entry, QuestionReport, Verdict, choose_badge
from autograder.report.safe_html import Allowance, render_comment, render_lines, render_text
from autograder.report.text import number

MEANINGS = {
    Verdict.PASSED: "All tests passed.",
    Verdict.FAILED: "Some tests failed.",
    Verdict.NOT_ATTEMPTED: "You have not filled in this cell.",
    Verdict.NOT_JUDGED: "Some tests give points only if your results are right.",
    Verdict.NOT_DEFINED: "Running the notebook from top to bottom does not define this name.",
    Verdict.CRASHED: "Your code stopped with an error.",
    Verdict.TIMED_OUT: "Your code took too long.",
    Verdict.BLOCKED: "Your code tried an operation that is not allowed here.",
    Verdict.REVIEW: "An instructor will look at this answer.",
    Verdict.GRADER_ERROR: "The autograder failed here, not your code. An instructor will check this answer.",
    Verdict.UNGRADED: "An instructor will read this written answer.",
}
_EARLIER_SCORE = "An instructor will check this answer. Until then, the score from the last grading counts."
_IN_SOME_TESTS = {  # meanings for an answer that has earned a part of the points
    Verdict.CRASHED: "In some tests your code stopped with an error.",
    Verdict.TIMED_OUT: "In some tests your code took too long.",
    Verdict.BLOCKED: "In some tests your code tried an operation that is not allowed here.",
}
_FOR_INSTRUCTORS = (Verdict.REVIEW, Verdict.GRADER_ERROR, Verdict.UNGRADED)
# A sentence in a hint that announces a check by an instructor. It is removed after the check.
_PROMISE = re.compile(r"\s*\bAn instructor (will|looks at) [^.]*\.")
_PART = re.compile(r"\n\d\. ")  # the beginning of a numbered item in a hint
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_CONTEXT = 3  # lines shown before and after a marked line
_SHORT = 10  # lines; if no line is marked, only answers of at most this length are shown
_LONGEST_LINE = 200  # characters
_NEXT = {
    Verdict.FAILED: "See what is wrong",
    Verdict.CRASHED: "Fix the error",
    Verdict.TIMED_OUT: "Make the code end in time",
    Verdict.BLOCKED: "Remove the operation that is not allowed",
    Verdict.NOT_DEFINED: "Define this name",
    Verdict.NOT_ATTEMPTED: "Fill in the cell",
}
_WAITING = "Wait for an instructor"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the student's code."""

    number: int
    text: Markup
    marked: bool  # whether the mistake is in this line


@dataclass(frozen=True, slots=True)
class TestGroup:
    """Tests of one question with the same verdict and hint. The page shows them as one item."""

    __test__ = False
    verdict: str
    hint: Markup | None  # None if it is empty or repeats the end of the question's hint
    titles: dict[Markup, int]  # the number of tests with each title
    count: int


@dataclass(frozen=True, slots=True)
class QuestionView:
    """The texts and numbers of one question on the page."""

    name: str
    anchor: str
    badge: str  # the question's state in one or two words
    points: str
    share: float  # the earned share of its points, from 0 to 1
    meaning: str  # a sentence that explains the badge
    error: str  # the error that stopped the code, if the hint does not name it
    next: str  # what the student should do next, or ""
    lead: str  # the first sentence of the hint
    more: str  # the other sentences of the hint
    parts: tuple[str, ...]  # the numbered items of the hint
    code: tuple[Line, ...]
    halves: str  # the points of basic tests and of all other tests, or ""
    tally: str  # a text such as "3 of 5 tests passed"
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
    position: int = 1,
) -> QuestionView:
    """Return the texts and numbers of a question. `entry` is its row in the gradebook, if it has one.

    `sources` has the student's cell for each question. `position` counts the page's questions from 1.
    """
    score = question.score if entry is None else entry.score
    if question.verdict is Verdict.GRADER_ERROR and entry is not None and entry.waits and score is not None:
        # The score comes from an earlier grading, and the results of this grading do not explain it.
        question = replace(question, hint="", tests=())
    if question.verdict is Verdict.REVIEW and not score and (entry is None or entry.waits):
        score = None  # a score of 0 is not shown until an instructor has decided
    decided = entry is not None and _decided(question, entry)
    badge, meaning = _graded_badge(question, entry, decided=decided)
    hint, *parts = _PART.split(_PROMISE.sub("", question.hint).strip() if decided else _counted(question))
    lead, *more = _SENTENCE.split(hint, maxsplit=1)
    passed = sum(test.verdict is Verdict.PASSED for test in question.tests)
    code = tuple(_shown_lines(question, sources))
    return QuestionView(
        name=question.name,
        anchor=f"question-{position}",
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
    if question.verdict in _FOR_INSTRUCTORS:
        return _WAITING if entry is None or entry.waits else ""
    marked = [line.number for line in code if line.marked]
    if marked and question.verdict in (Verdict.FAILED, Verdict.CRASHED):
        return f"{'Fix the error in' if question.verdict is Verdict.CRASHED else 'Look at'} line {marked[0]}"
    return _NEXT.get(question.verdict, "")


def _error(question: QuestionReport) -> str:
    """Return the error that stopped the code, or "" if the hint names this error or no line is known."""
    errors = [test.hint for test in question.tests if test.verdict is Verdict.CRASHED]
    is_hint = any(error in question.hint for error in errors)
    return errors[0] if errors and question.place and not is_hint else ""


def _shown_lines(question: QuestionReport, sources: Mapping[str, str]) -> Iterator[Line]:
    """Yield the lines around the mistake. If no line is known, yield a short answer, but no long one."""
    if question.verdict not in (Verdict.FAILED, Verdict.CRASHED, Verdict.TIMED_OUT):
        return
    place = question.place or AnswerLine(question.name, 0)
    lines = sources.get(place.question, "").splitlines()
    marked = place.line if place.line <= len(lines) else 0
    first, last = (marked - _CONTEXT, marked + _CONTEXT) if marked else (1, len(lines))
    if marked or len(lines) <= _SHORT:
        for number, line in enumerate(lines, 1):
            if first <= number <= last:
                yield Line(number, render_text(line[:_LONGEST_LINE]), number == marked)


def badge_and_meaning(question: QuestionReport, score: float | None) -> tuple[str, str]:
    """Return the badge for a question's verdict and score, and a sentence that explains the badge."""
    badge = choose_badge(question.verdict, score, question.max_score)
    meaning = MEANINGS[question.verdict]
    return badge, meaning if badge == question.verdict else _IN_SOME_TESTS.get(question.verdict, meaning)


def _decided(question: QuestionReport, entry: Entry) -> bool:
    """Whether an instructor has graded this question in place of the tests."""
    if entry.waits:
        return False
    return question.verdict in _FOR_INSTRUCTORS


def _graded_badge(question: QuestionReport, entry: Entry | None, *, decided: bool) -> tuple[str, str]:
    badge, meaning = badge_and_meaning(question, question.score if entry is None else entry.score)
    written = question.verdict is Verdict.UNGRADED
    if entry is None:
        return ("not graded yet" if written else badge), meaning
    if decided and written and entry.manual_score is None:  # nbgrader gives 0 for an unchanged answer cell
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
        return (
            "reviewed" if full else badge
        ), f"{meaning} An instructor looked at this answer and set the points."
    return badge, meaning


def _given(entry: Entry) -> str:
    if not entry.score:
        return "no points"
    return "full points" if entry.score >= entry.max_score else "a part of the points"


def _grouped_tests(question: QuestionReport, *, decided: bool) -> Iterator[TestGroup]:
    """Yield the groups of a question's tests. Groups of passed tests come last."""
    groups = dict[tuple[str, str], list[str]]()
    for test in sorted(question.tests, key=lambda test: test.verdict is Verdict.PASSED):
        verdict = "held for review" if decided and test.verdict is Verdict.REVIEW else str(test.verdict)
        groups.setdefault((verdict, test.hint), []).append(test.title)
    for (verdict, hint), titles in groups.items():
        repeated = question.hint.endswith(hint)  # an empty hint is not shown either
        counts = {render_lines(title): count for title, count in Counter(titles).items()}
        yield TestGroup(verdict, None if repeated else render_lines(hint), counts, len(titles))


def _counted(question: QuestionReport) -> str:
    """Return a question's hint. If several crashed tests have this hint, add their number."""
    hint = question.hint
    count = sum(test.hint == hint and test.verdict is Verdict.CRASHED for test in question.tests)
    return f"{hint} (in {count} tests)" if count > 1 else hint
