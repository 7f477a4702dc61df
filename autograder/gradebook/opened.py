"""What grading a class and previewing it have in common: the gradebook is asked what it holds already."""

import json
from contextlib import ExitStack

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.gradebook.autograded import Release
from autograder.gradebook.config import load
from autograder.gradebook.ledger import Ledger
from autograder.report.report import Report
from autograder.submission.digest import digest_of
from autograder.submission.notebook import Notebook
from autograder.submission.submission import Submission


class OpenedGradebook:
    """One exercise's part of the gradebook; what a `with` block has opened is closed at its end."""

    def __init__(self, course: Course, exercise: Exercise) -> None:
        self._course = course
        self._exercise = exercise
        self._release = Release(course, exercise)
        self._open = ExitStack()
        self.ledger = Ledger(course, exercise, load(course))

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def seconds_late(self) -> dict[str, float]:
        """Return by how much each student's submission in the gradebook is late."""
        return {student: known.seconds_late for student, known in self.ledger.known.items()}

    def report(self, submission: Submission, notebook: Notebook) -> Report | None:
        """Return the report in the autograded notebook, if grading again would give the same one."""
        try:
            kept = json.loads(submission.autograded.read_text(encoding="utf-8"))["metadata"]["autograder"]
            report = Report.from_dict(kept["report"])
            current = kept["fingerprint"] == digest_of(self._release.rules, notebook)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return report if current else None
