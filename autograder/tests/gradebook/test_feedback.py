"""Our page in the place of the one that nbgrader would write, whichever way it is asked for."""

import pytest

from autograder.course.course import Course
from autograder.gradebook.pages import write_feedback
from autograder.submission.submission import Submission
from autograder.tests.classroom import small, solved
from autograder.tests.gradebook.rows import by_hand, record
from autograder.tests.gradebook.stock import formgrader

pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")


def test_the_formgraders_button_writes_our_page_with_what_a_person_gave(ready: Course) -> None:
    for student in ("ann", "ben"):
        record(ready, student, made=solved(small(ready)))
        by_hand(ready, student, "why", 1.5, f"Well put, {student}.")
    list(write_feedback(ready, small(ready)))
    page = Submission(ready.root, "ann", "01_small").feedback
    expected = page.read_text(encoding="utf-8")
    page.unlink()
    result = formgrader(ready).generate_feedback("01_small", "ann")
    assert result["success"], result
    assert page.read_text(encoding="utf-8") == expected
    assert "Well put, ann." in expected
    assert "Well put, ben." not in expected


def test_a_notebook_that_was_not_graded_by_us_gets_no_page(ready: Course) -> None:
    submission = record(ready, "ann", made=solved(small(ready)))
    submission.autograded.unlink()  # nobody but root may write to it
    submission.autograded.write_bytes(submission.notebook.read_bytes())
    result = formgrader(ready).generate_feedback("01_small", "ann")
    assert not result["success"]
    assert not submission.feedback.exists()
