"""Reads what students handed in through nbgrader's exchange.

nbgrader itself collects only each student's newest submission; here all of them are read.
"""

import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from pwd import getpwuid

from traitlets.config import Config

from autograder.collecting.attempts import SECRET, TIMESTAMP
from autograder.collecting.names import plausible
from autograder.course.course import Course
from autograder.gradebook.exchange import MAX_SECRET, inbound_folder, notebook_name, read_file, time_in_name
from autograder.submission.notebook import MAX_WITH_OUTPUTS, open_folder, without_large_outputs

_WRITTEN_SECONDS = 60  # so long a submission may be on its way
_CLOCK_DIFFERENCE = timedelta(days=1)  # between the machine of a student and that of the exchange


@dataclass(frozen=True, slots=True)
class Received:
    """What a folder of the exchange holds, and when it was handed in."""

    notebook: bytes
    secret: bytes
    when: datetime
    note: str = ""  # if the folder's own time counts


@dataclass(frozen=True, slots=True)
class Inbound:
    """A folder in the exchange, by its name. Only `receive` finds out what it holds and whose it is."""

    folder: Path
    student: str
    exercise: str
    named: datetime
    is_checked: bool  # whether the folder's owner must be the student

    def receive(self) -> Received | None:
        """Return what was handed in, or None while nbgrader is still writing it.

        ValueError and OSError say what is wrong. The folder is opened once, so its owner, its time and its
        files are those of the same folder.
        """
        with open_folder(self.folder) as folder:
            if not _is_complete(folder):
                return None
            about = os.fstat(folder)
            if self.is_checked:
                self._expect_owner(about.st_uid)
            when, note = self._time(datetime.fromtimestamp(about.st_ctime, UTC))
            owner = about.st_uid if self.is_checked else None
            notebook = read_file(folder, notebook_name(folder, self.exercise), MAX_WITH_OUTPUTS, owner)
            secret = read_file(folder, SECRET, MAX_SECRET, owner) or b""
        if notebook is None:
            raise ValueError(f"holds no {self.exercise}.ipynb")
        try:
            secret.decode()
        except UnicodeDecodeError:
            why = "is not UTF-8 text, so no page could return; ask the student to submit again"
            raise ValueError(f"{SECRET} {why}") from None
        return Received(without_large_outputs(notebook), secret, when, note)

    def _expect_owner(self, number: int) -> None:
        try:
            owner = getpwuid(number).pw_name
        except KeyError:
            owner = f"user {number}"
        if owner != self.student:
            setting = "c.ExchangeCollect.check_owner = False in nbgrader_config.py"
            fix = f"where one user owns all of them, set {setting}"
            raise ValueError(f"is not {self.student}'s: its owner is {owner}; {fix}")

    def _time(self, written: datetime) -> tuple[datetime, str]:
        """Return the time in the name, or that of the folder with a note if the name's cannot be true.

        Students choose the name, but cannot set the kernel's time of their folder.
        """
        late = self.is_checked and written - self.named > timedelta(seconds=_WRITTEN_SECONDS)
        if not late and self.named - written <= _CLOCK_DIFFERENCE and plausible(self.named):
            return self.named, ""
        counts = f"{written:%Y-%m-%d %H:%M} UTC counts, when its folder was written"
        return written, f"{counts}, and not {self.named:%Y-%m-%d %H:%M}"


def _is_complete(folder: int) -> bool:
    """Whether nbgrader has written all of a folder: the secret comes last."""
    if _stat(folder, SECRET):
        return True
    begun = _stat(folder, TIMESTAMP)
    return begun is not None and time.time() - begun.st_mtime > _WRITTEN_SECONDS


def _stat(folder: int, name: str) -> os.stat_result | None:
    """Return what the system knows of a plain file."""
    with suppress(OSError):
        about = os.stat(name, dir_fd=folder, follow_symlinks=False)
        return about if stat.S_ISREG(about.st_mode) else None
    return None


def inbound(course: Course, config: Config) -> Iterator[Inbound]:
    """Yield the folders that students have handed in through the exchange, by the time in the name.

    Anybody may write a folder of any name there. So its owner must be the student, and a time in its name
    that is long before the kernel's own counts for nothing, unless `ExchangeCollect.check_owner` is off.
    """
    folder, is_checked = inbound_folder(course, config)
    names = "|".join(re.escape(name) for name in course.exercises)
    form = re.compile(rf"(.+)\+({names})\+([^+]+)(\+[^+]*)?")
    folders = [
        Inbound(path, match[1], match[2], when, is_checked)
        for path in (folder.iterdir() if folder.is_dir() else ())
        if (match := form.fullmatch(path.name)) and (when := time_in_name(match[3]))
    ]
    yield from sorted(folders, key=lambda inbound: (inbound.named, inbound.folder.name))
