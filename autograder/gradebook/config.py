"""Configures nbgrader for a course, opens its converters, and turns their failures into one error.

nbgrader_config.py and the command line both take the settings from here. They name our classes as texts:
nbgrader imports a class when it needs it, and this module imports none of them.
"""

import os
import shutil
import sqlite3
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from copy import deepcopy
from functools import cache, lru_cache
from logging import Logger
from pathlib import Path
from typing import Any

from alembic.script import ScriptDirectory
from nbgrader import api
from nbgrader.api import Gradebook
from nbgrader.converters.base import BaseConverter
from nbgrader.converters.base import NbGraderException as NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.dbutil import ALEMBIC_DIR
from sqlalchemy.exc import SAWarning
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from autograder.course.course import FILE as COURSE
from autograder.course.course import Course, log_of
from autograder.course.exercise import Exercise
from autograder.course.guard import unwritable_for_one
from autograder.course.kept import GRADEBOOK
from autograder.errors import AutograderError
from autograder.files import write_whole
from autograder.submission.submission import Submission

FILE = "nbgrader_config.py"
_SQLITE = "sqlite:///"
_TEMPLATE = Path(__file__).with_name("formgrade.html.j2")
LOG = "nbgrader"


def configuration(course: Course) -> Config:
    """Return the settings by which nbgrader's own commands and pages use our code."""
    _find_alembic()
    api.get_alembic_version = newest_version  # for a new gradebook; nbgrader starts a process, for seconds
    config = Config()
    config.CourseDirectory.root = str(course.root.absolute())
    config.CourseDirectory.course_id = course.settings.course
    config.CourseDirectory.source_directory = "build/source"
    config.CourseDirectory.release_directory = "assignments"
    config.Autograde.exporter_class = "autograder.batch.autograde.ClassExporter"
    config.GenerateFeedback.exporter_class = "autograder.gradebook.pages.FeedbackExporter"
    config.GenerateFeedback.preprocessors = []
    config.ExportApp.plugin_class = "autograder.gradebook.pages.SettledCsvExport"
    config.ExchangeFactory.release_feedback = "autograder.gradebook.exchange.ReleaseFeedback"
    # Both for the formgrader's pages.
    config.HTMLExporter.preprocessors = ["autograder.gradebook.formgrader.CleanMarkdown"]
    config.HTMLExporter.template_file = str(_TEMPLATE)
    config.CleanMarkdown.course = str(course.root)
    return config


def load(course: Course) -> Config:
    """Return the settings that nbgrader's own commands use: ours, then those of nbgrader_config.py.

    That file is run once for each content of it and of course.yaml, which it reads: that takes a sixth of a
    second, and each command needs the settings several times.
    """
    config = configuration(course)
    if (path := course.root.absolute() / FILE).is_file():
        config.merge(deepcopy(_given(path, path.read_bytes(), path.with_name(COURSE).read_bytes())))
    config.CourseDirectory.root = str(course.root)
    return config


def database(course: Course) -> str:
    """Return the address of the course's gradebook, as SQLAlchemy takes it.

    One that another nbgrader has made is refused, since nothing here could read it.
    """
    given = load(course).CourseDirectory
    if "db_url" in given and not str(given.db_url).startswith(_SQLITE):
        return str(given.db_url)
    file = str(given.db_url).removeprefix(_SQLITE) if "db_url" in given else course.root.resolve() / GRADEBOOK
    expect_current(Path(file))
    return f"{_SQLITE}{file}"


def gradebook_file(course: Course) -> Path | None:
    """Return the gradebook's file; None where it is kept by a server."""
    address = database(course)
    return Path(address.removeprefix(_SQLITE)) if address.startswith(_SQLITE) else None


@contextmanager
def open_gradebook(course: Course) -> Iterator[Gradebook | None]:
    """Yield the course's gradebook, or None where it has none yet; one on a server is always there."""
    path = gradebook_file(course)
    if path is None or path.is_file():
        with Gradebook(database(course), course.settings.course) as gradebook:
            yield gradebook
    else:
        yield None


