"""What of a submission's folder cannot be given to nbgrader, and which files beside the notebook can."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.collecting.archive import EntryError
from autograder.collecting.attempts import TIMESTAMP, adopt
from autograder.course.course import Course
from autograder.gradebook.attempts import MAX_FILES, refusal
from autograder.submission.submission import Submission
from autograder.tests.classroom import hand_in


@pytest.fixture
def submission(course: Course) -> Submission:
    """Return a submission with which nothing is wrong."""
    return hand_in(course, "ann", "{}", late="2026-01-31 12:00:00 UTC")


def test_a_folder_that_is_not_there_is_fine_as_its_notebook_is_missing_and_no_more(course: Course) -> None:
    assert refusal(Submission(course.root, "nobody", "01_small")) == ""


def test_a_name_that_is_no_id_is_refused_with_what_to_do(course: Course) -> None:
    why = refusal(hand_in(course, "=cmd()", "{}"))
    assert why == "is not a student's id; use letters, digits and . _ @ + -, and rename the folder"


@pytest.mark.parametrize("linked", ["01_small", ""])
def test_a_folder_that_is_a_link_is_refused(submission: Submission, tmp_path: Path, linked: str) -> None:
    path = submission.folder.parent / linked
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert refusal(submission) == "the folder is a link; put the files themselves there"


def test_more_files_than_nbgrader_should_look_at_are_refused(submission: Submission) -> None:
    for number in range(MAX_FILES - 2):
        (submission.folder / f"{number}.txt").touch()
    assert refusal(submission) == ""
    (submission.folder / "one_more.txt").touch()
    assert refusal(submission) == "the folder holds more than 200 files; leave only the notebook in it"


NO_TIME: dict[str, Callable[[Path], object]] = {
    "words": lambda path: path.write_text("yesterday, honestly"),
    "an impossible day": lambda path: path.write_text("2026-02-31 12:00:00 UTC"),
    "before all time": lambda path: path.write_text("0001-01-01 00:00:00 +1400"),
    "no text": lambda path: path.write_bytes(b"\xff\xfe"),
    "too long": lambda path: path.write_text(" " * 1001),
    "a FIFO": os.mkfifo,
    "a folder": lambda path: path.mkdir(),
    "a link": lambda path: path.symlink_to("/etc/hostname"),
    "a broken link": lambda path: path.symlink_to("nowhere"),
}


@pytest.mark.parametrize("kind", NO_TIME)
def test_a_time_that_is_none_is_refused_with_what_to_do(submission: Submission, kind: str) -> None:
    path = submission.folder / TIMESTAMP
    path.unlink()
    NO_TIME[kind](path)
    assert refusal(submission) == (
        "timestamp.txt is not a time; write one such as 2026-01-31 12:00:00 UTC, or delete it"
    )


@pytest.mark.parametrize("text", ["2026-01-31 12:00:00 UTC", "2026-01-31T12:00:00+01:00\n", "2026-01-31", ""])
def test_a_time_that_nbgrader_can_read_is_fine(submission: Submission, text: str) -> None:
    (submission.folder / TIMESTAMP).write_text(text, encoding="utf-8")
    assert refusal(submission) == ""


def test_only_the_small_files_that_nbgrader_needs_go_beside_the_notebook(submission: Submission) -> None:
    secret, helper = submission.folder / "submission_secret.txt", submission.folder / "helper.py"
    secret.write_text("s" * 1000, encoding="utf-8")
    helper.write_text("x = 1", encoding="utf-8")
    (attempt,) = adopt(submission)
    assert (attempt.time, attempt.secret) == ("2026-01-31 12:00:00 UTC", b"s" * 1000)
    secret.write_text("s" * 1001, encoding="utf-8")
    (attempt,) = adopt(submission)
    assert attempt.secret == b""
    secret.unlink()
    secret.symlink_to(helper)
    with pytest.raises(EntryError, match="not a plain file"):
        adopt(submission)
