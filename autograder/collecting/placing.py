"""Puts a notebook into submitted/: whole or not at all, and through no link."""

import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from autograder.collecting.naming import folded
from autograder.files import write_whole_in
from autograder.submission.notebook import MAX_BYTES
from autograder.submission.submission import Submission

_TIMESTAMP = "timestamp.txt"
_FORMAT = "%Y-%m-%d %H:%M:%S.%f UTC"  # nbgrader's
_MAX_TIME = 100


class InboxError(Exception):
    """The notebook cannot be put there; the message says why and what to do."""


class Placing(StrEnum):
    """What became of a notebook."""

    NEW = "new"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"
    OLDER = "older"  # than what is there, which stays


def place(submission: Submission, content: bytes, when: datetime | None) -> Placing:
    """Write the notebook and when it came, unless it is there already or something newer is."""
    try:
        with _folder(submission) as folder:
            return _place(folder, submission.notebook.name, content, when)
    except OSError as error:
        raise InboxError(f"cannot be written: {error.strerror}") from None


def _place(folder: int, name: str, content: bytes, when: datetime | None) -> Placing:
    present = _read(folder, name, MAX_BYTES)
    before = _time(_read(folder, _TIMESTAMP, _MAX_TIME))
    if present == content:
        return Placing.UNCHANGED
    if present is not None and before is not None and when is not None and when < before:
        return Placing.OLDER
    # The time goes first: if all ends here, the notebook still differs and is written the next time.
    if when is not None:
        write_whole_in(folder, _TIMESTAMP, when.strftime(_FORMAT).encode())
    else:
        with suppress(FileNotFoundError):
            os.unlink(_TIMESTAMP, dir_fd=folder)
    write_whole_in(folder, name, content)
    return Placing.NEW if present is None else Placing.REPLACED


@contextmanager
def _folder(submission: Submission) -> Iterator[int]:
    """Yield a descriptor of the submission's folder, made where it was missing, reached through no link."""
    with ExitStack() as stack:
        folder = _enter(stack, submission.root, None)
        folder = _enter(stack, Path("submitted"), folder)
        with os.scandir(folder) as others:
            for name in (other.name for other in others if other.name != submission.student):
                if folded(name) == folded(submission.student):
                    raise InboxError(f'submitted/ has "{name}" already, which some systems take for the same')
        for name in (submission.student, submission.exercise):
            folder = _enter(stack, Path(name), folder)
        yield folder


def _enter(stack: ExitStack, path: Path, parent: int | None) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
    if parent is not None:
        flags |= os.O_NOFOLLOW
        with suppress(FileExistsError):
            os.mkdir(path, dir_fd=parent)
    try:
        folder = os.open(path, flags, dir_fd=parent)
    except OSError:
        raise InboxError(f"{path} in submitted/ is a link or no folder; put a folder there") from None
    stack.callback(os.close, folder)
    return folder


def _read(folder: int, name: str, limit: int) -> bytes | None:
    """Return what a plain file holds, or None where there is none; nothing else may stand in its place."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError:
        raise InboxError(f"{name} in its place is no plain file; delete it") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InboxError(f"{name} in its place is no plain file; delete it")
    with os.fdopen(descriptor, "rb") as file:
        return file.read(limit + 1)


def _time(text: bytes | None) -> datetime | None:
    """Return the time that we have written; whatever else stands there is not compared."""
    try:
        return datetime.strptime((text or b"").decode().strip(), _FORMAT).replace(tzinfo=UTC)
    except ValueError:
        return None
