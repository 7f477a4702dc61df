"""Keeps every submission in attempts/, whichever of them counts, and puts one into submitted/.

An attempt is a folder `attempts/STUDENT/EXERCISE/NUMBER-DIGEST` with the same files as one in submitted/. It
lies outside nbgrader's own folders, so that nbgrader takes none for a student or an assignment. Folders are
reached through no link, and files are read and written by the descriptor of their folder.
"""

import hashlib
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from autograder.collecting.arrival import RECORD, TIMESTAMP, Arrival, arrival_in
from autograder.collecting.entry import EntryError, open_plain
from autograder.files import write_whole_in
from autograder.submission.notebook import MAX_WITH_OUTPUTS, without_large_outputs
from autograder.submission.students import folded
from autograder.submission.submission import Submission

FOLDER = "attempts"
_NAME = re.compile(r"([1-9][0-9]{0,8})-([0-9a-f]{64})", re.ASCII)
SUBMITTED = "submitted"
SECRET = "submission_secret.txt"  # noqa: S105 - by its name nbgrader finds where a page goes back to
_COMPANIONS = (TIMESTAMP, RECORD, SECRET)
_MAX_COMPANION = 1000  # bytes


@dataclass(frozen=True, slots=True)
class PlainFolder:
    """An open folder for one notebook and the small files beside it: its time, its record, and a secret."""

    descriptor: int
    notebook: str  # the name of its file
    top: str  # the folder of the course in which it lies, for messages

    @contextmanager
    def entered(self, name: str, *, make: bool = False) -> Iterator["PlainFolder"]:
        """Yield the folder `name` in this one."""
        if make:
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=self.descriptor)
        try:
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW
            descriptor = os.open(name, flags, dir_fd=self.descriptor)
        except OSError:
            raise EntryError(f"{name} in {self.top}/ is a link or no folder; put a folder there") from None
        try:
            yield PlainFolder(descriptor, self.notebook, self.top)
        finally:
            os.close(descriptor)

    def names(self) -> list[str]:
        """Return the names of what lies in it."""
        with os.scandir(self.descriptor) as found:
            return [item.name for item in found]

    def read_notebook(self) -> bytes | None:
        """Return the bytes of the notebook as grading sees them, or None where there is none."""
        content = self._read(self.notebook, MAX_WITH_OUTPUTS)
        return None if content is None else without_large_outputs(content)

    def write_notebook(self, content: bytes) -> None:
        """Write the notebook, whole or not at all."""
        write_whole_in(self.descriptor, self.notebook, content)

    def read_files(self) -> dict[str, bytes]:
        """Return the small files beside the notebook, by their names."""
        found = {name: self._read(name, _MAX_COMPANION) for name in _COMPANIONS}
        return {name: content for name, content in found.items() if content is not None}

    def write_files(self, files: Mapping[str, bytes]) -> None:
        """Make these the small files beside the notebook; one that is not among them is deleted."""
        before = self.read_files()
        for name in _COMPANIONS:
            if name in files and files[name] != before.get(name):
                write_whole_in(self.descriptor, name, files[name])
            elif name in before and name not in files:
                os.unlink(name, dir_fd=self.descriptor)

    def _read(self, name: str, limit: int) -> bytes | None:
        """Return what a plain file holds, or None where there is none; anything else there is an error."""
        try:
            file = open_plain(name, os.O_NOFOLLOW, self.descriptor)
        except FileNotFoundError:
            return None
        except (OSError, EntryError):
            raise EntryError(f"{name} in {self.top}/ is no plain file; delete it") from None
        with file:
            return file.read(limit + 1)


@contextmanager
def opened(submission: Submission, top: str) -> Iterator[PlainFolder]:
    """Yield the folder `top`/STUDENT/EXERCISE of a course, which is made if missing."""
    root = PlainFolder(os.open(submission.root, os.O_RDONLY | os.O_DIRECTORY), submission.notebook.name, top)
    try:
        with root.entered(top, make=True) as everybody:
            if twin := _twin(submission.student, everybody):
                raise EntryError(f'{top}/ has "{twin}" already, which some systems take for the same')
            with (
                everybody.entered(submission.student, make=True) as student,
                student.entered(submission.exercise, make=True) as folder,
            ):
                yield folder
    finally:
        os.close(root.descriptor)


def _twin(name: str, folder: PlainFolder) -> str:
    """Return another name in a folder that some file system takes for `name`, or an empty text.

    A class has thousands of names. They are not looked at again where `name` exists already, unless the file
    system takes small letters for capitals.
    """
    other = name.swapcase()
    if _exists(name, folder) and (other == name or not _exists(other, folder)):
        return ""
    return next((one for one in folder.names() if one != name and folded(one) == folded(name)), "")


def _exists(name: str, folder: PlainFolder) -> bool:
    return os.access(name, os.F_OK, dir_fd=folder.descriptor, follow_symlinks=False)


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
    path = _path(submission)
    if not path.is_dir():
        return ()
    found = []
    with opened(submission, FOLDER) as folder:
        for name in folder.names():
            if match := _NAME.fullmatch(name):
                with folder.entered(name) as inside:
                    arrival = arrival_in(inside.read_files())
                found.append(Attempt(int(match[1]), match[2], arrival, path / name))
    return _in_order(found)


