"""Holds one submission as the gradebook has it, with the scores and comments of tests and of people."""

from dataclasses import dataclass
from datetime import datetime

from autograder.report.text import number


@dataclass(frozen=True, slots=True)
class GradebookEntry:
    """One question of one submission, as the gradebook has it; a score that nobody has given is None."""

    student: str
    question: str
    written: bool
    auto_score: float | None
    manual_score: float | None
    extra_credit: float | None
    max_score: float
    needs_person: bool
    comment: str  # by the autograder
    remark: str  # by a person

    @property
    def score(self) -> float | None:
        """The score that counts: a person's if there is one, otherwise ours, with any extra credit."""
        given = self.auto_score if self.manual_score is None else self.manual_score
        return None if given is None else round(given + (self.extra_credit or 0.0), 4)


@dataclass(frozen=True, slots=True)
class GradebookSubmission:
    """One submission as the gradebook has it."""

    student: str
    seconds_late: float
    penalty: float
    entries: tuple[GradebookEntry, ...]
    extended: datetime | None = None  # until when this student may hand in, later than everybody else
    late_rule: str = ""  # what being late takes and why, such as "2 days begun: -2.8, floor 7"

    @property
    def score(self) -> float | None:
        """What the submission is worth so far, or None while a question that tests grade has no score."""
        if any(entry.score is None and not entry.written for entry in self.entries):
            return None
        return round(sum(entry.score or 0.0 for entry in self.entries) - self.penalty, 4)

    @property
    def is_provisional(self) -> bool:
        """Whether a person has to settle a score, or to give one."""
        return any(entry.score is None or entry.needs_person for entry in self.entries)

    @property
    def max_score(self) -> float:
        """The points of all questions, including written ones."""
        return sum(entry.max_score for entry in self.entries)

    @property
    def open_points(self) -> float:
        """The points of the questions that have no score yet."""
        return sum(entry.max_score for entry in self.entries if entry.score is None)

    @property
    def points_in_words(self) -> str:
        """The score, such as "8 of 10 so far, 4 not graded yet"."""
        if self.score is None or not self.open_points:
            return f"{number(self.score)} of {number(self.max_score)}"
        graded = number(self.max_score - self.open_points)
        return f"{number(self.score)} of {graded} so far, {number(self.open_points)} not graded yet"


@dataclass(frozen=True, slots=True)
class ShownAttempt:
    """One of several attempts of a student, for the page; scores are those of the tests alone."""

    when: str  # empty where nobody knows
    score: float | None
    max_score: float | None
    counts: bool
