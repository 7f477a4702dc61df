"""Grades notebooks on the spot: no gradebook, a report for each, whatever state the notebook is in."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.grading.restarting import RestartingGrader
from autograder.report.report import Report
from autograder.submission.recognition import guess_exercise


@dataclass(frozen=True, slots=True)
class Run:
    """A notebook, by the path as it was given, and the report on it."""

    notebook: str
    report: Report
    fault: str = ""  # what broke on our side, if anything did

    def to_json(self) -> str:
        """Return the report on one line of JSON, beginning with the notebook."""
        return self.report.to_json(notebook=self.notebook)


def run_notebooks(
    course: Course, notebooks: Sequence[str], exercise: str | None = None, *, unsafe: bool = False
) -> Iterator[Run]:
    """Grade each notebook as the exercise that is told, or that it is found to be.

    What is wrong use is raised at once, before any notebook is graded.
    """
    told = course.chosen([exercise])[0] if exercise else None
    tasks = [(notebook, told or guess_exercise(course, Path(notebook))) for notebook in notebooks]
    return _run(course, tasks, unsafe)


def _run(course: Course, tasks: Sequence[tuple[str, Exercise]], unsafe: bool) -> Iterator[Run]:
    with RestartingGrader(course, unsafe=unsafe) as marker:
        for notebook, exercise in tasks:
            mark = marker.grade(exercise, Path(notebook))
            yield Run(notebook, mark.graded.report, mark.fault)
