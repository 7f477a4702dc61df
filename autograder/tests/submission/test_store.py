"""The course's own database: nothing is made by looking, and the state of an earlier version is refused."""

from pathlib import Path

import pytest
from sqlalchemy.exc import IntegrityError

from autograder.errors import UsageError
from autograder.submission.store import EXPORTS, reading, writing

ROW = {"time": "2026-03-01", "to": "canvas", "exercise": "01_small", "student": "ann"}


def test_a_course_without_any_state_gets_no_database_by_looking(tmp_path: Path) -> None:
    with reading(tmp_path) as store:
        assert store.execute(EXPORTS.select()).all() == []
    assert list(tmp_path.iterdir()) == []


def test_what_a_stopped_block_has_written_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "autograder.db").touch()  # left by a process that was stopped before it made the tables
    with reading(tmp_path) as store:
        assert store.execute(EXPORTS.select()).all() == []
    with pytest.raises(IntegrityError), writing(tmp_path) as store:
        store.execute(EXPORTS.insert(), [ROW, {**ROW, "student": None}])
    with writing(tmp_path) as store:
        assert store.execute(EXPORTS.select()).all() == []


@pytest.mark.parametrize("name", ["audit.jsonl", "exports.jsonl", "attempts/ann/01_small"])
def test_state_of_an_earlier_version_is_refused_and_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).touch()
    for opened in (reading, writing):
        with (
            pytest.raises(UsageError, match=rf"{name}: is of a version .* run any command"),
            opened(tmp_path),
        ):
            pytest.fail("it was opened")
    assert not (tmp_path / "autograder.db").exists()
