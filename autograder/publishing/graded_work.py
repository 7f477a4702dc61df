"""What a class has handed in: the gradebook's entry, the report and the visible checks of each submission."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.names import checked_question
from autograder.gradebook.pages import read_gradebook
from autograder.report.gradebook_submission import GradebookEntry, GradebookSubmission
from autograder.report.report import QuestionReport, Report, Status, Verdict
from autograder.submission.submission import Submission


@dataclass(frozen=True)
class Work:
    """One submission; without a report where it has not been graded, or not by us."""

    exercise: str
    handin: GradebookSubmission
    report: Report | None
    checks: Mapping[str, bool]  # by question: whether its visible check ran through; absent where unknown

    @property
    def student(self) -> str:
        """The student's id."""
        return self.handin.student

    @cached_property
    def questions(self) -> Mapping[str, QuestionReport]:
        """What tests found, by question; nothing for a file that could not be read."""
        if self.report is None or self.report.status is Status.UNREADABLE:
            return {}
        return {question.name: question for question in self.report.questions}

    @cached_property
    def tested(self) -> Sequence[GradebookEntry]:
        """The gradebook's entries of the questions that tests grade."""
        return [entry for entry in self.handin.entries if not entry.written]

    @cached_property
    def score(self) -> float | None:
        """The score of all tested questions; None where that is not known."""
        scores = [entry.score for entry in self.tested if entry.score is not None]
        return sum(scores) if self.questions and len(scores) == len(self.tested) else None

    @property
    def share(self) -> float | None:
        """The part of the tested points that was scored; None where that is not known."""
        points = sum(entry.max_score for entry in self.tested)
        return None if self.score is None or points <= 0 else self.score / points

    @property
    def untouched(self) -> bool:
        """Whether not one question was attempted."""
        verdicts = {question.verdict for question in self.questions.values()} - {Verdict.UNGRADED}
        return verdicts == {Verdict.NOT_ATTEMPTED}


def read_classwork(course: Course, exercises: Sequence[Exercise]) -> Iterator[Work]:
    """Yield what is in the gradebook for `exercises`, in their order and that of the students' ids."""
    for exercise in exercises:
        for handin in read_gradebook(course, exercise):
            kept = _kept(Submission(course.root, handin.student, exercise.name))
            yield Work(exercise.name, handin, _report(kept), _checks(kept))


def _kept(submission: Submission) -> dict[str, Any]:
    """Return the notebook as it was graded, or an empty one."""
    try:
        kept = json.loads(submission.autograded.read_bytes())
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _report(kept: dict[str, Any]) -> Report | None:
    try:
        return Report.from_dict(kept["metadata"]["autograder"]["report"])
    except (KeyError, TypeError, ValueError):
        return None


def _checks(kept: dict[str, Any]) -> dict[str, bool]:
    """Return which visible checks ran through; one that shows nothing may not have run at all."""
    checks = {}
    for cell in kept.get("cells", ()):
        name = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
        kinds = {output["output_type"] for output in cell.get("outputs", ())}
        if (question := checked_question(name)) is not None and kinds:
            checks[question] = "error" not in kinds
    return checks
