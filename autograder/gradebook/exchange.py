"""Reads submissions from nbgrader's exchange, and returns feedback through it.

nbgrader itself collects only each student's newest submission; here all of them are read.
"""

import os
import re
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from glob import glob
from pathlib import Path
from pwd import getpwuid

from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import Exchange, ExchangeCollect, ExchangeReleaseFeedback
from nbgrader.utils import notebook_hash, parse_utc
from traitlets.config import Config

from autograder.collecting.attempts import COMPANIONS, SECRET, TIMESTAMP
from autograder.collecting.names import is_notebook, left_out, plausible
from autograder.course.course import Course
from autograder.report.text import writable
from autograder.submission.notebook import MAX_WITH_OUTPUTS, open_folder, open_plain, without_large_outputs

_WRITTEN_SECONDS = 60  # so long a submission may be on its way
_CLOCK_DIFFERENCE = timedelta(days=1)  # between the machine of a student and that of the exchange
_MAX_SECRET = 1000  # bytes


class ReleaseFeedback(ExchangeReleaseFeedback):  # type: ignore[misc]
    """Releases feedback; nbgrader's own stops at the first submission that came another way."""

    def copy_files(self) -> None:
        """Copy the pages of whoever handed in through the exchange, and name the others in the log.

        nbgrader's fetch_feedback looks for a page by the name of the submitted file. `problems` says which
        pages it cannot find, and why: no page stops another.
        """
        self.problems: dict[Path, str] = {}
        came = list(Path(self.course_path, "inbound").glob(f"*+{self.coursedir.assignment_id}+*"))
        for folder in sorted(map(Path, glob(self.src_path))):  # noqa: PTH207 - it is absolute
            student, exercise = folder.parts[-2:]
            if student in self.coursedir.student_id_exclude.split(","):
                continue
            if not _can_return(folder):
                why = "did not come through the exchange with a readable secret, so its page stays here"
                self.log.warning("%s %s", folder, why)
                continue
            try:
                secret = (folder / SECRET).read_text(encoding="utf-8")
                self._copy(folder / f"{exercise}.html", secret, exercise)
                name = _submitted_name(student, exercise, secret, came)
                self._copy(folder / f"{exercise}.html", secret, name)
            except (OSError, ValueError) as error:
                self.problems[folder] = str(error)
                self.log.warning("fetch_feedback cannot find the page in %s: %s", folder, error)

    def _copy(self, page: Path, secret: str, name: str) -> None:
        """Copy a page to where fetch_feedback looks for it by the name of the submitted file."""
        wanted = Path(self.dest_path, f"{notebook_hash(secret=secret, notebook_id=name)}.html")
        shutil.copy(page, draft := wanted.with_suffix(".tmp"))
        draft.replace(wanted)


def _submitted_name(student: str, exercise: str, secret: str, came: list[Path]) -> str:
    """Return the name of the file that was submitted with this secret, without its suffix."""
    likely = sorted(came, key=lambda one: not one.name.startswith(f"{student}+"))
    same = next((one for one in likely if _secret(one) == secret.encode()), None)
    if same is None:
        raise ValueError("the submission is no longer in the exchange, so the name of its file is unknown")
    with open_folder(same) as folder:
        name = Path(_notebook(folder, exercise))
    if name.suffix != ".ipynb" or name.name.startswith("."):
        raise ValueError("it looks for .ipynb files only, and another file was submitted")
    if writable(name.name) != name.name:
        raise ValueError("the name of the submitted file is not UTF-8 text")
    return name.stem


def _can_return(folder: Path) -> bool:
    """Whether beside a page lies what nbgrader needs to return it: texts, of which none is empty."""
    with suppress(OSError, UnicodeDecodeError):
        return all((folder / name).read_text(encoding="utf-8") for name in COMPANIONS)
    return False


def _secret(folder: Path) -> bytes | None:
    with suppress(OSError), open_folder(folder) as opened:
        return _read(opened, SECRET, _MAX_SECRET)
    return None


def _read(folder: int, name: str, limit: int, owner: int | None = None) -> bytes | None:
    """Return a plain file's bytes, or None if there is no plain file of this name, or it is not `owner`'s.

    A hard link to another student's file has that student as its owner.
    """
    with suppress(OSError), open_plain(name, os.O_NOFOLLOW, folder) as file:
        if owner in (None, os.fstat(file.fileno()).st_uid):
            return file.read(limit + 1)
    return None


def _notebook(folder: int, exercise: str) -> str:
    """Return the name of the file that counts: the exercise's own, or the only notebook, or else script."""
    own = f"{exercise}.ipynb"
    files = [name for name in os.listdir(folder) if not left_out(name)]
    candidates = [name for name in files if is_notebook(name, [exercise])]
    notebooks = [name for name in candidates if name.endswith(".ipynb")]
    choices = ([own] if own in candidates else [], notebooks, candidates)
    return next((names[0] for names in choices if len(names) == 1), own)


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
            notebook = _read(folder, _notebook(folder, self.exercise), MAX_WITH_OUTPUTS, owner)
            secret = _read(folder, SECRET, _MAX_SECRET, owner) or b""
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
    root = Exchange(coursedir=CourseDirectory(config=config), config=config).root
    folder = Path(root) / course.settings.course / "inbound"
    names = "|".join(re.escape(name) for name in course.exercises)
    form = re.compile(rf"(.+)\+({names})\+([^+]+)(\+[^+]*)?")
    checks = ExchangeCollect(coursedir=CourseDirectory(config=config), config=config).check_owner
    folders = []
    for path in folder.iterdir() if folder.is_dir() else ():
        if match := form.fullmatch(path.name):
            with suppress(Exception):  # parse_utc raises many kinds for a time that nbgrader has not written
                when = parse_utc(match[3]).replace(tzinfo=UTC)
                folders.append(Inbound(path, match[1], match[2], when, checks))
    yield from sorted(folders, key=lambda one: (one.named, one.folder.name))


def release_page(config: Config, page: Path) -> str:
    """Return a page through the exchange, if the submission came through it, and say what became of it."""
    if not _can_return(page.parent):
        return "wrote the page"
    student, exercise = page.parts[-3:-1]
    own = Config(config)
    own.CourseDirectory.assignment_id, own.CourseDirectory.student_id = exercise, student
    place = CourseDirectory(config=own)
    release = ReleaseFeedback(coursedir=place, authenticator=Authenticator(config=own), config=own)
    release.start()
    why = "; ".join(release.problems.values())
    return f"wrote the page, which fetch_feedback cannot find: {why}" if why else "returned the page"
