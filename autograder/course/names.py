"""The names that exercises, questions and their cells bear."""

NAME = r"^[A-Za-z0-9][A-Za-z0-9_-]*$"  # of a course, an exercise or a question: it names folders and files
_CHECK = "check-"


def check_id(question: str) -> str:
    """Return the cell id, nbgrader's grade_id, of the check of `question`."""
    return f"{_CHECK}{question}"


def checked_question(cell_id: str) -> str | None:
    """Return the question whose check has this cell id, or None where it is no check's."""
    return cell_id.removeprefix(_CHECK) if cell_id.startswith(_CHECK) else None
