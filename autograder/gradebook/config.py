"""Configures nbgrader for a course, opens nbgrader's converters, and turns failures into ConversionError.

nbgrader_config.py and the command line both get the settings from here. The settings give our classes as
dotted names, so that nbgrader imports only the classes that it uses.
"""

import os
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from copy import deepcopy
from logging import Logger, getLogger
from pathlib import Path
from typing import Any

from nbgrader import api
from nbgrader.api import Gradebook
from nbgrader.converters.base import BaseConverter
from nbgrader.converters.base import NbGraderException as NbGraderException
from nbgrader.coursedir import CourseDirectory
from sqlalchemy.exc import SAWarning
from traitlets.config import Config

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.guard import log_of, unwritable_for_one
from autograder.errors import AutograderError
from autograder.files import locked, write_whole
from autograder.records.database import gradebook_url, has_database, newest_version, read_config
from autograder.submission.submission import Submission

_TEMPLATE = Path(__file__).with_name("formgrade.html.j2")
LOG = "nbgrader"
_LOG = getLogger(__name__)


def configuration(course: Course) -> Config:
    """Return the settings that make nbgrader's commands and pages use our code."""
    _find_alembic()
    api.get_alembic_version = newest_version  # faster: nbgrader's function starts a process
    config = Config()
    config.CourseDirectory.root = str(course.root.absolute())
    config.CourseDirectory.course_id = course.settings.course
    config.CourseDirectory.source_directory = "build/source"
    config.CourseDirectory.release_directory = "assignments"
    config.Autograde.exporter_class = "autograder.batch.autograde.ClassExporter"
    config.GenerateFeedback.exporter_class = "autograder.gradebook.pages.FeedbackExporter"
    config.GenerateFeedback.preprocessors = []
    config.ExportApp.plugin_class = "autograder.gradebook.pages.CurrentCsvExport"
    config.ExchangeFactory.release_feedback = "autograder.gradebook.exchange.ReleaseFeedback"
    # The formgrader renders submissions with HTMLExporter.
    config.HTMLExporter.preprocessors = ["autograder.gradebook.formgrader.CleanMarkdown"]
    config.HTMLExporter.template_file = str(_TEMPLATE)
    config.CleanMarkdown.course = str(course.root)
    return config


def load(course: Course) -> Config:
    """Return the settings for nbgrader's commands. Settings in nbgrader_config.py override our settings."""
    config = configuration(course)
    config.merge(deepcopy(read_config(course.root)))
    config.CourseDirectory.root = str(course.root)
    return config


@contextmanager
def open_gradebook(course: Course) -> Iterator[Gradebook | None]:
    """Yield the course's gradebook, or None if the course has no database yet."""
    if has_database(course.root):
        with Gradebook(gradebook_url(course.root), course.settings.course) as gradebook:
            yield gradebook
    else:
        yield None


def _find_alembic() -> None:
    """Add the folder of this Python to PATH, because `nbgrader db upgrade` runs `alembic` by name."""
    if shutil.which("alembic") is None:
        os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"


class ConversionError(AutograderError):
    """Raised if nbgrader, or our code inside nbgrader, fails. The message names the submission and log."""


@contextmanager
def open_converter(
    kind: type[BaseConverter], course: Course, exercise: Exercise, **settings: Mapping[str, Any]
) -> Iterator[BaseConverter]:
    """Yield nbgrader's converter of this kind for one exercise. `settings` override the course's settings.

    The converter's messages and tracebacks go to a log in build/ instead of the terminal.
    """
    config = load(course)
    config.merge(Config(settings))
    config.CourseDirectory.assignment_id = exercise.name
    with log_of(course, LOG) as log:
        yield kind(coursedir=CourseDirectory(config=config, log=log), config=config, log=log)


def grading_lock(course: Course, tell: Callable[[str], None] = _LOG.warning) -> AbstractContextManager[None]:
    """Return the lock that only one grading process can hold. A second process waits and says so."""
    return locked(course.root / ".grading.lock", tell)


@contextmanager
def open_for_grading(course: Course) -> Iterator[Gradebook]:
    """Yield the gradebook, with the lock for grading."""
    with grading_lock(course), Gradebook(gradebook_url(course.root), course.settings.course) as gradebook:
        yield gradebook


@contextmanager
def converting(course: Course, log: Logger, exercise: str, student: str = "") -> Iterator[None]:
    """Raise ConversionError if the `with` block fails. The caller can go on with the next submission.

    An error that affects all submissions, such as a full disk, is raised unchanged.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)  # nbgrader's queries cause such warnings
            yield
    except Exception as error:
        if not (problem := unwritable_for_one(error, course)):
            log.exception("%s %s", exercise, student)
            problem = f"{course.build / LOG}.log says why"
        owner = f" of {student}" if student else ""
        raise ConversionError(f"nbgrader failed on {exercise}{owner}; {problem}") from error


def write_folder(
    converter: BaseConverter, submission: Submission, path: Path, text: str, others: Mapping[str, bytes]
) -> None:
    """Replace the folder that contains `path`: write the files `others`, then `text` to `path`.

    `path` is written last. So if `path` exists, the folder is complete.
    """
    shutil.rmtree(path.parent, ignore_errors=True)
    for name, other in others.items():
        write_whole(path.parent / name, other)
    write_whole(path, text)
    converter.set_permissions(submission.exercise, submission.student)
