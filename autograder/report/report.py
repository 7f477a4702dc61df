"""The results of grading: verdicts, the report on a submission, and its scores in the gradebook."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import TypeAdapter

from autograder.report.example import Example
from autograder.report.text import number, writable

MAX_REPORT = 256 << 10  # bytes of JSON
_MAX_HINT = 1000  # characters of a hint or a message
# The smallest shares of a question's points with which an answer is called "nearly right" and "partly right".
_NEARLY, _PARTLY = 0.75, 0.25
_LEFT_OUT = "(left out, because the report would be too long)"


class Verdict(StrEnum):
    """The result of a test or a question. The verdicts are ordered, and the worst verdict is first.

    A question has the worst verdict of its tests.
    """

    GRADER_ERROR = "grader error"  # the autograder failed; there is no score, and an instructor has to look
    REVIEW = "review"  # the answer seems to break a rule of the question, so an instructor decides
    BLOCKED = "blocked"  # the code tried an operation that the sandbox does not allow
    TIMED_OUT = "timed out"
    NOT_DEFINED = "not defined"
    FAILED = "failed"
    CRASHED = "crashed"
    NOT_ATTEMPTED = "not attempted"
    NOT_JUDGED = "not judged"  # a precondition of the test failed, for example because results are wrong
    PASSED = "passed"
    UNGRADED = "ungraded"  # a written answer, which an instructor grades


# The verdicts on an attempted answer that is wrong or cannot be run.
WRONG = frozenset(Verdict) - {
    Verdict.GRADER_ERROR, Verdict.REVIEW, Verdict.NOT_ATTEMPTED, Verdict.PASSED, Verdict.UNGRADED,
}  # fmt: skip


class Status(StrEnum):
    """The result of grading a submission as a whole."""

    GRADED = "graded"
    UNREADABLE = "unreadable"
    GRADER_ERROR = "grader error"


@dataclass(frozen=True, slots=True)
class TestReport:
    """The verdict on one hidden test, as the student sees it."""

    __test__ = False
    title: str
    verdict: Verdict
    weight: float = 1.0
    hint: str = ""  # a text for the student, without hidden inputs and expected values
    basic: bool = False  # whether the test checks results on ordinary inputs


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """A line, counted from 1, of the student's answer to a question."""

    question: str
    line: int


@dataclass(frozen=True, slots=True)
class QuestionReport:
    """One question's verdict and score. The score is None after a grader error and for a written answer."""

    name: str
    verdict: Verdict
    score: float | None
    max_score: float
    hint: str = ""
    mistake: str | None = None
    tests: tuple[TestReport, ...] = ()
    shown: Example | None = None  # a call with inputs that students may see
    place: AnswerLine | None = None  # the line of the mistake, if it is in a single line

    @property
    def score_by_tests(self) -> float:
        """The points that the tests give, even if an instructor has to decide about the score."""
        return round(self.max_score * earned_share(self.tests), 4)

    @property
    def halves_in_words(self) -> str:
        """A text such as "1.5 of 3 points: 1.5 of 1.5 for right results, 0 of 1.5 for the other tests".

        It is empty if all points or no points are earned, or if there are only basic tests.
        """
        results, others = earned_halves(self.tests)
        if not self.score or self.score >= self.max_score or results is None or others is None:
            return ""
        half = self.max_score / 2
        parts = [f"{number(round(half * share, 2))} of {number(half)}" for share in (results, others)]
        points = f"{number(self.score)} of {number(self.max_score)} points"
        return f"{points}: {parts[0]} for right results, {parts[1]} for the other tests"


def earned_halves(tests: Sequence[TestReport]) -> tuple[float | None, float | None]:
    """Return the earned share, from 0 to 1, of each half of a question's points.

    The first half is earned if all basic tests pass, and cannot be earned in part. The second half is divided
    among the other tests in proportion to their weights. A half without tests is None.
    """
    basic = [test.verdict is Verdict.PASSED for test in tests if test.basic]
    others = [(test.weight, test.verdict is Verdict.PASSED) for test in tests if not test.basic]
    total = sum(weight for weight, _ in others)
    passed = sum(weight for weight, passes in others if passes)
    return float(all(basic)) if basic else None, passed / total if total else None


