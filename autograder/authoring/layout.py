"""Finds files that do not belong in an exercise's folder or release, and answers that are missing there."""

from collections.abc import Iterator

from autograder.authoring import handed_out
from autograder.course.exercise import Exercise, left_by_programs
from autograder.course.source import SUFFIXES

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
    yield from handed_out.problems(exercise)
