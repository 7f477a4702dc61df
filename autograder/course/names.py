"""Names of exercises, questions and their cells, and suggestions for unknown names."""

from collections.abc import Iterable
from difflib import get_close_matches

# Names of courses, exercises and questions have only these characters, because paths contain them.
NAME = r"^[A-Za-z0-9][A-Za-z0-9_-]*$"
_CHECK = "check-"


def check_id(question: str) -> str:
    """Return the cell id, nbgrader's grade_id, of the check of `question`."""
    return f"{_CHECK}{question}"


def checked_question(cell_id: str) -> str | None:
    """Return the question whose check has this cell id, or None if it is not the id of a check."""
    return cell_id.removeprefix(_CHECK) if cell_id.startswith(_CHECK) else None


def of_mistake(name: str) -> tuple[str, str]:
    """Split the name of a known mistake, QUESTION__MISTAKE."""
    question, _, what = name.rpartition("__")
    return question, what


def suggestion(name: str, valid: Iterable[str]) -> str:
    """Return "did you mean ...?" with the valid name closest to `name`, or a list of all valid names."""
    valid = list(valid)
    return question_after(name, valid) or f"use one of {', '.join(valid)}"


def question_after(name: str, valid: Iterable[str]) -> str:
    """Return "did you mean ...?" with the valid name closest to `name`, or "" if none is close."""
    close = closest(name, valid)
    return f'did you mean "{close}"?' if close else ""


def closest(name: str, valid: Iterable[str]) -> str:
    """Return the valid name that is closest to `name`, or "" if all are very different.

    If exactly one valid name begins with `name`, it is the closest.
    """
    folded = {candidate.casefold(): candidate for candidate in valid}
    longer = [candidate for candidate in folded if name and candidate.startswith(name.casefold())]
    matches = longer if len(longer) == 1 else get_close_matches(name.casefold(), folded, n=1)
    return folded[matches[0]] if matches else ""
