"""Writes a notebook into submitted/, whole or not at all and through no link."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from autograder.collecting.entry import EntryError
from autograder.collecting.folder import open_plain
from autograder.collecting.names import folded
from autograder.files import write_whole_in
from autograder.submission.notebook import MAX_BYTES
from autograder.submission.submission import Submission

_TIMESTAMP = "timestamp.txt"
_FORMAT = "%Y-%m-%d %H:%M:%S.%f UTC"  # nbgrader's


class Placing(StrEnum):
    """What became of a notebook."""

    NEW = "new"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"
    OLDER = "older"  # than what is there, which stays


def place(submission: Submission, content: bytes, when: datetime | None) -> Placing:
    """Write the notebook and the time when it came, unless the same or a newer one is there."""
    try:
        with _folder(submission) as folder:
            return _place(folder, submission.notebook.name, content, when)
    except OSError as error:
        raise EntryError(f"cannot be written: {error.strerror}") from None


def _place(folder: int, name: str, content: bytes, when: datetime | None) -> Placing:
    present = _read(folder, name, MAX_BYTES)
    before = _time(_read(folder, _TIMESTAMP, 100))
    if present == content:
        return Placing.UNCHANGED
    if present is not None and before is not None and when is not None and when < before:
        return Placing.OLDER
    # The time goes first: if we are stopped after it, the notebook still differs and is written next time.
    if when is not None:
        write_whole_in(folder, _TIMESTAMP, when.strftime(_FORMAT).encode())
    else:
        with suppress(FileNotFoundError):
            os.unlink(_TIMESTAMP, dir_fd=folder)
    write_whole_in(folder, name, content)
    return Placing.NEW if present is None else Placing.REPLACED


@contextmanager
def _folder(submission: Submission) -> Iterator[int]:
    """Yield a descriptor of the submission's folder, which is made if missing and reached through no link."""
    student = submission.student
    with ExitStack() as stack:
        submitted = _enter(stack, "submitted", _enter(stack, submission.root, None))
        with os.scandir(submitted) as folders:
            others = [folder.name for folder in folders if folder.name != student]
        if twin := next((name for name in others if folded(name) == folded(student)), ""):
            raise EntryError(f'submitted/ has "{twin}" already, which some systems take for the same')
        yield _enter(stack, submission.exercise, _enter(stack, student, submitted))


def _enter(stack: ExitStack, path: Path | str, parent: int | None) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
    if parent is not None:
        flags |= os.O_NOFOLLOW
        with suppress(FileExistsError):
            os.mkdir(path, dir_fd=parent)
    try:
        folder = os.open(path, flags, dir_fd=parent)
    except OSError:
        raise EntryError(f"{path} in submitted/ is a link or no folder; put a folder there") from None
    stack.callback(os.close, folder)
    return folder


def _read(folder: int, name: str, limit: int) -> bytes | None:
    """Return what a plain file holds, or None where there is none; anything else in its place is an error."""
    try:
        file = open_plain(name, os.O_NOFOLLOW, folder)
    except FileNotFoundError:
        return None
    except (OSError, EntryError):
        raise EntryError(f"{name} in submitted/ is no plain file; delete it") from None
    with file:
        return file.read(limit + 1)


def _time(text: bytes | None) -> datetime | None:
    """Return the time that an earlier `place` wrote, or None for a text by somebody else."""
    try:
        return datetime.strptime((text or b"").decode().strip(), _FORMAT).replace(tzinfo=UTC)
    except ValueError:
        return None
