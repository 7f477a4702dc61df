"""Writes a notebook into submitted/, whole or not at all and through no link."""

import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from autograder.collecting.names import folded
from autograder.files import write_whole_in
from autograder.submission.notebook import MAX_BYTES
from autograder.submission.submission import Submission

_TIMESTAMP = "timestamp.txt"
_FORMAT = "%Y-%m-%d %H:%M:%S.%f UTC"  # nbgrader's
_MAX_TIME = 100


class PlacingError(Exception):
    """The notebook cannot be put there; the message says why and what to do."""


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
        raise PlacingError(f"cannot be written: {error.strerror}") from None


def _place(folder: int, name: str, content: bytes, when: datetime | None) -> Placing:
    present = _read(folder, name, MAX_BYTES)
    before = _time(_read(folder, _TIMESTAMP, _MAX_TIME))
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
    with ExitStack() as stack:
        folder = _enter(stack, submission.root, None)
        folder = _enter(stack, Path("submitted"), folder)
        with os.scandir(folder) as others:
            for name in (other.name for other in others if other.name != submission.student):
                if folded(name) == folded(submission.student):
                    raise PlacingError(
                        f'submitted/ has "{name}" already, which some systems take for the same'
                    )
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
        raise PlacingError(f"{path} in submitted/ is a link or no folder; put a folder there") from None
    stack.callback(os.close, folder)
    return folder


def _read(folder: int, name: str, limit: int) -> bytes | None:
    """Return what a plain file holds, or None where there is none; anything else in its place is an error."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError:
        raise PlacingError(f"{name} in submitted/ is no plain file; delete it") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise PlacingError(f"{name} in submitted/ is no plain file; delete it")
    with os.fdopen(descriptor, "rb") as file:
        return file.read(limit + 1)


def _time(text: bytes | None) -> datetime | None:
    """Return the time that an earlier `place` wrote, or None for a text by somebody else."""
    try:
        return datetime.strptime((text or b"").decode().strip(), _FORMAT).replace(tzinfo=UTC)
    except ValueError:
        return None
