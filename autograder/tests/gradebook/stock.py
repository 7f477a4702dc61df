"""nbgrader as it comes: its own command, run in a course's folder, and what the formgrader's buttons do."""

from pathlib import Path

import pytest
from jupyter_core.application import NoStart
from nbgrader.apps import NbGraderAPI, NbGraderApp
from traitlets.config import Config

from autograder.course.course import Course
from autograder.gradebook.config import load

# nbgrader passes an "authentictor" to the exchange, leaves files open, and queries what SQLAlchemy doubts.
IGNORED_WARNINGS = [
    pytest.mark.filterwarnings("ignore:Passing unrecognized arguments:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),
]
# Parts of a Jupyter server that nbgrader does without, and that take seconds to start.
UNNEEDED = ("jupyterlab", "jupyterlab_jupytext", "jupyter_lsp", "notebook", "notebook_shim")


def nbgrader(course: Course, *arguments: str) -> None:
    """Run nbgrader's own command in the course's folder; in this process, as its imports take longer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(course.root)
        app = last = NbGraderApp()
        app.initialize(list(arguments))
        while last.subapp is not None:
            last = last.subapp
        try:
            with pytest.raises(NoStart):  # by which it ends after its subcommand
                app.start()
        finally:
            last.clear_instance()


def formgrader(course: Course, exchange: Path | None = None) -> NbGraderAPI:
    """Return what stands behind the formgrader's buttons."""
    config = load(course)
    config.merge(Config({"Exchange": {"root": str(exchange or course.root)}}))
    return NbGraderAPI(config=config)
