"""submitted/ is written whole or not at all, and only where it is meant to be."""

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from autograder.collecting.arrival import Arrival, Source
from autograder.collecting.entry import EntryError
from autograder.collecting.placing import Placing, place
from autograder.submission.submission import Submission

WHEN = datetime(2026, 3, 2, 18, tzinfo=UTC)


@pytest.fixture
def submission(tmp_path: Path) -> Submission:
    return Submission(tmp_path, "ada", "01_small")


def files(submission: Submission) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in submission.folder.iterdir()}


def test_a_notebook_and_its_time_are_written(submission: Submission) -> None:
    assert place(submission, b"1", Arrival(WHEN)) is Placing.NEW
    assert files(submission) == {"01_small.ipynb": "1", "timestamp.txt": "2026-03-02 18:00:00.000000 UTC"}


def test_the_same_again_changes_nothing(submission: Submission) -> None:
    place(submission, b"1", Arrival(WHEN))
    before = submission.notebook.stat()
    assert place(submission, b"1", Arrival(WHEN + timedelta(days=9))) is Placing.UNCHANGED
    assert submission.notebook.stat() == before
    assert files(submission)["timestamp.txt"] == "2026-03-02 18:00:00.000000 UTC"


def test_something_later_replaces_and_something_earlier_does_not(submission: Submission) -> None:
    place(submission, b"1", Arrival(WHEN))
    assert place(submission, b"2", Arrival(WHEN + timedelta(hours=1))) is Placing.REPLACED
    assert place(submission, b"1", Arrival(WHEN)) is Placing.OLDER
    assert files(submission) == {"01_small.ipynb": "2", "timestamp.txt": "2026-03-02 19:00:00.000000 UTC"}


def test_what_came_at_no_known_time_keeps_no_old_one(submission: Submission) -> None:
    place(submission, b"1", Arrival(WHEN))
    assert place(submission, b"2", Arrival()) is Placing.REPLACED
    assert files(submission) == {"01_small.ipynb": "2"}


def told(**more: Any) -> Arrival:
    return Arrival(source=Source.UNKNOWN, **more)


def test_what_a_platform_counts_decides_which_one_is_newer(submission: Submission) -> None:
    place(submission, b"1", told(upload=7, downloaded=WHEN))
    assert place(submission, b"2", told(upload=6, downloaded=WHEN + timedelta(1))) is Placing.OLDER
    assert place(submission, b"2", told(upload=8, downloaded=WHEN)) is Placing.REPLACED
    assert sorted(files(submission)) == ["01_small.ipynb", "collected.json"]
    assert place(submission, b"2", told(upload=5, downloaded=WHEN - timedelta(1))) is Placing.UNCHANGED
    assert place(submission, b"1", told(upload=7, downloaded=WHEN)) is Placing.OLDER
    assert place(submission, b"3", Arrival(WHEN)) is Placing.REPLACED
    assert sorted(files(submission)) == ["01_small.ipynb", "timestamp.txt"]


def test_of_two_downloads_with_one_time_told_the_later_one_counts(submission: Submission) -> None:
    place(submission, b"2", Arrival(WHEN, Source.GIVEN, downloaded=WHEN + timedelta(2)))
    for source, when in ((Source.GIVEN, WHEN), (Source.UNKNOWN, None)):
        older = Arrival(when, source, downloaded=WHEN + timedelta(1))
        assert place(submission, b"1", older) is Placing.OLDER
    assert place(submission, b"3", told(downloaded=WHEN + timedelta(3))) is Placing.REPLACED
    assert place(submission, b"2", Arrival(WHEN, Source.GIVEN, downloaded=WHEN)) is Placing.OLDER


def test_a_time_that_was_told_stays_until_another_is_told(submission: Submission) -> None:
    place(submission, b"1", Arrival(WHEN, Source.GIVEN))
    for arrival in (told(), Arrival(), Arrival(WHEN - timedelta(1))):
        assert place(submission, b"1", arrival) is Placing.UNCHANGED
    assert place(submission, b"1", Arrival(WHEN - timedelta(1), Source.GIVEN)) is Placing.RETIMED
    assert files(submission)["timestamp.txt"] == "2026-03-01 18:00:00.000000 UTC"
    assert place(submission, b"1", Arrival(source=Source.IGNORED)) is Placing.RETIMED
    assert list(files(submission)) == ["01_small.ipynb"]


