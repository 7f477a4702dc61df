"""Everything that is handed in is kept, in whatever order, and the newest lies whole in submitted/."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import permutations
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from autograder.collecting.archive import EntryError
from autograder.collecting.attempts import Arrival, Placing, Source, adopt, arrival_of, attempts_of, place
from autograder.submission.submission import Submission

WHEN = datetime(2026, 3, 2, 18, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def submission(tmp_path: Path) -> Submission:
    return Submission(tmp_path, "ada", "01_small")


def files(submission: Submission) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in submission.folder.iterdir()}


def kept(submission: Submission) -> list[str]:
    """Return the texts of all attempts, the newest last."""
    return [one.notebook.read_text(encoding="utf-8") for one in attempts_of(submission)]


def counting(submission: Submission) -> tuple[str, str]:
    time = submission.folder / "timestamp.txt"
    return submission.notebook.read_text(), time.read_text() if time.exists() else ""


NEW, REPLACED, SAME, RETIMED, OLDER = Placing


def at(hour: float | None) -> datetime | None:
    return None if hour is None else WHEN + hour * HOUR


def file(hour: float | None = None) -> Arrival:
    return Arrival(at(hour))


def given(hour: float, downloaded: float | None = None, upload: int | None = None) -> Arrival:
    return Arrival(at(hour), Source.GIVEN, upload, at(downloaded))


def untold(downloaded: float | None = None, upload: int | None = None, **more: Any) -> Arrival:
    return Arrival(None, Source.UNKNOWN, upload, at(downloaded), **more)


MAILED = Arrival(source=Source.IGNORED)
# What comes, one after another, and what becomes of each; all attempts in the end, the newest last; its time.
STORIES: dict[str, tuple[list[tuple[str, Arrival, Placing]], str, str]] = {
    "something later replaces and something earlier does not": (
        [("1", file(0), NEW), ("2", file(1), REPLACED), ("1", file(0), OLDER), ("1", file(99), OLDER)],
        "12", "03-02 19:00",
    ),
    "what came at no known time keeps no old one": ([("1", file(0), NEW), ("2", file(), REPLACED)], "12", ""),
    "what a platform counts decides": (
        [
            ("1", untold(0, 7), NEW), ("2", untold(24, 6), OLDER), ("2", untold(0, 8), REPLACED),
            ("2", untold(-24, 5), SAME), ("1", untold(0, 7), OLDER), ("3", file(0), REPLACED),
        ], "123", "03-02 18:00",
    ),
    "of two downloads with one time the later one counts": (
        [
            ("2", given(0, 48), NEW), ("1", given(0, 24), OLDER), ("1", untold(24), OLDER),
            ("3", untold(72), REPLACED), ("2", given(0, 0), OLDER),
        ], "123", "",
    ),
    "a time that was given stays until another is given": (
        [
            ("1", given(0), NEW), ("1", untold(), SAME), ("1", file(), SAME), ("1", file(-24), SAME),
            ("1", given(-24), RETIMED),
        ], "1", "03-01 18:00",
    ),
    "who believes no time takes it away": ([("1", given(0), NEW), ("1", MAILED, RETIMED)], "1", ""),
    "a file's time is corrected to an earlier one only": (
        [
            ("1", file(), NEW), ("1", file(0), RETIMED), ("1", file(24), SAME), ("1", file(-24), RETIMED),
            ("1", untold(), RETIMED), ("1", file(0), SAME),
        ], "1", "",
    ),
    "without any time what comes again brings nothing back": (
        [("1", MAILED, NEW), ("2", MAILED, REPLACED), ("1", MAILED, OLDER), ("2", MAILED, SAME)], "12", "",
    ),
    "an older download does not replace what came by mail": (
        [("2", untold(0), NEW), ("3", MAILED, REPLACED), ("1", untold(-1), OLDER)], "123", "",
    ),
    "a corrected time settles which one is the newest": (
        [("1", given(0), NEW), ("2", given(1, 9), REPLACED), ("2", given(-1, 9), REPLACED)],
        "21", "03-02 18:00",
    ),
    "the same bytes are one attempt, which counts again if they come last": (
        [
            ("1", given(0), NEW), ("1", given(1), RETIMED), ("2", given(2), REPLACED),
            ("1", given(3), REPLACED), ("2", given(2), OLDER), ("1", given(4), RETIMED),
        ], "21", "03-02 22:00",
    ),
    "two downloads without times may alternate": (
        [
            ("1", untold(0), NEW), ("2", untold(1), REPLACED), ("1", untold(0), OLDER),
            ("2", untold(1), SAME), ("1", untold(2), REPLACED), ("1", untold(0), SAME),
            ("2", untold(1), OLDER),
        ], "21", "",
    ),
    **{
        f"what a platform still has does not replace what came by mail, {again}": (
            [("1", untold(0, again.upload), NEW), ("2", MAILED, REPLACED), ("1", again, OLDER)]
            + [("2", MAILED, SAME), ("1", again, OLDER)] * 2,
            "12", "",
        )
        for again in (untold(0), untold(1), untold(), given(-1, 0), given(-1, 1), untold(0, 7))
    },
    "a time that is given later reaches the attempt": (
        [
            ("1", untold(upload=0), NEW), ("2", untold(upload=1), REPLACED),
            ("2", given(0, None, 1), RETIMED), ("1", given(-1, None, 0), OLDER),
        ], "12", "03-02 18:00",
    ),
}  # fmt: skip


@pytest.mark.parametrize("story", STORIES)
def test_all_is_kept_and_the_newest_counts(submission: Submission, story: str) -> None:
    steps, attempts, time = STORIES[story]
    for text, arrival, expected in steps:
        written = submission.notebook.stat().st_ino if submission.folder.exists() else 0
        assert place(submission, text.encode(), arrival) is expected
        assert (submission.notebook.stat().st_ino != written) is (expected in (NEW, REPLACED))
    assert kept(submission) == list(attempts)
    assert counting(submission) == (attempts[-1], time and f"2026-{time}:00.000000 UTC")


@pytest.mark.parametrize("time", ["2026-03-01 12:00 CET", "last week"])
def test_a_time_written_by_hand_stays_with_the_same_notebook_alone(submission: Submission, time: str) -> None:
    place(submission, b"1", untold())
    (submission.folder / "timestamp.txt").write_text(time, encoding="utf-8")
    assert place(submission, b"1", untold()) is SAME
    assert files(submission)["timestamp.txt"] == time
    assert place(submission, b"2", Arrival(WHEN)) is REPLACED


@pytest.mark.parametrize("link", ["submitted", "submitted/ada", "submitted/ada/01_small"])
def test_no_folder_on_the_way_may_be_a_link(submission: Submission, tmp_path: Path, link: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    path = submission.root / link
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(elsewhere)
    with pytest.raises(EntryError, match="is a link or not a folder"):
        place(submission, b"1", Arrival(WHEN))
    assert not list(elsewhere.iterdir())


@pytest.mark.parametrize("name", ["01_small.ipynb", "timestamp.txt", "submission_secret.txt"])
@pytest.mark.parametrize(
    "make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to(path.parents[3] / "canary")]
)
def test_only_plain_files_are_replaced(
    submission: Submission, make: Callable[[Path], None], name: str
) -> None:
    canary = submission.root / "canary"
    canary.write_text("alive", encoding="utf-8")
    submission.folder.mkdir(parents=True)
    make(submission.folder / name)
    with pytest.raises(EntryError, match="is not a plain file; delete it"):
        place(submission, b"1", Arrival(WHEN))
    assert canary.read_text(encoding="utf-8") == "alive"


@pytest.mark.parametrize(("present", "student"), [("Ada", "ada"), ("ADA", "ada"), ("\u212aim", "kim")])
def test_names_that_differ_in_case_do_not_share_a_folder(tmp_path: Path, present: str, student: str) -> None:
    (tmp_path / "submitted" / present).mkdir(parents=True)
    with pytest.raises(EntryError, match=f'has "{present}", so it cannot have "{student}": some'):
        place(Submission(tmp_path, student, "01_small"), b"1", Arrival(WHEN))
    assert [path.name for path in (tmp_path / "submitted").iterdir()] == [present]


def test_a_full_disk_leaves_what_was_there(submission: Submission, monkeypatch: pytest.MonkeyPatch) -> None:
    place(submission, b"1", Arrival())
    full = Mock(side_effect=OSError(28, "No space left on device"))
    monkeypatch.setattr("autograder.files.os.replace", full)
    with pytest.raises(EntryError, match="cannot be written: No space left on device"):
        place(submission, b"2", Arrival())
    assert files(submission) == {"01_small.ipynb": "1"}


@pytest.mark.parametrize("order", list(permutations("123")))
def test_in_whatever_order_archives_are_collected_all_is_kept_and_the_newest_counts(
    submission: Submission, order: tuple[str, ...]
) -> None:
    for _ in range(2):  # and collecting all of it again changes nothing
        for name in order:
            place(submission, name.encode(), Arrival(WHEN + int(name) * HOUR))
        assert kept(submission) == ["1", "2", "3"]
        assert counting(submission) == ("3", "2026-03-02 21:00:00.000000 UTC")


def test_the_newest_once_more_by_mail_brings_nothing_older_back(submission: Submission) -> None:
    for text, arrival in ((b"2", given(0)), (b"1", given(-1)), (b"2", MAILED)):
        place(submission, text, arrival)
    assert counting(submission) == ("2", "")


def test_what_came_another_way_than_by_collecting_is_kept_before_it_is_replaced(
    submission: Submission,
) -> None:
    submission.folder.mkdir(parents=True)
    submission.notebook.write_text("by hand")
    (submission.folder / "timestamp.txt").write_text("2026-03-01 12:00:00.000000 UTC")
    place(submission, b"later", Arrival(WHEN))
    assert kept(submission) == ["by hand", "later"]
    (submission.folder / "timestamp.txt").write_text("2026-03-05 12:00:00.000000 UTC")
    assert place(submission, b"between", Arrival(WHEN + HOUR)) is Placing.OLDER
    assert kept(submission) == ["by hand", "between", "later"]


class KilledError(BaseException):
    """What happens to us is nothing that we handle."""


def killed(real: Callable[..., object], writes: Iterator[int]) -> Callable[..., object]:
    """Return a function that writes so long as there are `writes` left."""

    def write(*arguments: object, **more: object) -> object:
        if next(writes, None) is None:
            raise KilledError
        return real(*arguments, **more)

    return write


def test_where_we_are_killed_on_the_way_collecting_again_mends_it(
    submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each write is the last one once; then the same archives are collected again."""
    times = {"1": "2026-03-02 18:00:00.000000 UTC", "2": "2026-03-02 19:00:00.000000 UTC"}
    for last in range(40):
        one, writes = Submission(submission.root / str(last), "ada", "01_small"), iter(range(last))
        one.root.mkdir()
        place(one, b"1", Arrival(WHEN))
        with monkeypatch.context() as patch, suppress(KilledError):
            for name in ("replace", "unlink", "rename", "mkdir"):
                patch.setattr(os, name, killed(getattr(os, name), writes))
            place(one, b"2", Arrival(WHEN + HOUR))
            break  # whole, without being killed
        text, time = counting(one)
        assert time in ("", times[text])
        place(one, b"1", Arrival(WHEN))
        place(one, b"2", Arrival(WHEN + HOUR))
        assert kept(one) == ["1", "2"]
        assert counting(one) == ("2", times["2"])
    assert 3 < last < 39