def earned_share(tests: Sequence[TestReport]) -> float:
    """Return the earned share of a question's points: the mean of the halves that have tests."""
    halves = [half for half in earned_halves(tests) if half is not None]
    return sum(halves) / len(halves) if halves else 0.0


@dataclass(frozen=True, slots=True)
class Report:
    """The result of grading one submission. The same submission gives the same report, byte for byte."""

    exercise: str
    status: Status
    message: str
    score: float | None
    max_score: float
    sandbox: tuple[str, ...]
    questions: tuple[QuestionReport, ...]
    explained: bool = True  # whether the diagnosis of failed answers has run

    @property
    def marks(self) -> list[tuple[str, float | None]]:
        """The score of each question."""
        return [(question.name, question.score) for question in self.questions]

    @property
    def failed_questions(self) -> tuple[str, ...]:
        """The questions with tests that have not passed."""
        done = (Verdict.PASSED, Verdict.UNGRADED)
        return tuple(question.name for question in self.questions if question.verdict not in done)

    def with_questions_of(self, other: "Report") -> "Report":
        """Return a copy of this report in which questions of `other` replace those with the same names."""
        explained = {question.name: question for question in other.questions}
        questions = tuple(explained.get(question.name, question) for question in self.questions)
        return bounded(replace(self, questions=questions, explained=other.explained))

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON values."""
        plain: dict[str, Any] = _JSON.dump_python(self, warnings=False)
        return plain

    def to_json(self, **extra: object) -> str:
        """Return the report on one line of JSON, with `extra` keys in front."""
        return json.dumps({**extra, **self.as_dict()}, ensure_ascii=True, allow_nan=False)

    @staticmethod
    def from_dict(data: object) -> "Report":
        """Return the report with these JSON values; raise ValueError if they are malformed."""
        return _JSON.validate_python(data)


_JSON = TypeAdapter(Report)


def score_that_counts(automatic: float | None, manual: float | None, extra: float | None) -> float | None:
    """Return the manual score, or else the automatic score. Extra credit is added."""
    score = automatic if manual is None else manual
    return None if score is None else round(score + (extra or 0.0), 4)


@dataclass(frozen=True, slots=True)
class Entry:
    """The gradebook's scores for one question of one submission. A missing score is None."""

    student: str
    question: str
    written: bool
    auto_score: float | None
    manual_score: float | None
    extra_credit: float | None
    max_score: float
    needs_person: bool
    comment: str  # the autograder's comment
    remark: str  # the instructor's comment

    @property
    def score(self) -> float | None:
        """The score that counts, with extra credit."""
        return score_that_counts(self.auto_score, self.manual_score, self.extra_credit)

    @property
    def waits(self) -> bool:
        """Whether an instructor has to check or give the score."""
        return self.needs_person or self.score is None


