"""Reads the graded work of a class: each submission's gradebook entry, report and code."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from autograder.collecting.attempts import arrival_of
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.gradebook.pages import read_gradebook
from autograder.publishing.regrade_requests import RegradeRequest, RegradeRequests, cells_of
from autograder.report.report import (
    GradebookEntry,
    GradebookSubmission,
    QuestionReport,
    Report,
    Status,
    Verdict,
)
from autograder.submission.submission import Submission


@dataclass(frozen=True)
class GradedWork:
    """One student's work on one exercise; its report is None until we have graded it."""

    exercise: str
    submission: GradebookSubmission
    report: Report | None
    answers: Mapping[str, str] = field(default_factory=dict)  # the student's code, by question
    requests: Sequence[RegradeRequest] = ()  # which nobody has done yet
    is_late_untimed: bool = False  # late as the platform says, which gives no time

    @property
    def student(self) -> str:
        """The student's id."""
        return self.submission.student

    @property
    def is_unreadable(self) -> bool:
        """Whether the file could not be read, and no person has settled what becomes of it."""
        waits = any(entry.waits for entry in self.tested)
        return self.report is not None and self.report.status is Status.UNREADABLE and waits

    @cached_property
    def questions(self) -> Mapping[str, QuestionReport]:
        """What tests found, by question; nothing for a file that could not be read."""
        if self.report is None or self.report.status is Status.UNREADABLE:
            return {}
        return {question.name: question for question in self.report.questions}

    @cached_property
    def entries(self) -> Mapping[str, GradebookEntry]:
        """The gradebook's entries, by question."""
        return {entry.question: entry for entry in self.submission.entries}

    @cached_property
    def tested(self) -> Sequence[GradebookEntry]:
        """The gradebook's entries on the questions that tests grade."""
        return [entry for entry in self.submission.entries if not entry.written]

    @cached_property
    def score(self) -> float | None:
        """The score of all tested questions, or None while one of them has no score."""
        scores = [entry.score for entry in self.tested if entry.score is not None]
        return sum(scores) if self.questions and len(scores) == len(self.tested) else None

    @property
    def share(self) -> float | None:
        """The scored part of the tested points, between 0 and 1, or None while it is not known."""
        points = sum(entry.max_score for entry in self.tested)
        return None if self.score is None or points <= 0 else self.score / points

    @property
    def untouched(self) -> bool:
        """Whether the student attempted none of the questions that tests grade."""
        verdicts = {question.verdict for question in self.questions.values()} - {Verdict.UNGRADED}
        return verdicts == {Verdict.NOT_ATTEMPTED}


def read_graded_work(course: Course, exercises: Sequence[Exercise]) -> Iterator[GradedWork]:
    """Yield the work on each of `exercises` in turn, in the order of the students' ids."""
    asked = RegradeRequests(course)
    for exercise in exercises:
        for submission in read_gradebook(course, exercise):
            folder = Submission(course.root, submission.student, exercise.name)
            notebook = autograded_notebook(folder)
            yield GradedWork(
                exercise.name,
                submission,
                stored_report(notebook),
                _answers(notebook),
                asked.of(submission.student, exercise.name, notebook),
                arrival_of(folder).is_late_untimed,
            )


def autograded_notebook(submission: Submission) -> dict[str, Any]:
    """Return the autograded notebook, or an empty one where there is none."""
    with suppress(OSError, ValueError):
        if isinstance(notebook := json.loads(submission.autograded.read_bytes()), dict):
            return notebook
    return {}


def stored_report(notebook: dict[str, Any]) -> Report | None:
    """Return the report in an autograded notebook, or None where there is none."""
    with suppress(KeyError, TypeError, ValueError):
        return Report.from_dict(notebook["metadata"]["autograder"]["report"])
    return None


def _answers(notebook: dict[str, Any]) -> dict[str, str]:
    return {
        about["grade_id"]: "".join(cell["source"])
        for cell, about in cells_of(notebook)
        if about.get("solution") and cell.get("cell_type") == "code"
    }
