"""Everything that was handed in is kept, in whatever order it comes."""

import json
from datetime import UTC, datetime, timedelta
from itertools import permutations
from pathlib import Path

import pytest

from autograder.collecting.arrival import Arrival, Source
from autograder.collecting.attempts import attempts_of, keep, submit
from autograder.collecting.entry import EntryError
from autograder.collecting.placing import Placing, place
from autograder.submission.submission import Submission

WHEN = datetime(2026, 3, 2, 18, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def submission(tmp_path: Path) -> Submission:
    return Submission(tmp_path, "ada", "01_small")


def kept(submission: Submission) -> list[str]:
    """Return the texts of all attempts, the newest last."""
    return [one.notebook("01_small").read_text(encoding="utf-8") for one in attempts_of(submission)]


def counting(submission: Submission) -> tuple[str, str]:
    time = submission.folder / "timestamp.txt"
    return submission.notebook.read_text(), time.read_text() if time.exists() else ""


@pytest.mark.parametrize("order", list(permutations("123")))
def test_in_whatever_order_archives_are_collected_all_is_kept_and_the_newest_counts(
    submission: Submission, order: tuple[str, ...]
) -> None:
    for _ in range(2):  # and collecting all of it again changes nothing
        for name in order:
            place(submission, name.encode(), Arrival(WHEN + int(name) * HOUR))
        assert kept(submission) == ["1", "2", "3"]
        assert counting(submission) == ("3", "2026-03-02 21:00:00.000000 UTC")


def test_the_same_bytes_are_no_new_attempt_unless_something_else_came_between(submission: Submission) -> None:
    for _ in range(2):  # and collecting all of it again changes nothing
        for hours, text in enumerate("11211"):
            place(submission, text.encode(), Arrival(WHEN + hours * HOUR, Source.GIVEN))
        assert counting(submission) == ("1", "2026-03-02 22:00:00.000000 UTC")
    assert kept(submission) == ["1", "2", "1"]


def test_a_copy_of_an_older_folder_brings_nothing_back(submission: Submission) -> None:
    for hours, text in enumerate("12"):
        place(submission, text.encode(), Arrival(WHEN + hours * HOUR))
    assert place(submission, b"1", Arrival(WHEN + 99 * HOUR)) is Placing.OLDER
    assert (kept(submission), counting(submission)[0]) == (["1", "2"], "2")


def test_without_any_time_an_archive_that_is_collected_again_brings_nothing_back(
    submission: Submission,
) -> None:
    untimed = Arrival(source=Source.IGNORED)
    seen = [place(submission, text, untimed) for text in (b"1", b"2", b"1", b"2")]
    assert seen == [Placing.NEW, Placing.REPLACED, Placing.OLDER, Placing.UNCHANGED]
    assert (kept(submission), counting(submission)) == (["1", "2"], ("2", ""))


UNKNOWN, GIVEN = Source.UNKNOWN, Source.GIVEN
MAILED = Arrival(source=Source.IGNORED)


@pytest.mark.parametrize(
    "again",
    [
        Arrival(None, UNKNOWN, downloaded=WHEN),
        Arrival(None, UNKNOWN, downloaded=WHEN + HOUR),
        Arrival(None, UNKNOWN),
        Arrival(WHEN - HOUR, GIVEN, downloaded=WHEN),
        Arrival(WHEN - HOUR, GIVEN, downloaded=WHEN + HOUR),
        Arrival(None, UNKNOWN, upload=7, downloaded=WHEN),
    ],
)
def test_what_a_platform_still_has_does_not_replace_what_came_by_mail(
    submission: Submission, again: Arrival
) -> None:
    place(submission, b"platform's", Arrival(None, UNKNOWN, upload=again.upload, downloaded=WHEN))
    for _ in range(3):
        place(submission, b"mailed", MAILED)
        assert place(submission, b"platform's", again) is Placing.OLDER
        assert (kept(submission), counting(submission)[0]) == (["platform's", "mailed"], "mailed")


def test_an_older_download_replaces_nothing_that_came_by_mail_after_a_newer_one(
    submission: Submission,
) -> None:
    place(submission, b"2", Arrival(None, UNKNOWN, downloaded=WHEN))
    place(submission, b"mailed", MAILED)
    assert place(submission, b"1", Arrival(None, UNKNOWN, downloaded=WHEN - HOUR)) is Placing.OLDER
    assert (kept(submission), counting(submission)[0]) == (["1", "2", "mailed"], "mailed")


def test_the_newest_once_more_by_mail_brings_nothing_older_back(submission: Submission) -> None:
    place(submission, b"2", Arrival(WHEN, GIVEN))
    place(submission, b"1", Arrival(WHEN - HOUR, GIVEN))
    place(submission, b"2", MAILED)
    assert counting(submission)[0] == "2"


def test_two_downloads_without_times_may_alternate(submission: Submission) -> None:
    downloads = [(text, Arrival(None, UNKNOWN, downloaded=WHEN + n * HOUR)) for n, text in enumerate("121")]
    for archive in (0, 1, 0, 1, 2, 0, 2, 1, 0):
        text, arrival = downloads[archive]
        place(submission, text.encode(), arrival)
    assert kept(submission) == ["1", "2", "1"]
    assert place(submission, b"1", downloads[0][1]) is Placing.UNCHANGED
    assert counting(submission)[0] == "1"


def test_a_corrected_time_settles_which_one_is_the_newest(submission: Submission) -> None:
    place(submission, b"1", Arrival(WHEN, GIVEN))
    archive = WHEN + 9 * HOUR
    place(submission, b"2", Arrival(WHEN + HOUR, GIVEN, downloaded=archive))
    assert place(submission, b"2", Arrival(WHEN - HOUR, GIVEN, downloaded=archive)) is Placing.REPLACED
    assert (kept(submission), counting(submission)[0]) == (["2", "1"], "1")


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


def test_a_time_that_is_told_later_reaches_the_attempt_and_the_one_that_counts(
    submission: Submission,
) -> None:
    for number, text in enumerate((b"1", b"2")):
        place(submission, text, Arrival(None, Source.UNKNOWN, upload=number))
    assert place(submission, b"2", Arrival(WHEN, Source.GIVEN, upload=1)) is Placing.RETIMED
    assert place(submission, b"1", Arrival(WHEN - HOUR, Source.GIVEN, upload=0)) is Placing.OLDER
    assert [one.arrival.when for one in attempts_of(submission)] == [WHEN - HOUR, WHEN]
    assert counting(submission) == ("2", "2026-03-02 18:00:00.000000 UTC")


def test_where_we_are_killed_on_the_way_collecting_again_mends_it(
    submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each write is the last one once; then the same archives are collected again."""

    class KilledError(BaseException):
        pass

    import os

    real = {"replace": os.replace, "unlink": os.unlink, "rename": os.rename, "mkdir": os.mkdir}
    for last in range(40):
        root = submission.root / str(last)
        root.mkdir()
        one, left = Submission(root, "ada", "01_small"), [last]
        place(one, b"1", Arrival(WHEN))

        def counted(name: str, *arguments: object, left: list[int] = left, **more: object) -> object:
            left[0] -= 1
            if left[0] < 0:
                raise KilledError
            return real[name](*arguments, **more)  # type: ignore[operator]

        with monkeypatch.context() as patch:
            for name in real:
                patch.setattr(os, name, lambda *a, name=name, **m: counted(name, *a, **m))
            try:
                place(one, b"2", Arrival(WHEN + HOUR))
                whole = True
            except KilledError:
                whole = False
        text, time = counting(one)
        assert time in (
            "",
            {"1": "2026-03-02 18:00:00.000000 UTC", "2": "2026-03-02 19:00:00.000000 UTC"}[text],
        )
        place(one, b"1", Arrival(WHEN))
        place(one, b"2", Arrival(WHEN + HOUR))
        assert kept(one) == ["1", "2"]
        assert counting(one) == ("2", "2026-03-02 19:00:00.000000 UTC")
        if whole:
            break
    else:
        pytest.fail("placing a notebook takes more than 40 steps")


def test_the_secret_by_which_a_page_returns_stays_with_its_notebook(submission: Submission) -> None:
    place(submission, b"1", Arrival(WHEN), secret=b"one")
    place(submission, b"2", Arrival(WHEN + HOUR), secret=b"two")
    secrets = [(one.folder / "submission_secret.txt").read_text() for one in attempts_of(submission)]
    assert secrets == ["one", "two"]
    assert (submission.folder / "submission_secret.txt").read_text() == "two"
    place(submission, b"3", Arrival(WHEN + 2 * HOUR))
    assert not (submission.folder / "submission_secret.txt").exists()


def test_only_our_own_folders_are_attempts_and_no_link_is_followed(
    submission: Submission, tmp_path: Path
) -> None:
    keep(submission, b"1", {})
    (only,) = attempts_of(submission)
    for name in (".0a.part", "notes", "01-" + "a" * 64, "2-abc"):
        (only.folder.parent / name).mkdir()
    assert attempts_of(submission) == (only,)
    (only.folder.parent / f"2-{'b' * 64}").symlink_to(tmp_path)
    with pytest.raises(EntryError, match="is a link or no folder"):
        attempts_of(submission)


def test_an_attempt_has_the_form_of_a_submission(submission: Submission) -> None:
    place(submission, b"1", Arrival(WHEN, Source.GIVEN, upload=4))
    (one,) = attempts_of(submission)
    names = ["01_small.ipynb", "collected.json", "timestamp.txt"]
    assert sorted(path.name for path in one.folder.iterdir()) == names
    assert [(one.folder / name).read_bytes() for name in names] == [
        (submission.folder / name).read_bytes() for name in names
    ]
    assert json.loads((one.folder / "collected.json").read_text())["upload"] == 4
    assert submit(submission, b"1", {}) is False
