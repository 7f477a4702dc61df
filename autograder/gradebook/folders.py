"""Writes a student's folder as nbgrader's converters do: anew, with nbgrader's permissions."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from nbgrader.converters.base import BaseConverter

from autograder.files import write_whole
from autograder.submission.submission import Submission


def write_folder(
    converter: BaseConverter, submission: Submission, path: Path, text: str, others: Mapping[str, Path]
) -> None:
    """Write the folder of `path` anew: copies of `others` by name, and `text` last.

    Where `path` stands, all that goes before it is there too.
    """
    shutil.rmtree(path.parent, ignore_errors=True)
    for name, other in others.items():
        copy = path.parent / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(other, copy)
    write_whole(path, text)
    converter.set_permissions(submission.exercise, submission.student)
