"""Returns feedback through nbgrader's exchange, and says where submissions come in."""

import os
import shutil
from contextlib import suppress
from datetime import UTC, datetime
from glob import glob
from pathlib import Path

from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import Exchange, ExchangeCollect, ExchangeReleaseFeedback
from nbgrader.utils import notebook_hash, parse_utc
from traitlets.config import Config

from autograder.collecting.attempts import COMPANIONS, SECRET
from autograder.collecting.names import is_notebook, left_out
from autograder.course.course import Course
from autograder.report.text import writable
from autograder.submission.notebook import open_folder, open_plain

MAX_SECRET = 1000  # bytes


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
    name = None
    for folder in sorted(came, key=lambda path: not path.name.startswith(f"{student}+")):
        with suppress(OSError), open_folder(folder) as opened:
            if read_file(opened, SECRET, MAX_SECRET) == secret.encode():
                name = Path(notebook_name(opened, exercise))
                break
    if name is None:
        raise ValueError("the submission is no longer in the exchange, so the name of its file is unknown")
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


def read_file(folder: int, name: str, limit: int, owner: int | None = None) -> bytes | None:
    """Return a plain file's bytes, or None if there is no plain file of this name, or it is not `owner`'s.

    A hard link to another student's file has that student as its owner.
    """
    with suppress(OSError), open_plain(name, os.O_NOFOLLOW, folder) as file:
        if owner in (None, os.fstat(file.fileno()).st_uid):
            return file.read(limit + 1)
    return None


def notebook_name(folder: int, exercise: str) -> str:
    """Return the name of the file that counts: the exercise's own, or the only notebook, or else script."""
    own = f"{exercise}.ipynb"
    files = [name for name in os.listdir(folder) if not left_out(name)]
    candidates = [name for name in files if is_notebook(name, [exercise])]
    notebooks = [name for name in candidates if name.endswith(".ipynb")]
    choices = ([own] if own in candidates else [], notebooks, candidates)
    return next((names[0] for names in choices if len(names) == 1), own)


def inbound_folder(course: Course, config: Config) -> tuple[Path, bool]:
    """Return where students' folders come in, and whether each folder's owner must be its student."""
    place = {"coursedir": CourseDirectory(config=config), "config": config}
    folder = Path(Exchange(**place).root) / course.settings.course / "inbound"
    return folder, ExchangeCollect(**place).check_owner


def time_in_name(text: str) -> datetime | None:
    """Return the UTC time in a folder's name, however implausible; None where there is none."""
    with suppress(Exception):  # parse_utc raises many kinds for a time that nbgrader has not written
        return parse_utc(text).replace(tzinfo=UTC)  # type: ignore[no-any-return]
    return None


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
