"""A student's folder is written anew, the file that says that it is done last."""

from pathlib import Path

import pytest

from autograder.gradebook.folders import write_folder
from autograder.submission.submission import Submission


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
