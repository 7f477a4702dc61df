"""A made-up class: right answers, other right answers and known mistakes in turn, and no two equal files."""

import json
import random
import shutil
from collections.abc import Iterator, Mapping
from itertools import cycle
from pathlib import Path

from autograder.authoring.answers import fill, other_answers, right_answers
from autograder.course.course import Course, copy_course
from autograder.course.exercise import Exercise
from autograder.course.notebook import NotebookJson

ClassAnswers = Iterator[tuple[str, Mapping[str, str]]]  # each student's id, and their answers by question


def students(count: int) -> list[str]:
    """Return the ids of a class, in order."""
    return [f"student-{number:05}" for number in range(1, count + 1)]


def class_answers(exercise: Exercise, count: int, seed: int) -> ClassAnswers:
    """Yield each student with their answers by question; a larger class begins with the same students."""
    dice = random.Random(seed)  # noqa: S311 - nothing here is secret
    right, first = right_answers(exercise), next(iter(exercise.points))
    for student, variants in zip(
        students(count), cycle([(), exercise.accepted, exercise.mistakes]), strict=False
    ):
        others = other_answers(exercise, dice.choice(variants).code) if variants else {}
        written = {**right, **others}
        yield student, {**written, first: f"{written[first]}\n# {student}"}  # makes every file another


def hand_in(root: Path, notebook: NotebookJson, exercise: Exercise, crowd: ClassAnswers) -> None:
    """Fill submitted/ in the course folder `root` with a class's notebooks, made from a released one."""
    for student, written in crowd:
        folder = root / "submitted" / student / exercise.name
        folder.mkdir(parents=True)
        text = json.dumps(fill(notebook, written), indent=1)
        (folder / f"{exercise.name}.ipynb").write_text(text, encoding="utf-8")


def course_of(course: Course, exercise: Exercise, root: Path) -> Course:
    """Make a course of one exercise in the new folder `root`: settings, source, release, no gradebook."""
    release = Path("assignments") / exercise.name
    shutil.copytree(course.root / release, root / release, ignore=shutil.ignore_patterns("__pycache__"))
    return copy_course(course, [exercise], root)
