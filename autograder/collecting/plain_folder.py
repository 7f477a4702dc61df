"""Opens the folders of submissions and attempts through no link, and reads and writes the files in them."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from autograder.collecting.arrival import RECORD, TIMESTAMP, Arrival, arrival_in
from autograder.collecting.entry import EntryError, open_plain
from autograder.files import write_whole_in
from autograder.submission.notebook import MAX_WITH_OUTPUTS, without_large_outputs
from autograder.submission.students import folded
from autograder.submission.submission import Submission

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


def arrival_of(submission: Submission) -> Arrival:
    """Return what is known of how a collected notebook came; nothing where no such files can be read."""
    with suppress(OSError, EntryError):
        if submission.folder.is_dir():
            with opened(submission, SUBMITTED) as folder:
                return arrival_in(folder.read_files())
    return Arrival()
