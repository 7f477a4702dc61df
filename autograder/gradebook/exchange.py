"""Returns feedback through nbgrader's exchange, and finds the folder of incoming submissions."""

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
    """Releases feedback to the exchange, and skips submissions that did not come through the exchange.

    nbgrader's own class stops at the first such submission.
    """

    def copy_files(self) -> None:
        """Copy the feedback pages to the exchange. Log a warning for each page that cannot be returned.

        nbgrader's fetch_feedback looks for a page by the name of the submitted file. If this name is unknown
        or the copying fails, `problems` maps the page's folder to the reason. Other pages are still copied.
        """
        self.problems: dict[Path, str] = {}
        inbound = list(Path(self.course_path, "inbound").glob(f"*+{self.coursedir.assignment_id}+*"))
        for folder in sorted(map(Path, glob(self.src_path))):  # noqa: PTH207 - it is absolute
            student, exercise = folder.parts[-2:]
            if student in self.coursedir.student_id_exclude.split(","):
                continue
            if not _can_return(folder):
                why = (
                    f"has no readable {SECRET} from nbgrader's exchange, so the student cannot fetch the page"
                )
                self.log.warning("%s %s", folder, why)
                continue
            try:
                secret = (folder / SECRET).read_text(encoding="utf-8")
                self._copy(folder / f"{exercise}.html", secret, exercise)
                name = _submitted_name(student, exercise, secret, inbound)
                self._copy(folder / f"{exercise}.html", secret, name)
            except (OSError, ValueError) as error:
                self.problems[folder] = str(error)
                self.log.warning("fetch_feedback cannot find the page in %s: %s", folder, error)

    def _copy(self, page: Path, secret: str, name: str) -> None:
        """Copy a page to the path at which fetch_feedback looks for the page of the submitted file `name`."""
        target = Path(self.dest_path, f"{notebook_hash(secret=secret, notebook_id=name)}.html")
        shutil.copy(page, draft := target.with_suffix(".tmp"))
        draft.replace(target)


def _submitted_name(student: str, exercise: str, secret: str, inbound: list[Path]) -> str:
    """Return the name of the file that was submitted with this secret, without its suffix."""
    name = None
    for folder in sorted(inbound, key=lambda path: not path.name.startswith(f"{student}+")):
        with suppress(OSError), open_folder(folder) as opened:
            if read_file(opened, SECRET, MAX_SECRET) == secret.encode():
                name = Path(notebook_name(opened, exercise))
                break
    if name is None:
        raise ValueError("the submission is no longer in the exchange, so the name of its file is unknown")
    if name.suffix != ".ipynb" or name.name.startswith("."):
        raise ValueError("the submitted file is hidden or does not end in .ipynb")
    if writable(name.name) != name.name:
        raise ValueError("the name of the submitted file is not UTF-8 text")
    return name.stem


def _can_return(folder: Path) -> bool:
    """Whether the page's folder has the non-empty text files that nbgrader needs to return the page."""
    with suppress(OSError, UnicodeDecodeError):
        return all((folder / name).read_text(encoding="utf-8") for name in COMPANIONS)
    return False


def read_file(folder: int, name: str, limit: int, owner: int | None = None) -> bytes | None:
    """Return the first `limit` + 1 bytes of the plain file `name` in an open folder.

    Return None if there is no such file, or if the file does not belong to `owner`. This refuses a hard link
    to another student's file, because the file belongs to the other student.
    """
    with suppress(OSError), open_plain(name, os.O_NOFOLLOW, folder) as file:
        if owner in (None, os.fstat(file.fileno()).st_uid):
            return file.read(limit + 1)
    return None


def notebook_name(folder: int, exercise: str) -> str:
    """Return the name of the submitted file that counts.

    It is the file named after the exercise, or else the only notebook or script.
    """
    expected = f"{exercise}.ipynb"
    files = [name for name in os.listdir(folder) if not left_out(name)]
    candidates = [name for name in files if is_notebook(name, [exercise])]
    notebooks = [name for name in candidates if name.endswith(".ipynb")]
    choices = ([expected] if expected in candidates else [], notebooks, candidates)
    return next((names[0] for names in choices if len(names) == 1), expected)


def inbound_folder(course: Course, config: Config) -> tuple[Path, bool]:
    """Return the folder of incoming submissions, and whether students must own their submitted folders."""
    settings = {"coursedir": CourseDirectory(config=config), "config": config}
    folder = Path(Exchange(**settings).root) / course.settings.course / "inbound"
    return folder, ExchangeCollect(**settings).check_owner


def time_in_name(text: str) -> datetime | None:
    """Return a time from the name of a submitted folder, in UTC, or None if `text` is not a time.

    The time may be wrong, for example in the future.
    """
    with suppress(Exception):  # parse_utc raises errors of many kinds
        return parse_utc(text).replace(tzinfo=UTC)  # type: ignore[no-any-return]
    return None


def release_page(config: Config, page: Path) -> str:
    """Send a page to its student through the exchange, if possible. Return a text that says what was done."""
    if not _can_return(page.parent):
        return "wrote the page"
    student, exercise = page.parts[-3:-1]
    settings = Config(config)
    settings.CourseDirectory.assignment_id, settings.CourseDirectory.student_id = exercise, student
    folder = CourseDirectory(config=settings)
    release = ReleaseFeedback(coursedir=folder, authenticator=Authenticator(config=settings), config=settings)
    release.start()
    why = "; ".join(release.problems.values())
    return f"wrote the page, but fetch_feedback cannot find it: {why}" if why else "returned the page"
