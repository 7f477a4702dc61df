"""Makes a smaller course of some exercises: for Gradescope, a cluster, the demo and the benchmark."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from autograder.course.course import FILE, Course, load_course
from autograder.course.exercise import Exercise
from autograder.course.secret import FILE as SECRET
from autograder.course.secret import course_secret
from autograder.files import ANYBODY, OWNER, write_whole

_NBGRADER_CONFIG = "nbgrader_config.py"


def course_files(
    course: Course, exercises: Sequence[Exercise], limits: Mapping[str, float] = {}, due: str = ""
) -> dict[str, bytes]:
    """Return the files by which these exercises are graded, each by its path in the course's folder.

    The course's secret is among them if it has one: a submission meets the same hidden inputs wherever it is
    graded.
    `limits` changes limits of the course; `due`, if given, becomes the due date of every exercise.
    """
    settings = course.settings.model_dump(mode="json", exclude_unset=True)
    names, dates = {exercise.name for exercise in exercises}, {"due": due} if due else {}
    settings["exercises"] = [entry | dates for entry in settings["exercises"] if entry["name"] in names]
    if limits:
        settings["limits"] = {**settings.get("limits", {}), **limits}
    files = {FILE: yaml.safe_dump(settings, sort_keys=False).encode()}
    if (course.root / SECRET).exists():
        files[SECRET] = f"{course_secret(course).hex()}\n".encode()
    written = {path for exercise in exercises for path in (*exercise.files, *exercise.catalogue)}
    return files | {path.relative_to(course.root).as_posix(): path.read_bytes() for path in sorted(written)}


def copy_course(
    course: Course, exercises: Sequence[Exercise], root: Path, limits: Mapping[str, float] = {}, due: str = ""
) -> Course:
    """Write a course of these exercises, with nbgrader's settings, to the folder `root` and return it."""
    files = course_files(course, exercises, limits, due)
    config = course.root / _NBGRADER_CONFIG
    if config.is_file():
        files[_NBGRADER_CONFIG] = config.read_bytes()
    for name, content in files.items():
        write_whole(root / name, content, OWNER if name == SECRET else ANYBODY)
    return load_course(root)
