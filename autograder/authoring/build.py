"""Writes nbgrader's source notebook of each exercise to build/, with what students get beside it."""

import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from autograder.authoring.handed_out import refused
from autograder.course.course import Course, CourseError
from autograder.course.exercise import Exercise, own_files
from autograder.course.kit import student_files
from autograder.course.notebook import build_notebook, to_json
from autograder.course.source import SourceError
from autograder.files import write_whole


def build_sources(course: Course, exercises: Sequence[Exercise]) -> list[Path]:
    """Write each exercise's source notebook and kit to build/source/ and return the files."""
    folders = {exercise: course.build / "source" / exercise.name for exercise in exercises}
    return [path for exercise, folder in folders.items() for path in write_source(exercise, folder)]


def build_missing(course: Course, exercises: Iterable[Exercise]) -> None:
    """Build what is not in build/source/, since the formgrader lists an exercise only if it lies there.

    What is wrong with a source is for others to say, when it is graded or released.
    """
    for exercise in exercises:
        if not (course.build / "source" / exercise.name).is_dir():
            with suppress(SourceError, CourseError):
                build_sources(course, [exercise])


def write_source(exercise: Exercise, folder: Path) -> list[Path]:
    """Fill `folder` with source notebook, kit and set-up of `exercise` alone, and return these files.

    The Markdown files that lie beside all exercises, in solutions/, come along: notebooks may link to them.
    So does what lies in the exercise's own handout/. SourceError says what of that cannot be handed out.
    """
    if problems := list(refused(exercise)):
        raise SourceError("\n".join(problems))
    texts: dict[str, str | bytes] = {
        f"{exercise.name}.ipynb": to_json(build_notebook(exercise)),
        **student_files(exercise),
    }
    shared = own_files(exercise.folder.parent, "*.md")
    texts |= {path.name: path.read_bytes() for path in (*shared, *exercise.handout)}
    if folder.exists():
        shutil.rmtree(folder)  # nbgrader releases whatever lies here
    return [write_whole(folder / name, text) for name, text in texts.items()]
