"""Holds what grading concludes: a verdict on every test and question, and the report on a submission."""

import json
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any


class Verdict(StrEnum):
    """What happened to a test or a question; people read the value."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_ATTEMPTED = "not attempted"
    NOT_DEFINED = "not defined"
    CRASHED = "crashed"
    TIMED_OUT = "timed out"
    BLOCKED = "blocked"  # the sandbox refused it
    REVIEW = "review"  # a rule of the question seems broken, so a person decides
    GRADER_ERROR = "grader error"  # we failed, so there is no score, and a person has to look
    UNGRADED = "ungraded"  # a written answer, which a person grades


class Status(StrEnum):
    """What became of a submission as a whole."""

    GRADED = "graded"
    UNREADABLE = "unreadable"
    GRADER_ERROR = "grader error"


# The worst verdict among a question's tests speaks for the question, in this order.
_PRECEDENCE = (
    Verdict.GRADER_ERROR,
    Verdict.REVIEW,
    Verdict.BLOCKED,
    Verdict.TIMED_OUT,
    Verdict.NOT_DEFINED,
    Verdict.FAILED,
    Verdict.CRASHED,
    Verdict.NOT_ATTEMPTED,
    Verdict.PASSED,
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one hidden test concluded about one question."""

    question: str
    title: str
    verdict: Verdict
    weight: float = 1.0
    hint: str = ""  # students see it, so it holds no hidden input and no expected value


@dataclass(frozen=True, slots=True)
class TestReport:
    """One hidden test as the student sees it."""

    title: str
    verdict: Verdict
    weight: float
    hint: str


@dataclass(frozen=True, slots=True)
class QuestionReport:
    """One question's verdict and score; after a grader error, and for a written answer, the score is None."""

    name: str
    verdict: Verdict
    score: float | None
    max_score: float
    hint: str
    mistake: str | None
    tests: tuple[TestReport, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """All that we say about one submission; the same submission gives the same report, byte for byte."""

    exercise: str
    status: Status
    message: str
    score: float | None
    max_score: float
    sandbox: tuple[str, ...]
    questions: tuple[QuestionReport, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON values."""
        return asdict(self)

    def to_json(self, **extra: object) -> str:
        """Return the report on one line of JSON, with `extra` keys in front."""
        return json.dumps({**extra, **self.as_dict()}, ensure_ascii=True, allow_nan=False)

    @staticmethod
    def from_dict(data: dict[str, Any]) -> "Report":
        """Rebuild a report from `as_dict`."""
        return Report(
            **{
                **data,
                "status": Status(data["status"]),
                "sandbox": tuple(data["sandbox"]),
                "questions": tuple(map(_question, data["questions"])),
            }
        )


def summarize(name: str, points: float, outcomes: list[Outcome]) -> QuestionReport:
    """Return the report on question `name`, given the `outcomes` of its tests and the points it is worth."""
    verdict = _verdict([outcome.verdict for outcome in outcomes])
    worst = min(outcomes, key=lambda outcome: _PRECEDENCE.index(outcome.verdict))
    return QuestionReport(
        name=name,
        verdict=verdict,
        score=_score(verdict, points, outcomes),
        max_score=points,
        hint=worst.hint,
        mistake=None,
        tests=tuple(TestReport(o.title, o.verdict, o.weight, o.hint) for o in outcomes),
    )


def written(name: str, points: float) -> QuestionReport:
    """Return the report on a written answer, which only a person can grade."""
    return QuestionReport(name, Verdict.UNGRADED, None, points, "", None, ())


def total(questions: tuple[QuestionReport, ...]) -> tuple[float | None, float]:
    """Return the score and the maximum of the questions that tests grade; a grader error leaves no score."""
    tested = [question for question in questions if question.verdict is not Verdict.UNGRADED]
    maximum = sum(question.max_score for question in tested)
    scores = [question.score for question in tested if question.score is not None]
    return (round(sum(scores), 4) if len(scores) == len(tested) else None), maximum


def without_score(question: QuestionReport, hint: str) -> QuestionReport:
    """Return `question` as one that we failed to grade."""
    return replace(question, verdict=Verdict.GRADER_ERROR, score=None, hint=hint)


def _question(data: dict[str, Any]) -> QuestionReport:
    tests = tuple(TestReport(**{**test, "verdict": Verdict(test["verdict"])}) for test in data["tests"])
    return QuestionReport(**{**data, "verdict": Verdict(data["verdict"]), "tests": tests})


def _verdict(verdicts: list[Verdict]) -> Verdict:
    worst = next(verdict for verdict in _PRECEDENCE if verdict in verdicts)
    half_done = worst is Verdict.NOT_ATTEMPTED and Verdict.PASSED in verdicts
    return Verdict.FAILED if half_done else worst


def _score(verdict: Verdict, points: float, outcomes: list[Outcome]) -> float | None:
    if verdict is Verdict.GRADER_ERROR:
        return None
    if verdict is Verdict.REVIEW:
        return 0.0  # until a person has looked
    passed = sum(outcome.weight for outcome in outcomes if outcome.verdict is Verdict.PASSED)
    return round(points * passed / sum(outcome.weight for outcome in outcomes), 4)
