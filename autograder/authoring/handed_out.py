"""Finds what a release would refuse or lose, and answers that students would read in it."""

from collections.abc import Iterator
from pathlib import Path

import nbformat

from autograder.course.exercise import Exercise, left_by_programs, own_files
from autograder.course.hints import Secret, read_hints, secrets
from autograder.course.kit import NAMES
from autograder.course.source import SUFFIXES, SourceError


def _not_released(exercise: Exercise) -> Iterator[str]:
    """Yield all that keeps an exercise from being released, and each answer in what students would get."""
    yield from refused(exercise)
    try:
        read_hints(exercise)
    except SourceError as error:
        yield from str(error).splitlines()
    yield from _given_away(exercise)


def refused(exercise: Exercise) -> Iterator[str]:
    """Yield what lies in handout/ and cannot be handed out as it is, and what to do."""
    folder = exercise.folder / "handout"
    shared = (path.name for path in own_files(exercise.folder.parent, "*.md"))
    written = {name.lower() for name in (f"{exercise.name}.ipynb", *NAMES, *shared)}
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if left_by_programs(path.name):
            continue
        if not path.is_file():
            fix = f"lay its files into {folder.name}/ itself, or an archive of it"
            yield f"{path}: only files are handed out; {fix}"
        elif path.name.lower() in written:
            yield f"{path}: would take the place of a file that the release writes; rename it"
        elif path.suffix == ".ipynb" and not _is_notebook(path):
            yield f"{path}: is no notebook; save it again from Jupyter, or rename it"


def _is_notebook(path: Path) -> bool:
    try:
        nbformat.read(path, as_version=4)
    except Exception:  # whatever the file holds
        return False
    return True


def _given_away(exercise: Exercise) -> Iterator[str]:
    found = secrets(exercise)
    for cell in exercise.cells:
        hidden = {number for number, _ in cell.hidden()}
        lines = ("" if number in hidden else line for number, line in enumerate(cell.text.split("\n")))
        yield from _in_text(exercise.source, "\n".join(lines), cell.line, found)
    for path in (*own_files(exercise.folder.parent, "*.md"), *exercise.handout):
        yield from _in_text(path, path.read_bytes().decode("utf-8", "replace"), 1, found)


def _in_text(path: Path, text: str, first: int, found: list[Secret]) -> Iterator[str]:
    for secret in found:
        if (line := secret.line(text)) is not None:
            problem = f"students would read a part of the answer to {secret.name} here: {secret.text}"
            yield f"{path}:{first + line}: {problem}; take it out"


_FILES = {"accepted", "equivalent.yaml", "handout", "heldout", "mistakes", "hints.yaml", "test_hidden.py"}


def problems(exercise: Exercise) -> Iterator[str]:
    """Yield what is wrong with the files in an exercise's folder, and how to mend it."""
    for path in sorted(exercise.folder.iterdir()):
        known = path.name in _FILES | {exercise.source.name} or path.suffix in SUFFIXES
        if not left_by_programs(path.name) and not known:
            fix = "move it to accepted/, mistakes/ or heldout/, or delete it"
            yield f"{path}: belongs to no exercise; {fix}"
    if exercise.points and not exercise.accepted:
        fix = "write at least one, as accepted/what_is_different.py"
        yield f"{exercise.folder / 'accepted'}: holds no other right answer; {fix}"
    if exercise.points and not exercise.mistakes:
        fix = "write at least one, as mistakes/question__what.py"
        yield f"{exercise.folder / 'mistakes'}: holds no known mistake; {fix}"
    yield from _not_released(exercise)