@lru_cache(maxsize=1)
def _given(path: Path, *_content: bytes) -> Config:
    return PyFileConfigLoader(path.name, path=str(path.parent)).load_config()


def _find_alembic() -> None:
    """Put the folder of our own Python on the path: `nbgrader db upgrade` runs `alembic` by name."""
    if shutil.which("alembic") is None:
        os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"


class ConversionError(AutograderError):
    """nbgrader gave up, or our code inside it did; the message names the submission and the log."""


@contextmanager
def open_converter(
    kind: type[BaseConverter], course: Course, exercise: Exercise, **settings: Mapping[str, Any]
) -> Iterator[BaseConverter]:
    """Yield nbgrader's converter of this kind for one exercise, with `settings` over those of the course.

    It has a log of its own in build/, so that neither its messages nor its tracebacks reach anybody's screen.
    """
    config = load(course)
    config.merge(Config(settings))
    config.CourseDirectory.assignment_id = exercise.name
    with log_of(course, LOG) as log:
        yield kind(coursedir=CourseDirectory(config=config, log=log), config=config, log=log)


@contextmanager
def converting(course: Course, log: Logger, exercise: str, student: str = "") -> Iterator[None]:
    """Raise a ConversionError for whatever fails in the `with` block: the caller goes on to the next one.

    A full or read-only disk is one for all that follow, so the error stays as it is.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)  # from nbgrader's own use of its database
            yield
    except Exception as error:
        if not (problem := unwritable_for_one(error, course)):
            log.exception("%s %s", exercise, student)
            problem = f"{course.build / LOG}.log says why"
        whose = f" of {student}" if student else ""
        raise ConversionError(f"nbgrader gave up on {exercise}{whose}; {problem}") from error


def write_folder(
    converter: BaseConverter, submission: Submission, path: Path, text: str, others: Mapping[str, Path]
) -> None:
    """Write the folder of `path` anew, as converters do: copies of `others` under their names, then `text`.

    As `path` is written last, the folder is complete wherever `path` exists.
    """
    shutil.rmtree(path.parent, ignore_errors=True)
    for name, other in others.items():
        copy = path.parent / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(other, copy)
    write_whole(path, text)
    converter.set_permissions(submission.exercise, submission.student)


def expect_current(path: Path) -> None:
    """Raise an AutograderError unless the gradebook at `path` is as our nbgrader makes it, or missing.

    If nbgrader was stopped while it made the gradebook, there is no version yet, and tables may be missing.
    """
    if not path.is_file():
        return
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)) as connection:
            query = "select t.name, c.name from sqlite_master t, pragma_table_info(t.name) c"
            present = connection.execute(f"{query} where t.type = 'table'").fetchall()
            is_versioned = ("alembic_version", "version_num") in present
            query = "select version_num from alembic_version"
            versions = connection.execute(query).fetchall() if is_versioned else []
    except sqlite3.DatabaseError as error:
        raise AutograderError(f"{path}: is not a gradebook ({error}); put back your copy of it") from None
    tables = [table for table in api.Base.metadata.sorted_tables if table.name in dict(present)]
    lacking = {(table.name, column.name) for table in tables for column in table.columns} - {*present}
    if versions not in ([], [(newest_version(),)]) or lacking:
        fix = "run `nbgrader db upgrade` in the course's folder, or install the newer nbgrader that made it"
        raise AutograderError(f"{path}: is not of the nbgrader here; {fix}")


@cache
def newest_version() -> str:
    """Return which version a gradebook is of that our nbgrader makes."""
    return str(ScriptDirectory(ALEMBIC_DIR).get_current_head())


def copy_database(path: Path, copy: Path) -> None:
    """Copy a database whole, as it is at one moment, even while others write to it.

    It is opened for writing: what a killed process has left half done is undone first.
    """
    here = f"{path.absolute().as_uri()}?mode=rw"
    with closing(sqlite3.connect(here, uri=True)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