def _in_order(attempts: Sequence[Attempt]) -> tuple[Attempt, ...]:
    """Return attempts by when they were handed in, or by when they came to us where nothing tells more."""
    ordered: list[Attempt] = []
    for one in sorted(attempts, key=lambda attempt: (attempt.number, attempt.digest)):
        later = (place for place, other in enumerate(ordered) if one.arrival.is_older_than(other.arrival))
        ordered.insert(next(later, len(ordered)), one)
    return tuple(ordered)


def keep(submission: Submission, content: bytes, files: Mapping[str, bytes]) -> None:
    """Keep a notebook with the small files beside it as one more attempt."""
    with opened(submission, FOLDER) as folder:
        numbers = [int(match[1]) for match in map(_NAME.fullmatch, folder.names()) if match]
        name, draft = f"{max(numbers, default=0) + 1}-{digest_of(content)}", f".{secrets.token_hex(8)}.part"
        try:
            with folder.entered(draft, make=True) as inside:
                inside.write_files(files)
                inside.write_notebook(content)
            os.rename(draft, name, src_dir_fd=folder.descriptor, dst_dir_fd=folder.descriptor)
        except BaseException:
            with suppress(FileNotFoundError):
                shutil.rmtree(draft, dir_fd=folder.descriptor)
            raise


def adopt(submission: Submission) -> tuple[Attempt, ...]:
    """Keep what lies in submitted/ as an attempt, if it came another way than by collecting; return all."""
    attempts = attempts_of(submission)
    found = _not_kept(submission, attempts)
    if found is None:
        return attempts
    content, files, same = found
    if same is None:
        keep(submission, content, files)
    else:
        write_files(submission, same, files)  # somebody has corrected the time by hand
    return attempts_of(submission)


def attempts_to_be(submission: Submission) -> tuple[Attempt, ...]:
    """Return the attempts as they will be once what lies in submitted/ is kept; nothing is written."""
    attempts = attempts_of(submission)
    found = _not_kept(submission, attempts)
    if found is None:
        return attempts
    content, files, same = found
    number = same.number if same else max((one.number for one in attempts), default=0) + 1
    present = Attempt(number, digest_of(content), arrival_in(files), submission.folder)
    return _in_order([*(one for one in attempts if one.number != number), present])


def _not_kept(
    submission: Submission, attempts: Sequence[Attempt]
) -> tuple[bytes, Mapping[str, bytes], Attempt | None] | None:
    """Return what lies in submitted/ and is not kept: a notebook, its files, its attempt of another time."""
    if not submission.folder.is_dir():
        return None
    with opened(submission, SUBMITTED) as folder:
        content, files = folder.read_notebook(), folder.read_files()
    if content is None:
        return None
    same = [one for one in attempts if one.digest == digest_of(content)]
    is_kept = same and (TIMESTAMP not in files or files in [read_files(submission, one) for one in same])
    return None if is_kept else (content, files, same[-1] if same else None)


def put_forward(submission: Submission, attempt: Attempt) -> bool:
    """Make `attempt` the one in submitted/, with its time; return whether that was another one before."""
    with _opened_attempt(submission, attempt) as folder:
        content, files = folder.read_notebook(), folder.read_files()
    if content is None:
        raise EntryError(f"{attempt.folder} has lost its notebook; put it back or delete the folder")
    return submit(submission, content, files)


def submit(submission: Submission, content: bytes, files: Mapping[str, bytes]) -> bool:
    """Write a notebook and its time into submitted/; return whether another notebook was there before.

    If we are stopped on the way, no notebook is left with the time of another one.
    """
    with opened(submission, SUBMITTED) as folder:
        is_new = folder.read_notebook() != content
        if is_new:
            before = folder.read_files()
            folder.write_files({})
            try:
                folder.write_notebook(content)
            except OSError:
                with suppress(OSError):
                    folder.write_files(before)
                raise
        folder.write_files(files)
        return is_new


def read_files(submission: Submission, attempt: Attempt) -> dict[str, bytes]:
    """Return the small files beside the notebook of an attempt."""
    with _opened_attempt(submission, attempt) as folder:
        return folder.read_files()


def write_files(submission: Submission, attempt: Attempt, files: Mapping[str, bytes]) -> None:
    """Write what is now known about when an attempt came."""
    with _opened_attempt(submission, attempt) as folder:
        folder.write_files(files)


@contextmanager
def _opened_attempt(submission: Submission, attempt: Attempt) -> Iterator[PlainFolder]:
    with opened(submission, FOLDER) as folder, folder.entered(attempt.folder.name) as inside:
        yield inside


def _path(submission: Submission) -> Path:
    return submission.root / FOLDER / submission.student / submission.exercise


def digest_of(content: bytes) -> str:
    """Return the digest by which an attempt is known."""
    return hashlib.sha256(content).hexdigest()


def arrival_of(submission: Submission) -> Arrival:
    """Return what is known of how a collected notebook came; nothing where no such files can be read."""
    with suppress(OSError, EntryError):
        if submission.folder.is_dir():
            with opened(submission, SUBMITTED) as folder:
                return arrival_in(folder.read_files())
    return Arrival()
