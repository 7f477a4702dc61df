"""Releases exercises, and writes their questions, points and released cells into the gradebook."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.api import BaseCell, Comment, Grade, Gradebook, MissingEntry, Notebook, SubmittedNotebook
from nbgrader.converters import GenerateAssignment
from sqlalchemy.orm import selectinload

from autograder.course.course import Course, CourseError
from autograder.course.exercise import Exercise
from autograder.course.source import GRADED
from autograder.gradebook.config import converting, open_converter
from autograder.gradebook.grades import released

_BY_HAND = Grade.manual_score.isnot(None) | Grade.extra_credit.isnot(None)


def register(gradebook: Gradebook, exercise: Exercise) -> None:
    """Write the current questions and due date of `exercise` into the gradebook.

    After the first submission, nbgrader's SaveCells refuses to add or remove questions. This function can do
    both, also in existing submissions. CourseError is raised if a removed question has a grader's score or
    comment.
    """
    node, name, due = released(exercise), exercise.name, exercise.settings.due
    gradebook.update_or_create_assignment(name, **({"duedate": due} if due else {}))
    kernel = json.dumps(node.metadata.get("kernelspec", {}))
    book = gradebook.update_or_create_notebook(name, name, kernelspec=kernel)
    _delete_removed_cells(gradebook, exercise, book)
    for cell in node.cells:
        if "nbgrader" in cell.metadata:
            _record(gradebook, name, cell)
    _add_missing_rows(gradebook, book)


def expect_nothing_lost(gradebook: Gradebook, exercise: Exercise) -> None:
    """Raise CourseError if the exercise lacks a question to which a grader has given a score or comment."""
    with suppress(MissingEntry):
        _removed_cells(gradebook, exercise, gradebook.find_notebook(exercise.name, exercise.name))


def _record(gradebook: Gradebook, name: str, cell: NotebookNode) -> None:
    about = cell.metadata.nbgrader
    if utils.is_grade(cell):
        points = float(about.points)
        _mark_for_review(gradebook, name, about.grade_id, points)
        gradebook.update_or_create_grade_cell(
            about.grade_id, name, name, max_score=points, cell_type=cell.cell_type
        )
    if utils.is_solution(cell):
        gradebook.update_or_create_solution_cell(about.grade_id, name, name)
    columns = {"cell_type": cell.cell_type, "source": cell.source, "checksum": about.checksum}
    gradebook.update_or_create_source_cell(
        about.grade_id, name, name, locked=utils.is_locked(cell), **columns
    )


def _mark_for_review(gradebook: Gradebook, name: str, grade_id: str, points: float) -> None:
    """If the points of a question have changed, mark its manual scores as waiting for review."""
    with suppress(MissingEntry):
        cell = gradebook.find_grade_cell(grade_id, name, name)
        if cell.max_score != points:
            grades = gradebook.db.query(Grade).filter(Grade.cell_id == cell.id, _BY_HAND)
            grades.update({Grade.needs_manual_grade: True}, synchronize_session=False)


def _delete_removed_cells(gradebook: Gradebook, exercise: Exercise, book: Notebook) -> None:
    """Delete the cells that the exercise no longer has, with their automatic scores and comments."""
    for cell in _removed_cells(gradebook, exercise, book):
        for row in (Grade, Comment):
            gradebook.db.query(row).filter(row.cell_id == cell.id).delete()
        gradebook.db.delete(cell)
    for source in book.source_cells:
        if source.name not in _names(exercise):
            gradebook.db.delete(source)
    gradebook.db.commit()


def _removed_cells(gradebook: Gradebook, exercise: Exercise, book: Notebook) -> list[BaseCell]:
    """Return the cells that the exercise no longer has. Raise CourseError if any was graded manually."""
    gone = [cell for cell in book._base_cells if cell.name not in _names(exercise)]
    manual = ((Grade, _BY_HAND), (Comment, Comment.manual_comment.isnot(None)))
    for cell in gone:
        queries = (gradebook.db.query(row).filter(row.cell_id == cell.id, by_hand) for row, by_hand in manual)
        if graded := sum(query.count() for query in queries):
            raise CourseError(
                f'{exercise.source}: "{cell.name}" was removed, but still has scores or comments by graders '
                f"({graded}); put it back, or delete these scores and comments in the formgrader"
            )
    return gone


def _names(exercise: Exercise) -> set[str]:
    return {cell.grade_id for cell in exercise.cells if cell.role in GRADED}


def _add_missing_rows(gradebook: Gradebook, book: Notebook) -> None:
    """Add the grade and comment rows of new questions to existing submissions."""
    gradebook.db.refresh(book)
    rows = (selectinload(SubmittedNotebook.grades), selectinload(SubmittedNotebook.comments))
    submissions = gradebook.db.query(SubmittedNotebook).filter_by(notebook_id=book.id)
    for submission in submissions.options(*rows):
        graded = {grade.cell_id for grade in submission.grades}
        commented = {comment.cell_id for comment in submission.comments}
        missing = [(Grade, cell) for cell in book.grade_cells if cell.id not in graded]
        missing += [(Comment, cell) for cell in book.solution_cells if cell.id not in commented]
        gradebook.db.add_all(row(cell_id=cell.id, notebook=submission) for row, cell in missing)
    gradebook.db.commit()


def generate(course: Course, exercise: Exercise, *, into: Path | None = None) -> None:
    """Release `exercise` from build/source/ to assignments/ or `into`. The gradebook is not changed."""
    settings: dict[str, dict[str, Any]] = {
        "CourseDirectory": {"release_directory": str(into)} if into else {},
        "GenerateAssignment": {"force": True, "no_database": True},
        "SaveCells": {"enabled": False},
    }
    with (
        open_converter(GenerateAssignment, course, exercise, **settings) as converter,
        converting(course, converter.log, exercise.name),
    ):
        converter.start()
