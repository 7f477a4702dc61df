"""nbgrader's exchange, there and back: released, fetched, submitted, collected, graded, returned."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from getpass import getuser
from pathlib import Path

import pytest
from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import (
    Exchange,
    ExchangeCollect,
    ExchangeFetchAssignment,
    ExchangeFetchFeedback,
    ExchangeReleaseAssignment,
    ExchangeSubmit,
)
from traitlets.config import Config

from autograder.authoring.answers import fill, right_answers
from autograder.authoring.release import release_notebooks
from autograder.batch.grade import grade_submissions
from autograder.course.course import Course
from autograder.gradebook.config import load
from autograder.publishing.export import write_pages
from autograder.submission.submission import Submission
from autograder.tests.classroom import hand_in, small
from autograder.tests.gradebook.stock import formgrader

pytestmark = [
    # nbgrader passes an "authentictor" to the exchange.
    pytest.mark.filterwarnings("ignore:Passing unrecognized arguments:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),
    pytest.mark.filterwarnings(
        "ignore::pytest.PytestUnraisableExceptionWarning"
    ),  # files nbgrader leaves open
]


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """Return the folder where a student works."""
    folder = tmp_path / "desk"
    folder.mkdir()
    return folder


@contextmanager
def working_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.chdir(folder)
        yield


def test_a_page_finds_its_way_back_to_the_student(
    ready: Course, desk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "exchange").mkdir(mode=0o777)
    (tmp_path / "exchange").chmod(0o777)
    config = load(ready)
    config.merge(Config({"Exchange": {"root": str(tmp_path / "exchange")}}))
    config.CourseDirectory.assignment_id = small(ready).name
    release_notebooks(ready, [small(ready)])

    def pass_on(kind: type[Exchange], folder: Path) -> None:
        own = Config(config)
        own.CourseDirectory.root = str(folder)
        own.Exchange.assignment_dir = str(folder)
        with working_in(folder, monkeypatch):
            place = CourseDirectory(config=own)
            kind(coursedir=place, authenticator=Authenticator(config=own), config=own).start()

    pass_on(ExchangeReleaseAssignment, ready.root)
    pass_on(ExchangeFetchAssignment, desk)
    path = desk / small(ready).name / f"{small(ready).name}.ipynb"
    path.write_text(json.dumps(fill(json.loads(path.read_text()), right_answers(small(ready)))))
    pass_on(ExchangeSubmit, desk)
    pass_on(ExchangeCollect, ready.root)
    assert [line.score for line in grade_submissions(ready, [small(ready)]).lines] == [5.0]
    hand_in(ready, "aaa", "by e-mail, and no notebook")
    grade_submissions(ready, [small(ready)])
    write_pages(ready, [small(ready)])
    released = formgrader(ready, tmp_path / "exchange").release_feedback(small(ready).name)
    assert released["success"], released["error"]
    assert "aaa/01_small did not come through the exchange" in released["log"]
    pass_on(ExchangeFetchFeedback, desk)
    (returned,) = (desk / small(ready).name / "feedback").rglob("*.html")
    assert returned.read_bytes() == Submission(ready.root, getuser(), small(ready).name).feedback.read_bytes()
