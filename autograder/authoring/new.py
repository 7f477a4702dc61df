"""Starts an exercise: writes a small one that runs, for its author to change."""

import re
from pathlib import Path

from autograder.course.course import Course, CourseError
from autograder.course.names import NAME
from autograder.files import write_whole

_TEMPLATES = Path(__file__).parent / "new_exercise"
_FILES = ("NAME.py", "test_hidden.py", "accepted/by_multiplying.py", "mistakes/half__rounds_down.py")


def create(course: Course, name: str) -> list[Path]:
    """Write a new exercise to solutions/<name>/ and return its files; CourseError where that cannot be."""
    folder = course.root / "solutions" / name
    if not re.fullmatch(NAME, name):
        fix = "use letters, digits, _ and -, as in 10_rotary"
        raise CourseError(f'"{name}" is no name for an exercise; {fix}')
    if folder.exists():
        raise CourseError(f"{folder}: is there already; choose another name, or delete the folder first")
    texts = {file: (_TEMPLATES / f"{file}.template").read_text(encoding="utf-8") for file in _FILES}
    named = {file.replace("NAME", name): text.replace("NAME", name) for file, text in texts.items()}
    return [write_whole(folder / file, text) for file, text in named.items()]


def entry(name: str) -> str:
    """Return the line by which course.yaml takes in the exercise `name`."""
    return f"  - name: {name}"
