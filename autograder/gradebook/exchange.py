"""Reads submissions from nbgrader's exchange, and returns feedback through it.

nbgrader itself collects only each student's newest submission; here all of them are read.
"""

import re
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from glob import glob
from pathlib import Path
from pwd import getpwuid

from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import Exchange, ExchangeCollect, ExchangeReleaseFeedback
from nbgrader.utils import notebook_hash, parse_utc
from traitlets.config import Config

from autograder.collecting.archive import EntryError
from autograder.collecting.attempts import COMPANIONS, SECRET, TIMESTAMP, read_plain
from autograder.collecting.names import is_notebook, left_out
from autograder.course.course import Course
from autograder.report.text import writable
from autograder.submission.notebook import read_notebook

_WRITTEN_SECONDS = 60  # so long a submission may be on its way
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
    name = Path(_notebook(same, exercise))
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
    with suppress(EntryError):
        return None if folder.is_symlink() else read_plain(folder / SECRET, _MAX_SECRET)
    return None


def _notebook(folder: Path, exercise: str) -> str:
    """Return the name of the file that counts: the exercise's own, or the only notebook, or else script."""
    own = f"{exercise}.ipynb"
    files = [path.name for path in folder.iterdir() if not left_out(path.name)]
    found = [name for name in files if is_notebook(name, [exercise])]
    notebooks = [name for name in found if name.endswith(".ipynb")]
    choices = ([own] if own in found else [], notebooks, found)
    return next((names[0] for names in choices if len(names) == 1), own)


@dataclass(frozen=True, slots=True)
class Inbound:
    """One submission in the exchange; its notebook is read when it is needed."""

    folder: Path
    student: str
    exercise: str
    named: datetime  # the time that its name tells
    when: datetime
    note: str = ""  # where the folder's own time counts
    problem: str = ""  # why it is not believed

    @property
    def complete(self) -> bool:
        """Whether nbgrader has written all of it: the secret comes last."""
        with suppress(OSError):
            if (self.folder / SECRET).is_file():
                return True
            return time.time() - (self.folder / TIMESTAMP).stat().st_mtime > _WRITTEN_SECONDS
        return False

    def read(self) -> tuple[bytes, bytes]:
        """Return the notebook and the secret by which its page returns; an error says what is wrong."""
        if (notebook := read_notebook(self.folder / _notebook(self.folder, self.exercise))).problem:
            raise ValueError(f"holds no {self.exercise}.ipynb")
        secret = read_plain(self.folder / SECRET, _MAX_SECRET) or b""
        try:
            secret.decode()
        except UnicodeDecodeError:
            why = "is not UTF-8 text, so no page could return; ask the student to submit again"
            raise ValueError(f"{SECRET} {why}") from None
        return notebook.content, secret


def inbound(course: Course, config: Config) -> Iterator[Inbound]:
    """Yield what students have handed in through the exchange, in the order of time.

    Anybody may write a folder of any name there. So its owner must be the student, and a time in its name
    that is long before the kernel's own counts for nothing, unless `ExchangeCollect.check_owner` is off.
    """
    root = Exchange(coursedir=CourseDirectory(config=config), config=config).root
    folder = Path(root) / course.settings.course / "inbound"
    names = "|".join(re.escape(name) for name in course.exercises)
    form = re.compile(rf"(.+)\+({names})\+([^+]+)(\+[^+]*)?")
    checks = ExchangeCollect(coursedir=CourseDirectory(config=config), config=config).check_owner
    found = []
    for path in folder.iterdir() if folder.is_dir() else ():
        match = form.fullmatch(path.name)
        if match and path.is_dir() and not path.is_symlink():
            with suppress(ValueError, OverflowError, TypeError, AttributeError):
                when = parse_utc(match[3]).replace(tzinfo=UTC)
                one = Inbound(path, match[1], match[2], when, when)
                found.append(_checked(one) if checks else one)
    yield from sorted(found, key=lambda one: (one.when, one.folder.name))


def _checked(one: Inbound) -> Inbound:
    """Return a submission with what its folder tells of its owner and its time, which students cannot set."""
    if (owner := _owner(one.folder)) != one.student:
        fix = (
            "where one user owns all of them, set c.ExchangeCollect.check_owner = False in nbgrader_config.py"
        )
        return replace(one, problem=f"is not {one.student}'s: its owner is {owner}; {fix}")
    written = datetime.fromtimestamp(one.folder.stat().st_ctime, UTC)
    if written - one.when <= timedelta(seconds=_WRITTEN_SECONDS):
        return one
    times = (
        f"{written:%Y-%m-%d %H:%M} UTC counts, when its folder was written, and not {one.when:%Y-%m-%d %H:%M}"
    )
    return replace(one, when=written, note=times)


def _owner(folder: Path) -> str:
    number = folder.stat().st_uid
    try:
        return getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"


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
