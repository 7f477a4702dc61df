"""Makes a smaller course of some exercises: for Gradescope, a cluster, the demo and the benchmark."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import yaml

from autograder.course.course import FILE, Course, load_course
from autograder.course.exercise import Exercise

_NBGRADER_CONFIG = "nbgrader_config.py"
_UNCHANGED: Mapping[str, float] = MappingProxyType({})


def course_files(
    course: Course,
    exercises: Sequence[Exercise],
    *,
    limits: Mapping[str, float] = _UNCHANGED,
    due: str | None = None,
) -> dict[str, bytes]:
    """Return the files by which these exercises are graded, each by its path in the course's folder.

    `limits` changes limits of the course; `due` becomes the due date of every exercise.
    """
    files = {FILE: _settings(course, exercises, limits, due).encode()}
    for exercise in exercises:
        for path in exercise.files:
            name = path.relative_to(exercise.folder).as_posix()
            files[f"solutions/{exercise.name}/{name}"] = path.read_bytes()
    return files


def copy_course(
    course: Course,
    exercises: Sequence[Exercise],
    root: Path,
    *,
    limits: Mapping[str, float] = _UNCHANGED,
    due: str | None = None,
) -> Course:
    """Write a course of these exercises, with nbgrader's settings, to the folder `root` and return it."""
    files = course_files(course, exercises, limits=limits, due=due)
    config = course.root / _NBGRADER_CONFIG
    if config.is_file():
        files[_NBGRADER_CONFIG] = config.read_bytes()
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return load_course(root)


def _settings(
    course: Course, exercises: Sequence[Exercise], limits: Mapping[str, float], due: str | None
) -> str:
    """Return course.yaml with the entries of these exercises alone, and with what is to be changed."""
    settings = course.settings.model_dump(mode="json", exclude_unset=True)
    names = {exercise.name for exercise in exercises}
    entries = [entry for entry in settings["exercises"] if entry["name"] in names]
    if limits:
        settings["limits"] = {**settings.get("limits", {}), **limits}
    if due is not None:
        entries = [{**entry, "due": due} for entry in entries]
    return yaml.safe_dump({**settings, "exercises": entries}, sort_keys=False)
