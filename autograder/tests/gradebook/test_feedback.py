"""Our page in the place of the one that nbgrader would write, and its way back through the exchange."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from autograder.collecting.attempts import Arrival, place
from autograder.course.course import Course
from autograder.gradebook.pages import write_feedback
from autograder.submission.submission import Submission
from autograder.tests.classroom import small, solved
from autograder.tests.gradebook.rows import by_hand, record
from autograder.tests.gradebook.stock import formgrader

pytestmark = [
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),
    # nbgrader passes an "authentictor" to the exchange, and leaves files open.
    pytest.mark.filterwarnings("ignore:Passing unrecognized arguments:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


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


def test_a_page_returns_through_the_exchange_unless_the_submission_came_another_way(
    ready: Course, tmp_path: Path
) -> None:
    exchange = tmp_path / "exchange"
    exchange.mkdir()
    exchange.chmod(0o777)
    content = json.dumps(solved(small(ready))).encode()
    for student, secret in (("ann", b"a secret"), ("ben", b"")):
        submission = Submission(ready.root, student, "01_small")
        place(submission, content, Arrival(datetime(2026, 3, 1, tzinfo=UTC)), secret)
        record(ready, student)
    list(write_feedback(ready, small(ready)))
    released = formgrader(ready, exchange).release_feedback("01_small")
    assert released["success"], released["error"]
    assert "ben/01_small did not come through the exchange" in released["log"]
    (returned,) = (exchange / ready.settings.course / "feedback").glob("*.html")
    assert returned.read_bytes() == Submission(ready.root, "ann", "01_small").feedback.read_bytes()
