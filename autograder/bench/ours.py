"""The course's own grader on the same class, from submitted/ to the gradebook."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from autograder.authoring.answers import released
from autograder.bench.crowd import ClassAnswers, course_of, hand_in
from autograder.bench.figures import ClassFigures, Full
from autograder.bench.meter import BenchError, measure
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.report.report import Report, Status
from autograder.submission.submission import Submission

VERSION = version("attention-course-autograder")


@dataclass(frozen=True, slots=True)
class GradedClass:
    """What grading a class took, and its results."""

    figures: ClassFigures
    walls: tuple[str, ...]
    full: Full


def grade_class(
    course: Course,
    exercise: Exercise,
    parent: Path,
    *,
    crowd: ClassAnswers,
    jobs: int,
    again: bool = False,
) -> GradedClass:
    """Grade a class in a fresh course folder inside `parent`, which is removed afterwards."""
    answers = dict(crowd)
    with TemporaryDirectory(dir=parent) as folder:
        root = Path(folder)
        made = course_of(course, exercise, root)
        hand_in(root, released(made.assignments, exercise), exercise, iter(answers.items()))
        # All submissions are our own, so fewer walls than the course demands are enough.
        grade = command(root, ["grade", exercise.name, "--jobs", str(jobs), "--unsafe"])
        run = measure(grade, root)
        repeated = measure(grade, root).seconds if again else None
        reports = {name: _report(Submission(root, name, exercise.name)) for name in answers}
    full = {
        student: frozenset(
            question.name for question in report.questions if question.score == question.max_score
        )
        for student, report in reports.items()
    }
    figures = ClassFigures(len(answers), jobs, run.seconds, run.peak_mb, repeated)
    return GradedClass(figures, next(iter(reports.values())).sandbox, full)


def command(root: Path, words: Sequence[str]) -> list[str]:
    """Return the command line of `autograder` in the course folder `root`."""
    return [sys.executable, "-m", "autograder", "--course", str(root), *words]


def _report(submission: Submission) -> Report:
    report = Report.from_dict(json.loads(submission.report.read_text(encoding="utf-8")))
    if report.status is not Status.GRADED:
        raise BenchError(f"{submission.notebook}: not graded but {report.status}: {report.message}")
    return report
