"""A student's folder is reached through no link, and found without a look at all others."""

import os
from pathlib import Path

import pytest

from autograder.collecting.attempts import opened
from autograder.submission.submission import Submission


@pytest.mark.parametrize("student", ["ann", "4711"])
def test_a_folder_that_is_there_is_opened_without_reading_the_class(
    tmp_path: Path, student: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(Submission(tmp_path, student, "01_small"), "submitted"):
        pass

    def scan(*_: object) -> None:
        raise AssertionError("a class may have thousands of students")

    monkeypatch.setattr(os, "scandir", scan)
    with opened(Submission(tmp_path, student, "01_small"), "submitted") as folder:
        assert os.path.samestat(
            os.fstat(folder.descriptor), (tmp_path / "submitted" / student / "01_small").stat()
        )
    with pytest.raises(AssertionError):
        opened(Submission(tmp_path, "ben", "01_small"), "submitted").__enter__()
