"""Sets nbgrader up for a course; nbgrader_config.py and the command line both take the settings from here."""

import os
import shutil
import sys
from copy import deepcopy
from functools import lru_cache
from pathlib import Path

from nbgrader import api
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from autograder.course.course import FILE as COURSE
from autograder.course.course import Course
from autograder.gradebook.autograde import CHECKED, GRADED, SubmissionExporter
from autograder.gradebook.exchange import ReleaseFeedback
from autograder.gradebook.export_plugin import SettledCsvExport
from autograder.gradebook.feedback import FeedbackExporter
from autograder.gradebook.formgrader import record_saves
from autograder.gradebook.migration import bring_up_to_date, newest_version

FILE = "nbgrader_config.py"
_TEMPLATE = Path(__file__).with_name("formgrade.html.j2")


def configuration(course: Course) -> Config:
    """Return the settings by which nbgrader's own commands and pages use our code."""
    _find_alembic()
    api.get_alembic_version = newest_version  # for a new gradebook; nbgrader starts a process, for seconds
    config = Config()
    config.CourseDirectory.course_id = course.settings.course
    config.CourseDirectory.source_directory = "build/source"
    config.CourseDirectory.release_directory = "assignments"
    config.Autograde.exporter_class = SubmissionExporter
    config.Autograde.sanitize_preprocessors = list(CHECKED)
    config.Autograde.autograde_preprocessors = list(GRADED)
    config.GenerateFeedback.exporter_class = FeedbackExporter
    config.GenerateFeedback.preprocessors = []
    config.ExportApp.plugin_class = SettledCsvExport
    config.ExchangeFactory.release_feedback = ReleaseFeedback
    config.HTMLExporter.preprocessors = [
        "autograder.gradebook.hand_grading.CleanMarkdown"
    ]  # formgrader's pages
    config.HTMLExporter.template_file = str(_TEMPLATE)  # both for formgrader's pages
    config.CleanMarkdown.course = str(course.root)
    record_saves()
    return config


def load(course: Course) -> Config:
    """Return the settings that nbgrader's own commands use: ours, then those of nbgrader_config.py.

    That file is run once for each content of it and of course.yaml, which it reads.
    """
    config = configuration(course)
    if (path := course.root.absolute() / FILE).is_file():
        config.merge(deepcopy(_given(path, path.read_bytes(), path.with_name(COURSE).read_bytes())))
    config.CourseDirectory.root = str(course.root)
    return config


def database(course: Course) -> str:
    """Return the address of the course's gradebook, as SQLAlchemy takes it.

    One that an older nbgrader has made is brought up to date before, since nothing here could read it.
    """
    given = load(course).CourseDirectory
    address = (
        str(given.db_url) if "db_url" in given else f"sqlite:///{Path(course.root).resolve()}/gradebook.db"
    )
    if (path := _file(address)) is not None:
        bring_up_to_date(path, course.settings.course)
    return address


def gradebook_file(course: Course) -> Path | None:
    """Return the gradebook's file; None where it is kept by a server."""
    return _file(database(course))


def gradebook_exists(course: Course) -> bool:
    """Whether the course has a gradebook; one on a server always counts as there."""
    path = gradebook_file(course)
    return path is None or path.is_file()


@lru_cache(maxsize=1)
def _given(path: Path, *_content: bytes) -> Config:
    return PyFileConfigLoader(path.name, path=str(path.parent)).load_config()


def _file(address: str) -> Path | None:
    prefix = "sqlite:///"
    return Path(address.removeprefix(prefix)) if address.startswith(prefix) else None


def _find_alembic() -> None:
    """Put the folder of our own Python on the path: nbgrader runs `alembic` by name for a new gradebook."""
    if shutil.which("alembic") is None:
        os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