def test_the_secret_by_which_a_page_returns_stays_with_its_notebook(submission: Submission) -> None:
    place(submission, b"1", Arrival(WHEN), secret=b"one")
    place(submission, b"2", Arrival(WHEN + HOUR), secret=b"two")
    assert [one.secret for one in attempts_of(submission)] == [b"one", b"two"]
    assert (submission.folder / "submission_secret.txt").read_text() == "two"
    place(submission, b"3", Arrival(WHEN + 2 * HOUR))
    assert not (submission.folder / "submission_secret.txt").exists()


def test_the_last_secret_counts_if_the_same_bytes_come_again(submission: Submission) -> None:
    for hour, text in enumerate((b"1", b"2", b"1")):
        place(submission, text, given(hour), secret=b"secret %d" % hour)
    assert [one.secret for one in attempts_of(submission)] == [b"secret 1", b"secret 2"]
    assert (submission.folder / "submission_secret.txt").read_text() == "secret 2"


def test_equal_bytes_lie_in_one_file_and_a_link_is_not_followed(tmp_path: Path) -> None:
    for student in ("ada", "ben"):
        place(Submission(tmp_path, student, "01_small"), b"1", Arrival(WHEN))
        (only,) = (tmp_path / "attempts").iterdir()
        (attempt,) = attempts_of(Submission(tmp_path, student, "01_small"))
        assert attempt.notebook == only
    only.unlink()
    (tmp_path / "attempts").rmdir()
    (tmp_path / "attempts").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(EntryError, match="attempts/ is a link"):
        place(Submission(tmp_path, "cleo", "01_small"), b"2", Arrival(WHEN))


def test_what_else_is_known_of_a_time_is_known_of_the_notebook_that_counts(submission: Submission) -> None:
    place(submission, b"1", untold(upload=4, number="7", late=True))
    assert (arrival_of(submission).upload, arrival_of(submission).is_late_untimed) == (4, True)
    (submission.folder / "timestamp.txt").write_text("2026-03-01 12:00:00.000000 UTC", encoding="utf-8")
    adopt(submission)
    assert (arrival_of(submission).number, arrival_of(submission).is_late_untimed) == ("7", False)
