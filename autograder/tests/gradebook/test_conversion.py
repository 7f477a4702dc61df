"""Whatever fails inside nbgrader becomes one error with a log; folders are written anew."""

import errno
import warnings
from pathlib import Path

import pytest
from sqlalchemy.exc import SAWarning

from autograder.course.course import Course, log_of
from autograder.errors import OUR_FAILURE
from autograder.gradebook.config import LOG, ConversionError, converting, write_folder
from autograder.submission.submission import Submission


def test_what_fails_is_one_line_on_the_submission_and_a_traceback_in_the_log(
    course: Course, capfd: pytest.CaptureFixture[str]
) -> None:
    with (
        pytest.raises(ConversionError) as caught,
        log_of(course, LOG) as log,
        converting(course, log, "01_small", "ann"),
    ):
        raise KeyError("secret")
    path = course.build / "nbgrader.log"
    assert str(caught.value) == f"nbgrader gave up on 01_small of ann; {path} says why"
    assert caught.value.exit_code == OUR_FAILURE
    assert isinstance(caught.value.__cause__, KeyError)
    kept = path.read_text(encoding="utf-8")
    assert "ERROR 01_small ann\nTraceback (most recent call last):" in kept
    assert "KeyError: 'secret'" in kept
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EDQUOT])
def test_a_full_disk_ends_it_all_and_a_closed_folder_is_one_student_s(course: Course, number: int) -> None:
    with (
        log_of(course, LOG) as log,
        pytest.raises(OSError, match="full"),
        converting(course, log, "01_small", "ann"),
    ):
        raise OSError(number, "full")
    folder = course.root / "autograded" / "ann"
    with (
        log_of(course, LOG) as log,
        pytest.raises(ConversionError) as caught,
        converting(course, log, "01_small", "ann"),
    ):
        raise PermissionError(errno.EACCES, "closed", str(folder))
    told = f"nbgrader gave up on 01_small of ann; {folder}: cannot be written: Permission denied; let whoever"
    assert str(caught.value).startswith(told)
    assert not (course.build / "nbgrader.log").exists()


def test_where_nothing_fails_no_log_is_written(course: Course) -> None:
    with log_of(course, LOG) as log, converting(course, log, "01_small"):
        log.info("nbgrader says a lot")
    assert not (course.build / "nbgrader.log").exists()


def test_control_c_is_no_failure_of_nbgrader(course: Course) -> None:
    with (
        pytest.raises(KeyboardInterrupt),
        log_of(course, LOG) as log,
        converting(course, log, "01_small", "ann"),
    ):
        raise KeyboardInterrupt
    assert not (course.build / "nbgrader.log").exists()


def test_warnings_from_nbgraders_own_queries_are_silenced_and_others_are_not(course: Course) -> None:
    with log_of(course, LOG) as log, converting(course, log, "01_small"):
        warnings.warn("nbgrader's own", SAWarning, stacklevel=1)
    with (
        pytest.raises(ConversionError) as caught,  # a warning is an error in these tests
        log_of(course, LOG) as log,
        converting(course, log, "01_small"),
    ):
        warnings.warn("another", UserWarning, stacklevel=1)
    assert isinstance(caught.value.__cause__, UserWarning)


class Converter:
    """As much of nbgrader's converters as is needed here."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def set_permissions(self, exercise: str, student: str) -> None:
        """Keep whose folder's permissions were to be set."""
        self.asked.append((exercise, student))


@pytest.fixture
def submission(tmp_path: Path) -> Submission:
    return Submission(tmp_path / "course", "ann", "01_small")


def test_the_folder_holds_the_text_and_copies_of_the_others_and_nothing_from_before(
    submission: Submission, tmp_path: Path
) -> None:
    (submission.feedback.parent / "old").mkdir(parents=True)
    (submission.feedback.parent / "old" / "page.html").touch()
    words = tmp_path / "words.txt"
    words.write_text("words", encoding="utf-8")
    write_folder(Converter(), submission, submission.feedback, "<p>ä</p>", {"data/w.txt": words})
    folder = submission.feedback.parent
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert files == {"01_small.html": "<p>ä</p>".encode(), "data/w.txt": b"words"}
    assert words.is_file()


def test_nbgrader_sets_the_permissions_of_the_folder(submission: Submission) -> None:
    converter = Converter()
    write_folder(converter, submission, submission.feedback, "", {})
    assert converter.asked == [("01_small", "ann")]


def test_where_another_file_cannot_be_copied_the_text_does_not_stand_either(submission: Submission) -> None:
    write_folder(Converter(), submission, submission.feedback, "old", {})
    with pytest.raises(FileNotFoundError):
        write_folder(Converter(), submission, submission.feedback, "new", {"a": submission.root / "gone"})
    assert not submission.feedback.exists()
