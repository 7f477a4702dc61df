"""What earlier versions kept in files goes into autograder.db, whole and once."""

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from autograder.collecting.attempts import attempts_of
from autograder.course.course import Course
from autograder.gradebook.attempts import stored_reports
from autograder.gradebook.audit import audit_lines
from autograder.publishing.export import Exports
from autograder.publishing.regrade_requests import RegradeRequests
from autograder.submission import takeover
from autograder.submission.store import reading, writing
from autograder.submission.submission import Submission
from autograder.tests.classroom import small
from autograder.tests.gradebook.rows import full_marks

ARRIVAL = {
    "time": "nobody",
    "upload": 7,
    "downloaded": "2026-03-01T00:00:00+00:00",
    "number": "4711",
    "late": True,
}
AUDIT = {
    "before": None,
    "penalty": 0.0,
    "questions": {"double": [2.0, None, None], "why": [None, 1.5, None]},
    "digests": {"notebook": "4831", "environment": "3.11.7"},
    "saved": "2026-11-25T22:15:53.263200+00:00",
}
WHY = ["new", "by hand", "renamed from ann"]


def line(why: str, score: float, student: str) -> dict[str, object]:
    about = {"time": "2026-11-25T22:15:53+00:00", "student": student, "exercise": "01_small", "why": why}
    return {**about, **AUDIT, "score": score}


def write(path: Path, content: bytes | str | dict[str, object] | list[dict[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, list):
        content = "".join(json.dumps(one) + "\n" for one in content)
    text = json.dumps(content) if isinstance(content, dict) else content
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def attempt(course: Course, student: str, number: int, content: bytes, **beside: object) -> None:
    digest = hashlib.sha256(content).hexdigest()
    folder = course.root / "attempts" / student / "01_small" / f"{number}-{digest}"
    write(folder / "01_small.ipynb", content)
    for name, text in beside.items():
        write(folder / name.replace("_json", ".json").replace("_txt", ".txt"), text)  # type: ignore[arg-type]


@pytest.fixture
def earlier(course: Course) -> Course:
    """Return a course with the files that an earlier version has written; ann was renamed to ada.l."""
    root, report = course.root, full_marks(small(course)).report.as_dict()
    graded = {"fingerprint": "7c45", "report": report}
    told = {"when": "2026-02-27T09:00:00+00:00", "shown": True}
    attempt(course, "ada.l", 2, b"2", timestamp_txt="2026-03-01 16:36:00.000000 UTC")
    attempt(
        course, "ada.l", 1, b"1",
        timestamp_txt="2026-03-01 16:00:00.000000 UTC", graded_json=graded, told_json=told,
    )  # fmt: skip
    attempt(course, "cleo", 1, b"1", collected_json=ARRIVAL, submission_secret_txt="secret", graded_json="[")
    (root / "attempts" / "ben").symlink_to(root / "attempts" / "cleo")
    lines = [line(WHY[0], 5.0, "ann"), line(WHY[1], 6.5, "ann"), line(WHY[2], 6.5, "ada.l")]
    write(root / "audit.jsonl", [*lines, {"cut": "off"}])
    renamed: dict[str, object] = {
        "time": "2026-11-25T22:15:54+00:00",
        "student": "ada.l",
        "renamed from": "ann",
    }
    went: dict[str, object] = {"ann": 6.5, "ben": 5.0}
    about: dict[str, object] = {"time": "2026-11-25T22:15:54+00:00", "exercise": "01_small"}
    write(root / "exports.jsonl", [{**about, "to": "canvas", "grades": went}, renamed])
    digest = "b2676578caa738aa8d750c9127b137826986b6279e354008b7ae91463af2c209"
    write(
        root / "regrade_done.jsonl",
        [{**about, "student": "ann", "question": "why", "digest": digest}, renamed],
    )
    write(
        root / "regrade_requests.csv", "student,exercise,question,reason\nada.l,01_small,why,Read it again.\n"
    )
    write(root / "build" / "reports" / "01_small" / "ada.l.json", report)
    return course


def test_everything_is_taken_over(earlier: Course) -> None:
    root = earlier.root
    mine, other = (Submission(root, student, "01_small") for student in ("ada.l", "cleo"))
    first, second = attempts_of(mine)
    assert [one.notebook.read_bytes() for one in (first, second)] == [b"1", b"2"]
    assert (first.time, second.time) == ("2026-03-01 16:00:00.000000 UTC", "2026-03-01 16:36:00.000000 UTC")
    assert (first.told, first.shown, second.told) == (datetime(2026, 2, 27, 9, tzinfo=UTC), True, None)
    (one,) = attempts_of(other)
    assert (one.arrival.record, one.secret) == (ARRIVAL, b"secret")
    stored = stored_reports(mine)[first.digest]
    assert (stored.report, stored.fingerprint) == (full_marks(small(earlier)).report, "7c45")
    assert stored_reports(other) == {}
    assert attempts_of(Submission(root, "ben", "01_small")) == ()
    story = list(audit_lines(earlier))
    assert [(one["student"], one["why"], one["score"]) for one in story] == [
        ("ada.l", WHY[0], 5.0),
        ("ada.l", WHY[1], 6.5),
        ("ada.l", WHY[2], 6.5),
    ]
    assert all(one[key] == AUDIT[key] for one in story for key in ("penalty", "questions", "digests"))
    assert Exports(earlier, "canvas").changed("01_small", {"ada.l": 6.5, "ben": 4.0}) == {"ben"}
    assert RegradeRequests(earlier).rows == {}
    assert not any((root / name).exists() for name in ("audit.jsonl", "exports.jsonl", "attempts/ada.l"))
    assert (root / takeover.OLD / "audit.jsonl").is_file()
    before = [list(audit_lines(earlier)), attempts_of(mine)]
    write(root / "audit.jsonl", [line("a stranger's", 0.0, "ann")])
    assert [list(audit_lines(earlier)), attempts_of(mine)] == before


def test_where_it_is_stopped_nothing_is_lost_and_nothing_is_there_twice(
    earlier: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    class KilledError(BaseException):
        pass

    def killed(*_: object) -> None:
        raise KilledError

    monkeypatch.setattr(Path, "rename", killed)
    with pytest.raises(KilledError), writing(earlier.root):
        pass
    monkeypatch.undo()
    assert len(attempts_of(Submission(earlier.root, "ada.l", "01_small"))) == 2
    assert len(list(audit_lines(earlier))) == 3


def test_a_course_without_any_state_gets_no_database_by_looking(course: Course) -> None:
    with reading(course.root):
        assert list(audit_lines(course)) == []
    assert list(course.root.glob("autograder.db*")) == []
