"""nbgrader's rows on a submission: found where they are, else made as nbgrader makes them."""

import warnings

from nbgrader.api import Gradebook
from sqlalchemy.exc import SAWarning

from autograder.course.course import Course
from autograder.gradebook.assignment import register
from autograder.gradebook.config import database
from autograder.gradebook.rows import ExerciseRows
from autograder.tests.classroom import small

_NAME = "01_small"


def _shape(gradebook: Gradebook, student: str) -> list[tuple[object, ...]]:
    """Return what a submission's rows hold but for their own ids."""
    found = gradebook.find_submission(_NAME, student)
    (notebook,) = found.notebooks
    grades = [(g.cell_id, g.auto_score, g.manual_score, g.needs_manual_grade) for g in notebook.grades]
    comments = [(c.cell_id, c.auto_comment, c.manual_comment) for c in notebook.comments]
    about = (found.assignment_id, found.timestamp, found.extension, notebook.notebook_id)
    return [about, *sorted(grades), *sorted(comments)]


def test_rows_are_made_as_nbgrader_makes_them_and_found_again(ready: Course) -> None:
    register(ready, small(ready))
    with Gradebook(database(ready), ready.settings.course) as gradebook:
        gradebook.add_student("theirs")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)  # from nbgrader's own use of its database
            gradebook.add_submission(_NAME, "theirs")
        rows = ExerciseRows(gradebook, small(ready))
        made = rows.of("ours")
        made.save(gradebook)
        gradebook.db.commit()
        assert _shape(gradebook, "ours") == _shape(gradebook, "theirs")
        gradebook.db.expunge_all()
        found = rows.of("ours")
        assert {name: grade.id for name, grade in found.grades.items()} == {
            name: grade.id for name, grade in made.grades.items()
        }
        assert found.comments.keys() == made.comments.keys() == rows.of("theirs").comments.keys()


def test_what_is_not_committed_leaves_no_row(ready: Course) -> None:
    register(ready, small(ready))
    with Gradebook(database(ready), ready.settings.course) as gradebook:
        rows = ExerciseRows(gradebook, small(ready))
        rows.of("ann").save(gradebook)
        gradebook.db.rollback()
        assert [student.id for student in gradebook.students] == []
        assert gradebook.assignment_submissions(_NAME) == []
        rows.of("ann").save(gradebook)
        gradebook.db.commit()
        assert [student.id for student in gradebook.students] == ["ann"]
        assert len(gradebook.assignment_submissions(_NAME)) == 1
