"""Keeps every submission in attempts/, whichever of them counts, and says in which order they were handed in.

An attempt is a folder `attempts/STUDENT/EXERCISE/NUMBER-DIGEST` with the same files as one in submitted/. It
lies outside nbgrader's own folders, so that nbgrader takes none for a student or an assignment.
"""

import hashlib
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from autograder.collecting.arrival import Arrival
from autograder.collecting.entry import EntryError
from autograder.collecting.plain_folder import (
    TIMESTAMP,
    arrival_in,
    opened,
    read_companions,
    read_plain,
    write_companions,
)
from autograder.files import write_whole_in
from autograder.submission.notebook import MAX_WITH_OUTPUTS, without_large_outputs
from autograder.submission.submission import Submission

FOLDER = "attempts"
_NAME = re.compile(r"([1-9][0-9]{0,8})-([0-9a-f]{64})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One submission that was handed in at some time, whether it counts or not."""

    number: int  # in the order in which they came to us
    digest: str
    arrival: Arrival
    folder: Path

    def notebook(self, exercise: str) -> Path:
        """Where its notebook lies."""
        return self.folder / f"{exercise}.ipynb"


def attempts_of(submission: Submission) -> tuple[Attempt, ...]:
    """Return what a student has handed in for an exercise, the newest last."""
    folder = _folder(submission)
    if not folder.is_dir():
        return ()
    with opened(submission, FOLDER) as descriptor:
        return _attempts(descriptor, folder)


def keep(submission: Submission, content: bytes, files: dict[str, bytes]) -> Attempt:
    """Keep a notebook with the small files beside it as one more attempt."""
    with opened(submission, FOLDER) as folder:
        numbers = [int(match[1]) for match in map(_NAME.fullmatch, _names(folder)) if match]
        number, digest = max(numbers, default=0) + 1, digest_of(content)
        name, draft = f"{number}-{digest}", f".{secrets.token_hex(8)}.part"
        os.mkdir(draft, dir_fd=folder)
        try:
            inside = _open(draft, folder)
            try:
                write_companions(inside, files)
                write_whole_in(inside, submission.notebook.name, content)
            finally:
                os.close(inside)
            os.rename(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(FileNotFoundError):
                shutil.rmtree(draft, dir_fd=folder)
            raise
    return Attempt(number, digest, arrival_in(files), _folder(submission) / name)


def adopt(submission: Submission) -> tuple[Attempt, ...]:
    """Keep what lies in submitted/ as an attempt, if it came another way than by collecting; return all."""
    content, files = _submitted(submission)
    attempts = attempts_of(submission)
    if content is not None:
        same = [one for one in attempts if one.digest == digest_of(content)]
        if not same:
            return in_order([*attempts, keep(submission, content, files)])
        if TIMESTAMP in files and files not in [read_files(submission, one) for one in same]:
            write_files(submission, same[-1], files)  # somebody has corrected the time by hand
            return attempts_of(submission)
    return attempts


def attempts_to_be(submission: Submission) -> tuple[Attempt, ...]:
    """Return the attempts as they will be once what lies in submitted/ is kept; nothing is written."""
    attempts, (content, files) = attempts_of(submission), _submitted(submission)
    if content is None:
        return attempts
    same = [one for one in attempts if one.digest == digest_of(content)]
    if same and (TIMESTAMP not in files or files in [read_files(submission, one) for one in same]):
        return attempts
    number = same[-1].number if same else max((one.number for one in attempts), default=0) + 1
    present = Attempt(number, digest_of(content), arrival_in(files), submission.folder)
    return in_order([*(one for one in attempts if one.number != number), present])


def _submitted(submission: Submission) -> tuple[bytes | None, dict[str, bytes]]:
    """Return the notebook in submitted/, if there is one, with the small files beside it."""
    if not submission.folder.is_dir():
        return None, {}
    with opened(submission, "submitted") as folder:
        return read_notebook_in(folder, submission), read_companions(folder)


def read_notebook_in(folder: int, submission: Submission, top: str = "submitted") -> bytes | None:
    """Return the bytes of a notebook in an open folder as grading sees them, or None where there is none."""
    content = read_plain(folder, submission.notebook.name, MAX_WITH_OUTPUTS, top)
    return None if content is None else without_large_outputs(content)


def put_forward(submission: Submission, attempt: Attempt) -> bool:
    """Make `attempt` the one in submitted/, with its time; return whether that was another one before."""
    return submit(submission, read_attempt(submission, attempt), read_files(submission, attempt))


def submit(submission: Submission, content: bytes, files: dict[str, bytes]) -> bool:
    """Write a notebook and its time into submitted/; return whether another notebook was there before.

    If we are stopped on the way, no notebook is left with the time of another one.
    """
    with opened(submission, "submitted") as folder:
        before = read_notebook_in(folder, submission)
        if before == content:
            write_companions(folder, files)
            return False
        beside = read_companions(folder)
        write_companions(folder, {})
        try:
            write_whole_in(folder, submission.notebook.name, content)
        except OSError:
            with suppress(OSError):
                write_companions(folder, beside)
            raise
        write_companions(folder, files)
        return True


def read_attempt(submission: Submission, attempt: Attempt) -> bytes:
    """Return the notebook of an attempt."""
    with _inside(submission, attempt) as folder:
        content = read_notebook_in(folder, submission, FOLDER)
    if content is None:
        raise EntryError(f"{attempt.folder} has lost its notebook; put it back or delete the folder")
    return content


def read_files(submission: Submission, attempt: Attempt) -> dict[str, bytes]:
    """Return the small files beside the notebook of an attempt."""
    with _inside(submission, attempt) as folder:
        return read_companions(folder, FOLDER)


def write_files(submission: Submission, attempt: Attempt, files: dict[str, bytes]) -> None:
    """Write what is now known about when an attempt came."""
    with _inside(submission, attempt) as folder:
        write_companions(folder, files)


def digest_of(content: bytes) -> str:
    """Return the digest by which an attempt is known."""
    return hashlib.sha256(content).hexdigest()


@contextmanager
def _inside(submission: Submission, attempt: Attempt) -> Iterator[int]:
    with opened(submission, FOLDER) as folder:
        descriptor = _open(attempt.folder.name, folder)
        try:
            yield descriptor
        finally:
            os.close(descriptor)


def _folder(submission: Submission) -> Path:
    return submission.root / FOLDER / submission.student / submission.exercise


def _open(name: str, folder: int) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(name, flags, dir_fd=folder)
    except OSError:
        raise EntryError(f"{name} in {FOLDER}/ is a link or no folder; put the folder back") from None


def _attempts(folder: int, path: Path) -> tuple[Attempt, ...]:
    found = []
    for name in _names(folder):
        if match := _NAME.fullmatch(name):
            inside = _open(name, folder)
            try:
                arrival = arrival_in(read_companions(inside, FOLDER))
            finally:
                os.close(inside)
            found.append(Attempt(int(match[1]), match[2], arrival, path / name))
    return in_order(found)


def _names(folder: int) -> list[str]:
    with os.scandir(folder) as found:
        return [item.name for item in found]


def in_order(attempts: Sequence[Attempt]) -> tuple[Attempt, ...]:
    """Return attempts by when they were handed in, or by when they came to us where nothing tells more."""
    ordered: list[Attempt] = []
    for one in sorted(attempts, key=lambda attempt: (attempt.number, attempt.digest)):
        later = (place for place, other in enumerate(ordered) if one.arrival.is_older_than(other.arrival))
        ordered.insert(next(later, len(ordered)), one)
    return tuple(ordered)
