"""Says on which line of an exercise's source its reference fails."""

import re
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from autograder.course.exercise import Exercise, Variant
from autograder.course.source import SourceError

_CELL = re.compile(r"cell (\d+)")  # the file name under which a worker compiles code cell N


@contextmanager
def reference_errors(exercise: Exercise, variant: Variant | None = None) -> Iterator[None]:
    """Turn what running the reference, or a variant of it, raises here into a SourceError with its line."""
    try:
        yield
    except (Exception, SystemExit) as error:
        text = str(error.msg if isinstance(error, SyntaxError) else error)
        said = f"{type(error).__name__}: {text}" if text else type(error).__name__
        fix = "all cells but checks and demos must run, one after the other, as plain Python"
        raise SourceError(f"{_place(exercise, variant, error)}: {said}; {fix}") from error


def _place(exercise: Exercise, variant: Variant | None, error: BaseException) -> str:
    if (found := _cell_line(error)) is None:
        return str(variant.path if variant else exercise.source)
    number, line = found
    cell = [cell for cell in exercise.cells if cell.is_reference][number]
    if variant and cell.name in exercise.replaced(variant.code):
        return f"{variant.path}:{line}"
    return f"{exercise.source}:{cell.line + line - 1}"


def _cell_line(error: BaseException) -> tuple[int, int] | None:
    """Return the number of the innermost cell from which the error comes, and the line in that cell."""
    places = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    if isinstance(error, SyntaxError):
        places.append((error.filename or "", error.lineno or 1))
    for name, line in reversed(places):
        if match := _CELL.fullmatch(name):
            return int(match[1]), line
    return None
