"""Opens folders of a course through no link, and reads and writes the plain files in them."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC

from autograder.collecting.arrival import FORMAT, Arrival, read_record, record
from autograder.collecting.entry import EntryError, open_plain
from autograder.files import write_whole_in
from autograder.submission.students import folded
from autograder.submission.submission import Submission

TIMESTAMP = "timestamp.txt"  # where nbgrader looks for it
RECORD = "collected.json"
SECRET = "submission_secret.txt"  # noqa: S105 - by its name nbgrader finds where a page goes back to
COMPANIONS = (TIMESTAMP, RECORD, SECRET)
_MAX_COMPANION = 1000  # bytes


@contextmanager
def opened(submission: Submission, top: str) -> Iterator[int]:
    """Yield a descriptor of `top`/STUDENT/EXERCISE, which is made if missing and reached through no link."""
    student = submission.student
    with ExitStack() as stack:
        above = enter(stack, top, enter(stack, str(submission.root), None, top), top)
        if not _is_there(student, above) and (twin := _twin(student, above)):
            raise EntryError(f'{top}/ has "{twin}" already, which some systems take for the same')
        yield enter(stack, submission.exercise, enter(stack, student, above, top), top)


def _is_there(name: str, folder: int) -> bool:
    """Whether a folder has a file of this very name, and its file system tells small letters from capitals.

    So it spares a class of thousands that for each of them all names are looked at.
    """
    other = name.swapcase()
    return _exists(name, folder) and (other == name or not _exists(other, folder))


def _twin(name: str, folder: int) -> str:
    names = os.listdir(folder)
    return next((other for other in names if _are_twins(other, name)), "")


def _are_twins(one: str, other: str) -> bool:
    """Whether some file system takes one name for the other."""
    same = one.lower() == other.lower() if one.isascii() and other.isascii() else folded(one) == folded(other)
    return same and one != other


def _exists(name: str, folder: int) -> bool:
    with suppress(FileNotFoundError):
        os.lstat(name, dir_fd=folder)
        return True
    return False


def enter(stack: ExitStack, path: str, parent: int | None, top: str) -> int:
    """Return a descriptor of the folder `path`, made if missing, in the folder `parent` if one is given."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
    if parent is not None:
        flags |= os.O_NOFOLLOW
        with suppress(FileExistsError):
            os.mkdir(path, dir_fd=parent)
    try:
        folder = os.open(path, flags, dir_fd=parent)
    except OSError:
        raise EntryError(f"{path} in {top}/ is a link or no folder; put a folder there") from None
    stack.callback(os.close, folder)
    return folder


def read_plain(folder: int, name: str, limit: int, top: str = "submitted") -> bytes | None:
    """Return what a plain file holds, or None where there is none; anything else in its place is an error."""
    try:
        file = open_plain(name, os.O_NOFOLLOW, folder)
    except FileNotFoundError:
        return None
    except (OSError, EntryError):
        raise EntryError(f"{name} in {top}/ is no plain file; delete it") from None
    with file:
        return file.read(limit + 1)


def read_companions(folder: int, top: str = "submitted") -> dict[str, bytes]:
    """Return the small files beside a notebook: its time, how we know it, and nbgrader's secret."""
    found = {name: read_plain(folder, name, _MAX_COMPANION, top) for name in COMPANIONS}
    return {name: content for name, content in found.items() if content is not None}


def write_companions(folder: int, files: dict[str, bytes]) -> None:
    """Make these the small files beside a notebook; what is not among them is deleted."""
    before = read_companions(folder)
    for name in COMPANIONS:
        if name in files:
            if before.get(name) != files[name]:
                write_whole_in(folder, name, files[name])
        elif name in before:
            os.unlink(name, dir_fd=folder)


def times_of(arrival: Arrival) -> dict[str, bytes]:
    """Return the files that say when a notebook came, and what else tells which one is newer."""
    when = arrival.when.astimezone(UTC).strftime(FORMAT).encode() if arrival.when is not None else b""
    return {name: text for name, text in ((TIMESTAMP, when), (RECORD, record(arrival))) if text}


def arrival_in(files: dict[str, bytes]) -> Arrival:
    """Return what the files beside a notebook say about when it came."""
    return read_record(files.get(RECORD), files.get(TIMESTAMP))


def arrival_of(submission: Submission) -> Arrival:
    """Return what is known of how a collected notebook came; nothing where no such files can be read."""
    try:
        folder = os.open(submission.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return Arrival()
    try:
        return arrival_in(read_companions(folder))
    except EntryError:
        return Arrival()
    finally:
        os.close(folder)
