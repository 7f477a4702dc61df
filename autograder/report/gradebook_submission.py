"""One submission as the gradebook has it, with what people gave as well as what we did."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GradebookEntry:
    """One question of one submission, as the gradebook has it; None where nobody has given a score."""

    student: str
    question: str
    written: bool
    auto_score: float | None
    manual_score: float | None
    extra_credit: float | None
    max_score: float
    needs_person: bool
    comment: str  # ours
    remark: str  # a person's

    @property
    def score(self) -> float | None:
        """The score that counts: a person's before ours, and extra credit; None where neither is there."""
        given = self.auto_score if self.manual_score is None else self.manual_score
        return None if given is None else round(given + (self.extra_credit or 0.0), 4)


@dataclass(frozen=True, slots=True)
class GradebookSubmission:
    """One submission as the gradebook has it."""

    student: str
    seconds_late: float
    penalty: float
    entries: tuple[GradebookEntry, ...]

    @property
    def score(self) -> float | None:
        """What the submission is worth so far; None while a question graded by tests has no score."""
        if any(entry.score is None and not entry.written for entry in self.entries):
            return None
        return round(sum(entry.score or 0.0 for entry in self.entries) - self.penalty, 4)

    @property
    def max_score(self) -> float:
        """The points of all questions, written ones too."""
        return sum(entry.max_score for entry in self.entries)
