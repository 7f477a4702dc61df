"""Computes how each question went: scores, failures, how well it discriminates, what its check is worth."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from autograder.publishing.graded_work import GradedWork
from autograder.report.gradebook_submission import GradebookEntry
from autograder.report.report import WRONG, QuestionReport, Verdict

MIN_ANSWERS = 5  # a correlation over fewer answers says nothing
_NO_SPREAD = 1e-9  # below this the scores are all the same, but for rounding
_Answer = tuple[GradedWork, GradebookEntry]  # one student's work, and its entry on the question
_Reported = tuple[GradedWork, QuestionReport]


@dataclass(frozen=True, slots=True)
class QuestionStatistics:
    """How one question went in the class."""

    exercise: str
    name: str
    points: float
    written: bool
    scores: tuple[float, ...]  # those that are known, in the order of the students' ids
    verdicts: tuple[frozenset[Verdict], ...]  # for each answer, those of the question and of its tests
    discrimination: float | None  # correlation of its score with the rest of the submission's score
    only_check_passes: tuple[str, ...]  # students who pass the visible check but not the hidden tests
    only_tests_pass: tuple[str, ...]  # students who pass the hidden tests but not the visible check
    compared: int  # answers for which both results are known

    @property
    def mean(self) -> float | None:
        """The mean score in points."""
        return fmean(self.scores) if self.scores else None

    @property
    def full_marks(self) -> int:
        """How many students scored all points."""
        return sum(score >= self.points for score in self.scores)

    @property
    def check_disagrees(self) -> bool:
        """Whether the visible check and the hidden tests disagree on anybody's answer."""
        return bool(self.only_check_passes or self.only_tests_pass)

    def count(self, verdict: Verdict) -> int:
        """Return in how many answers the question or one of its tests has this verdict."""
        return sum(verdict in found for found in self.verdicts)


def question_statistics(works: Sequence[GradedWork]) -> Iterator[QuestionStatistics]:
    """Yield the statistics of each question that the gradebook has for one exercise's `works`."""
    known = {name: entry for work in works for name, entry in work.entries.items()}
    for name, entry in known.items():
        answers = [(work, work.entries[name]) for work in works if work.questions and name in work.entries]
        reports = [(work, work.questions[name]) for work, _ in answers if name in work.questions]
        compared = _compared(name, reports)
        yield QuestionStatistics(
            exercise=works[0].exercise,
            name=name,
            points=entry.max_score,
            written=entry.written,
            scores=tuple(answer.score for _, answer in answers if answer.score is not None),
            verdicts=tuple(frozenset({q.verdict, *(test.verdict for test in q.tests)}) for _, q in reports),
            discrimination=_discrimination(answers),
            only_check_passes=tuple(student for student, check, tests in compared if check and not tests),
            only_tests_pass=tuple(student for student, check, tests in compared if tests and not check),
            compared=len(compared),
        )


def _compared(name: str, reports: Sequence[_Reported]) -> list[tuple[str, bool, bool]]:
    """Return each student with whether the check and the tests pass, where both results are known."""
    return [
        (work.student, work.checks[name], question.verdict is Verdict.PASSED)
        for work, question in reports
        if name in work.checks and (question.verdict is Verdict.PASSED or question.verdict in WRONG)
    ]


def _discrimination(answers: Sequence[_Answer]) -> float | None:
    """Correlate a question's score with that of the other tested questions; None where it says nothing."""
    pairs = [
        (answer.score, work.score - (0.0 if answer.written else answer.score))
        for work, answer in answers
        if answer.score is not None and work.score is not None
    ]
    if len(pairs) < MIN_ANSWERS:
        return None
    scores, rests = np.array(pairs).T
    spread = float(scores.std() * rests.std())
    return float(np.corrcoef(scores, rests)[0, 1]) if spread > _NO_SPREAD else None