def test_a_file_s_time_is_corrected_to_an_earlier_one_only(submission: Submission) -> None:
    place(submission, b"1", Arrival())
    assert place(submission, b"1", Arrival(WHEN)) is Placing.RETIMED
    assert place(submission, b"1", Arrival(WHEN + timedelta(1))) is Placing.UNCHANGED
    assert place(submission, b"1", Arrival(WHEN - timedelta(1))) is Placing.RETIMED
    assert place(submission, b"1", told()) is Placing.RETIMED
    assert place(submission, b"1", Arrival(WHEN)) is Placing.UNCHANGED
    assert sorted(files(submission)) == ["01_small.ipynb", "collected.json"]


def test_a_time_written_by_hand_stays_with_the_same_notebook(submission: Submission) -> None:
    place(submission, b"1", told())
    (submission.folder / "timestamp.txt").write_text("2026-03-01 12:00 CET", encoding="utf-8")
    assert place(submission, b"1", told()) is Placing.UNCHANGED
    assert files(submission)["timestamp.txt"] == "2026-03-01 12:00 CET"


@pytest.mark.parametrize(
    "content",
    [
        *("[]", "{", "null", '{"time": 5}', '{"upload": "9"}', '{"downloaded": 1}', "[" * 900),
        *('{"downloaded": "2026-03-01"}', '{"time": "told", "upload": true}', "\xff"),
    ],
)
def test_whatever_stands_in_the_record_the_notebook_goes_in(submission: Submission, content: str) -> None:
    place(submission, b"1", told(upload=9, downloaded=WHEN))
    (submission.folder / "collected.json").write_text(content, encoding="latin-1")
    assert place(submission, b"2", told(upload=10, downloaded=WHEN)) is Placing.REPLACED


def test_a_time_of_a_person_s_own_is_no_hindrance(submission: Submission) -> None:
    place(submission, b"1", Arrival())
    (submission.folder / "timestamp.txt").write_text("last week", encoding="utf-8")
    assert place(submission, b"2", Arrival(WHEN)) is Placing.REPLACED


@pytest.mark.parametrize("link", ["submitted", "submitted/ada", "submitted/ada/01_small"])
def test_no_folder_on_the_way_may_be_a_link(submission: Submission, tmp_path: Path, link: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    path = submission.root / link
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(elsewhere)
    with pytest.raises(EntryError, match="is a link or no folder"):
        place(submission, b"1", Arrival(WHEN))
    assert not list(elsewhere.iterdir())


def _folder(path: Path) -> None:
    path.mkdir()


def _link(path: Path) -> None:
    path.symlink_to(path.parents[3] / "canary")


@pytest.mark.parametrize("name", ["01_small.ipynb", "timestamp.txt", "collected.json"])
@pytest.mark.parametrize("make", [os.mkfifo, _folder, _link])
def test_only_plain_files_are_replaced(
    submission: Submission, make: Callable[[Path], None], name: str
) -> None:
    canary = submission.root / "canary"
    canary.write_text("alive", encoding="utf-8")
    submission.folder.mkdir(parents=True)
    make(submission.folder / name)
    with pytest.raises(EntryError, match="is no plain file; delete it"):
        place(submission, b"1", Arrival(WHEN))
    assert canary.read_text(encoding="utf-8") == "alive"


@pytest.mark.parametrize(("present", "student"), [("Ada", "ada"), ("ADA", "ada"), ("\u212aim", "kim")])
def test_names_that_differ_in_case_do_not_share_a_folder(tmp_path: Path, present: str, student: str) -> None:
    (tmp_path / "submitted" / present).mkdir(parents=True)
    with pytest.raises(EntryError, match=f'has "{present}" already'):
        place(Submission(tmp_path, student, "01_small"), b"1", Arrival(WHEN))
    assert [path.name for path in (tmp_path / "submitted").iterdir()] == [present]


def test_a_full_disk_leaves_what_was_there(submission: Submission, monkeypatch: pytest.MonkeyPatch) -> None:
    place(submission, b"1", Arrival())

    def full(*arguments: object, **more: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("autograder.files.os.replace", full)
    with pytest.raises(EntryError, match="cannot be written: No space left on device"):
        place(submission, b"2", Arrival())
    assert files(submission) == {"01_small.ipynb": "1"}
