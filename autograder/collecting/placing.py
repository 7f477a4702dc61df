"""Writes a notebook into submitted/, whole or not at all and through no link."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC
from enum import StrEnum
from pathlib import Path

from autograder.collecting.arrival import FORMAT, Arrival, Source, read_record, record
from autograder.collecting.entry import EntryError
from autograder.collecting.folder import open_plain
from autograder.files import write_whole_in
from autograder.submission.notebook import MAX_BYTES
from autograder.submission.students import folded
from autograder.submission.submission import Submission

_TIMESTAMP = "timestamp.txt"  # where nbgrader looks for it
_RECORD = "collected.json"


class Placing(StrEnum):
    """What became of a notebook."""

    NEW = "new"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"
    RETIMED = "time corrected"  # the notebook is the same
    OLDER = "older"  # than what is there, which stays


def place(submission: Submission, content: bytes, arrival: Arrival) -> Placing:
    """Write the notebook and the time when it came, unless the same or a newer one is there."""
    try:
        with _folder(submission) as folder:
            return _place(folder, submission.notebook.name, content, arrival)
    except OSError as error:
        raise EntryError(f"cannot be written: {error.strerror}") from None


def _place(folder: int, name: str, content: bytes, arrival: Arrival) -> Placing:
    present = _read(folder, name, MAX_BYTES)
    timestamp = _read(folder, _TIMESTAMP, 100)
    before = read_record(_read(folder, _RECORD, 1000), timestamp)
    if present == content:
        if timestamp and before.when is None and arrival.source in (Source.FILE, Source.NOBODY):
            return Placing.UNCHANGED  # somebody has written the time by hand
        arrival = arrival.settle(before)
        _write_times(folder, arrival)
        return Placing.UNCHANGED if arrival.when == before.when else Placing.RETIMED
    if present is not None and arrival.is_older_than(before):
        return Placing.OLDER
    # The time goes first: if we are stopped after it, the notebook still differs and is written next time.
    _write_times(folder, arrival)
    write_whole_in(folder, name, content)
    return Placing.NEW if present is None else Placing.REPLACED


def _write_times(folder: int, arrival: Arrival) -> None:
    """Write when the notebook came and what else tells which one is newer; delete what is not so."""
    when = arrival.when.astimezone(UTC).strftime(FORMAT).encode() if arrival.when is not None else b""
    for name, content in ((_TIMESTAMP, when), (_RECORD, record(arrival))):
        if content:
            if _read(folder, name, len(content)) != content:
                write_whole_in(folder, name, content)
        else:
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)


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
