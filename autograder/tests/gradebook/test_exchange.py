"""nbgrader's exchange, there and back: released, fetched, submitted, collected, graded, returned."""

import json
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
from autograder.sandbox.zygote import Zygote
from autograder.submission.submission import Submission
from autograder.tests.classroom import hand_in, small
from autograder.tests.gradebook.stock import IGNORED_WARNINGS, formgrader
from autograder.tests.in_process import InProcess

pytestmark = IGNORED_WARNINGS


def test_a_page_finds_its_way_back_to_the_student(
    ready: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, zygote: Zygote
) -> None:
    desk, exchange = tmp_path / "desk", tmp_path / "exchange"
    desk.mkdir()
    exchange.mkdir()
    exchange.chmod(0o777)
    config = load(ready)
    config.merge(Config({"Exchange": {"root": str(exchange)}}))
    config.CourseDirectory.assignment_id = small(ready).name
    release_notebooks(ready, [small(ready)])

    def pass_on(kind: type[Exchange], folder: Path) -> None:
        own = Config(config)
        own.CourseDirectory.root = str(folder)
        own.Exchange.assignment_dir = str(folder)
        monkeypatch.chdir(folder)
        place = CourseDirectory(config=own)
        kind(coursedir=place, authenticator=Authenticator(config=own), config=own).start()

    pass_on(ExchangeReleaseAssignment, ready.root)
    pass_on(ExchangeFetchAssignment, desk)
    path = desk / small(ready).name / f"{small(ready).name}.ipynb"
    path.write_text(json.dumps(fill(json.loads(path.read_text()), right_answers(small(ready)))))
    pass_on(ExchangeSubmit, desk)
    pass_on(ExchangeCollect, ready.root)
    hand_in(ready, "aaa", "by e-mail, and no notebook")
    graded = grade_submissions(ready, [small(ready)], executor=InProcess(ready, zygote))
    assert {line.student: line.score for line in graded.lines} == {"aaa": 0.0, getuser(): 5.0}
    write_pages(ready, [small(ready)])
    released = formgrader(ready, exchange).release_feedback(small(ready).name)
    assert released["success"], released["error"]
    assert "aaa/01_small did not come through the exchange" in released["log"]
    pass_on(ExchangeFetchFeedback, desk)
    (returned,) = (desk / small(ready).name / "feedback").rglob("*.html")
    assert returned.read_bytes() == Submission(ready.root, getuser(), small(ready).name).feedback.read_bytes()
