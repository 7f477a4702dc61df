"""A course of the version before is taken over once, with every row; its file is kept beside as a backup.

`former` holds the two databases of such a course: attempts (one student's came as A, B, A), reports, scores
that people gave, of which two had no line in the audit yet, exports, and a finished request.
"""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from autograder.collecting.attempts import attempts_of
from autograder.course.course import Course
from autograder.errors import UsageError
from autograder.gradebook.pages import read_graders, update_scores
from autograder.publishing.graded_work import read_graded_work
from autograder.records.audit import audit_lines
from autograder.records.database import reading
from autograder.records.tables import EXPORTS, REPORTS, REQUESTS
from autograder.submission.submission import Submission
from autograder.tests.classroom import small
from autograder.tests.gradebook.rows import dump, gradebook_submission, ruled

FORMER = Path(__file__).with_name("former")


def load(root: Path, *names: str) -> None:
    for name in names:
        with closing(sqlite3.connect(root / f"{name}.db")) as connection:
            connection.executescript((FORMER / f"{name}.sql").read_text(encoding="utf-8"))


def before(query: str) -> list[dict[str, Any]]:
    """Return rows of the former autograder.db, with texts that hold JSON as they are."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript((FORMER / "autograder.sql").read_text(encoding="utf-8"))
        found = connection.execute(query)
        return [dict(zip([name for name, *_ in found.description], row, strict=True)) for row in found]


@pytest.fixture
def former_course(ready: Course) -> Course:
    """Return the course that the former version has left."""
    (ready.root / "gradebook.db").unlink()
    load(ready.root, "gradebook", "autograder")
    return ruled(ready, "best", "percent: 10")


def test_every_attempt_is_there_and_the_same_bytes_are_one_attempt(former_course: Course) -> None:
    for student in ("ann", "ben", "cleo", "dan"):
        rows = before(f"select * from attempt where student = '{student}' order by id")
        found = attempts_of(Submission(former_course.root, student, "01_small"))
        assert {one.digest for one in found} == {row["digest"] for row in rows}
        for one in found:
            *_, last = [row for row in rows if row["digest"] == one.digest]
            assert (one.time, one.secret) == (last["time"] or "", last["secret"] or b"")
    ann, cleo = (attempts_of(Submission(former_course.root, name, "01_small")) for name in ("ann", "cleo"))
    assert [(one.accepted_at is not None, one.shown) for one in ann] == [(True, True), (False, False)]
    (one,) = cleo
    assert (one.arrival.upload, one.arrival.number, one.arrival.late) == (7, "4711", True)


def test_reports_exports_and_requests_are_there_and_the_reports_that_count_are_marked(
    former_course: Course,
) -> None:
    with reading(former_course.root) as store:
        reports, exports, requests = (
            [row._asdict() for row in store.execute(table.select())] for table in (REPORTS, EXPORTS, REQUESTS)
        )
    columns = ("student", "exercise", "digest", "fingerprint", "report")
    whole = {tuple(row[name] for name in columns) for row in reports}
    assert whole == {tuple(row[name] for name in columns) for row in before("select * from report")}
    assert sorted(row["student"] for row in reports if row["recorded"]) == ["ann", "ben", "cleo", "dan"]
    assert [(row["to"], row["student"], row["value"]) for row in exports] == [
        (row["to"], row["student"], float(row["value"])) for row in before("select * from export order by id")
    ]
    finished = before("select * from request")
    assert [{**row, "id": None} for row in requests] == [{**row, "id": None} for row in finished]


def test_the_audit_goes_on_with_a_line_for_each_save_that_had_none(former_course: Course) -> None:
    lines = list(audit_lines(former_course))
    old = before("select * from audit order by id")
    assert [(line["time"], line["student"], line["score"]) for line in lines[: len(old)]] == [
        (line["time"], line["student"], line["score"]) for line in old
    ]
    assert [line["question"] for line in lines if line["by"] == "uma"] == ["why"]
    added = [(one["student"], one["by"], one["question"], one["score"]) for one in lines[len(old) :]]
    assert added == [("ben", "tom", "why", 6.0), ("ben", "tom", "double", 4.75)]
    graders = {("tom", "01_small"): 2, ("uma", "01_small"): 1}
    assert read_graders(former_course, [small(former_course)]) == graders
    assert update_scores(former_course, small(former_course)) == ()
    assert list(audit_lines(former_course)) == lines


def test_scores_stay_and_the_file_is_put_aside_once(former_course: Course) -> None:
    scores = dump(former_course.root / "gradebook.db")
    works = {work.student: work for work in read_graded_work(former_course, [small(former_course)])}
    assert {name: work.report is not None for name, work in works.items()} == dict.fromkeys(works, True)
    assert dump(former_course.root / "gradebook.db") == scores
    assert gradebook_submission(former_course, "ben").score == 4.75
    names = {path.name for path in former_course.root.glob("*.db*")}
    assert names == {"autograder.db.bak", "gradebook.db"}
    load(former_course.root, "autograder")  # somebody puts the old file back
    assert len(list(audit_lines(former_course))) == len(before("select * from audit")) + 2


def test_a_course_that_had_only_collected_is_taken_over_without_a_gradebook(ready: Course) -> None:
    (ready.root / "gradebook.db").unlink()
    load(ready.root, "autograder")
    assert len(attempts_of(Submission(ready.root, "ann", "01_small"))) == 2
    assert list(audit_lines(ready))


def test_where_taking_over_is_stopped_nothing_has_happened(
    former_course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("autograder.records.former._of", stopped)
    with pytest.raises(KeyboardInterrupt):
        list(audit_lines(former_course))
    assert (former_course.root / "autograder.db").is_file()
    with closing(sqlite3.connect(former_course.root / "gradebook.db")) as connection:
        names = {name for (name,) in connection.execute("select name from sqlite_master")}
    assert names & {"autograder_attempt", "autograder_save"} == {"autograder_save"}
    monkeypatch.undo()
    assert list(audit_lines(former_course))


@pytest.mark.parametrize("name", ["audit.jsonl", "attempts/ann/01_small"])
def test_state_of_a_version_before_that_is_refused_and_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).touch()
    fix = ".* run `autograder requests` in this course, and"
    with (
        pytest.raises(UsageError, match=rf"{name}: was written before autograder.db existed; {fix}"),
        reading(tmp_path),
    ):
        pytest.fail("it was opened")
    assert not (tmp_path / "gradebook.db").exists()