@dataclass(frozen=True, slots=True)
class GradebookSubmission:
    """The gradebook's scores for one submission."""

    student: str
    seconds_late: float
    penalty: float
    entries: tuple[Entry, ...]
    extended: datetime | None = None  # the due date of this student, if the student has an extension
    late_rule: str = ""  # the reason for the penalty, as a text

    @property
    def score(self) -> float | None:
        """The score, without ungraded written answers. None if a question with tests has no score."""
        if any(entry.score is None and not entry.written for entry in self.entries):
            return None
        return round(sum(entry.score or 0.0 for entry in self.entries) - self.penalty, 4)

    @property
    def has_scores(self) -> bool:
        """Whether any question has a score. Before grading, nbgrader creates entries without scores."""
        return any(entry.score is not None for entry in self.entries)

    @property
    def scores(self) -> dict[str, float | None]:
        """The score of each question and, under the key "late", the penalty as a negative number."""
        return with_penalty({entry.question: entry.score for entry in self.entries}, self.penalty)

    @property
    def recorded_scores(self) -> dict[str, list[float | None]]:
        """The automatic score, the manual score and the extra credit of each question."""
        return {
            entry.question: [entry.auto_score, entry.manual_score, entry.extra_credit]
            for entry in self.entries
        }

    @property
    def is_provisional(self) -> bool:
        """Whether an instructor has to check or give the score of any question."""
        return any(entry.waits for entry in self.entries)

    @property
    def max_score(self) -> float:
        """The points of all questions."""
        return sum(entry.max_score for entry in self.entries)

    @property
    def open_points(self) -> float:
        """The points of the questions that wait for an instructor, unless their score is above 0."""
        return sum(entry.max_score for entry in self.entries if entry.waits and not entry.score)

    @property
    def points_in_words(self) -> str:
        """A text such as "8 of 10 points so far; an instructor will grade answers worth 4 more"."""
        if self.score is None or not self.open_points:
            return f"{number(self.score)} of {number(self.max_score)}"
        graded = number(self.max_score - self.open_points)
        waiting = f"an instructor will grade answers worth {number(self.open_points)} more"
        return f"{number(self.score)} of {graded} points so far; {waiting}"


def with_penalty(scores: Mapping[str, float | None], penalty: float | None) -> dict[str, float | None]:
    """Return the scores and, if there is a penalty, its negative value under the key "late"."""
    return {**scores, "late": -penalty} if penalty else dict(scores)


def describe_unreadable(problem: str) -> str:
    """Return the text that follows "This file" in a message about a file that cannot be read.

    For the problem "the file is empty; save the notebook", return "cannot be read: the file is empty. Save
    the notebook. Hand it in again."
    """
    what, _, fix = problem.partition("; ")
    sentences = (f"cannot be read: {what}", f"{fix[:1].upper()}{fix[1:]}", "Hand it in again")
    return " ".join(f"{sentence}." for sentence in sentences if sentence)


def choose_badge(verdict: Verdict, score: float | None, max_score: float) -> str:
    """Return the badge of an answer: one or two words about its state.

    A wrong answer with enough points is "partly right" or "nearly right". Other badges are the verdict.
    """
    if verdict not in WRONG or not score:
        return str(verdict)
    if score < _PARTLY * max_score:
        return str(verdict)
    return "nearly right" if score >= _NEARLY * max_score else "partly right"


def written(name: str, points: float) -> QuestionReport:
    """Return the report on a written answer, before an instructor grades it."""
    return QuestionReport(name, Verdict.UNGRADED, None, points)


def total(questions: tuple[QuestionReport, ...]) -> tuple[float | None, float]:
    """Return the score (None after a grader error) and the maximum score of the questions with tests."""
    tested = [question for question in questions if question.verdict is not Verdict.UNGRADED]
    maximum = sum(question.max_score for question in tested)
    scores = [question.score for question in tested if question.score is not None]
    return (round(sum(scores), 4) if len(scores) == len(tested) else None), maximum


def bounded(report: Report) -> Report:
    """Return a report of at most MAX_REPORT bytes: long hints are cut, or all hints are replaced by a note.

    A long message is cut, too. Other texts are not cut: they come from the course, or from short examples.
    """
    for most in (_MAX_HINT, 0):
        questions = (
            replace(
                question,
                hint=_cut(question.hint, most),
                tests=tuple(replace(test, hint=_cut(test.hint, most)) for test in question.tests),
            )
            for question in report.questions
        )
        report = replace(report, message=writable(report.message[:_MAX_HINT]), questions=tuple(questions))
        if len(report.to_json()) <= MAX_REPORT:
            break
    return report


def _cut(text: str, most: int) -> str:
    return writable(text[:most]) if most else text and _LEFT_OUT
