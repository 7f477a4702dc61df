"""Reads the submissions in nbgrader's exchange.

nbgrader itself collects only each student's newest submission. This module reads all of them.
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

_WRITTEN_SECONDS = 60  # assumed longest time in which nbgrader writes all files of a submission
_CLOCK_DIFFERENCE = timedelta(days=1)  # a time in a folder's name may be this far in the future


@dataclass(frozen=True, slots=True)
class Received:
    """A submission in the exchange: its notebook, nbgrader's secret for returning a page, and its time."""

    notebook: bytes
    secret: bytes
    when: datetime
    note: str = ""  # the reason, if the time in the folder's name does not count


@dataclass(frozen=True, slots=True)
class Inbound:
    """A folder in the exchange.

    Student, exercise and time come from the folder's name. Any user may have chosen this name, so `receive`
    checks the student and the time.
    """

    path: Path
    student: str
    exercise: str
    time_in_name: datetime
    is_checked: bool  # whether the student must own the folder

    def receive(self) -> Received | None:
        """Return the submission, or None while nbgrader is still writing it.

        Raise ValueError or OSError for an invalid submission. The folder is opened only once, so that a
        student cannot put another folder in its place between the checks and the reading.
        """
        with open_folder(self.path) as folder:
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
            why = f"no page can be returned, because {SECRET} is not UTF-8 text"
            raise ValueError(f"{why}; ask the student to submit again") from None
        return Received(without_large_outputs(notebook), secret, when, note)

    def _expect_owner(self, user_id: int) -> None:
        try:
            owner = getpwuid(user_id).pw_name
        except KeyError:
            owner = f"user {user_id}"
        if owner != self.student:
            setting = "c.ExchangeCollect.check_owner = False in nbgrader_config.py"
            fix = f"if one user owns all submissions, set {setting}"
            raise ValueError(f"belongs to {owner} instead of {self.student}; {fix}")

    def _time(self, written: datetime) -> tuple[datetime, str]:
        """Return the time of the submission, and a note if this is not the time in the folder's name.

        If the time in the name cannot be true, the time `written` of the folder's last change counts.
        Students cannot choose this time.
        """
        is_backdated = self.is_checked and written - self.time_in_name > timedelta(seconds=_WRITTEN_SECONDS)
        if (
            not is_backdated
            and self.time_in_name - written <= _CLOCK_DIFFERENCE
            and plausible(self.time_in_name)
        ):
            return self.time_in_name, ""
        times = f"at {written:%Y-%m-%d %H:%M} UTC; its name says {self.time_in_name:%Y-%m-%d %H:%M} instead"
        return written, f"the folder was last changed {times}. The time of the last change counts."


def _is_complete(folder: int) -> bool:
    """Whether nbgrader has written all files of a folder.

    nbgrader writes the file with the secret last. A folder without this file counts as complete a minute
    after the file with the time was written.
    """
    if _stat(folder, SECRET):
        return True
    timestamp = _stat(folder, TIMESTAMP)
    return timestamp is not None and time.time() - timestamp.st_mtime > _WRITTEN_SECONDS


def _stat(folder: int, name: str) -> os.stat_result | None:
    """Return the status of a regular file, or None if the folder has no such file."""
    with suppress(OSError):
        about = os.stat(name, dir_fd=folder, follow_symlinks=False)
        return about if stat.S_ISREG(about.st_mode) else None
    return None


def inbound(course: Course, config: Config) -> Iterator[Inbound]:
    """Yield the folders that students have submitted through the exchange, sorted by the time in the name.

    In the exchange, any user can write a folder with any name. So `receive` refuses a folder that the student
    does not own. If the folder was changed more than a minute after the time in its name, the time of the
    change counts. `ExchangeCollect.check_owner = False` switches off both rules.
    """
    folder, is_checked = inbound_folder(course, config)
    names = "|".join(re.escape(name) for name in course.exercises)
    form = re.compile(rf"(.+)\+({names})\+([^+]+)(\+[^+]*)?")
    folders = [
        Inbound(path, match[1], match[2], when, is_checked)
        for path in (folder.iterdir() if folder.is_dir() else ())
        if (match := form.fullmatch(path.name)) and (when := time_in_name(match[3]))
    ]
    yield from sorted(folders, key=lambda inbound: (inbound.time_in_name, inbound.path.name))
