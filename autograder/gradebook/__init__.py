"""The only sub-package that imports nbgrader: releases, the gradebook, its autograde and feedback.

Read in this order:

config: sets nbgrader up, opens its gradebook and converters, and refuses a gradebook of another version.
assignment: releases exercises, and records them in the gradebook: questions, points, released cells.
rows: reads nbgrader's rows on students and submissions, or makes them.
grades: records a graded submission: scores, comments, for which answers they are, and the graded notebook.
lateness: says who may hand in until when, how late submissions are and what that costs.
attempts: refuses folders on which nbgrader would fail; says which attempt counts, and what each scored.
audit: stores every change of a score in autograder.db.
ledger: settles what each submission is worth, and says what has changed and why.
book: holds one exercise's part of the gradebook open while a class is graded; copies it for a dry run.
commands: makes `nbgrader autograde` and `nbgrader export` take the same steps.
comments: the course's comment bank; replaces `#name` in comments by its text.
pages: serves publishing, which only reads: submissions and feedback pages.
renaming: gives a student another id, everywhere.
backup: packs a running course into one file, and brings it back.
exchange: reads what came through nbgrader's exchange, and returns feedback through it.
formgrader: shows instructors what they need to grade an answer, and keeps students' scripts out.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

_EXTENSIONS = ("assignment_list", "course_list", "formgrader", "validate_assignment")


def load_nbgrader() -> None:
    """Import nbgrader, if it is not loaded, and nothing of Jupyter's server, which its package would load.

    Whoever asks for one of the extensions afterwards gets it.
    """
    if "nbgrader" in sys.modules:
        return
    names = [f"nbgrader.server_extensions.{name}" for name in _EXTENSIONS]
    sys.modules.update({name: _StandIn(name) for name in names})
    try:
        import_module("nbgrader")
    finally:
        for name in names:
            del sys.modules[name]


class _StandIn(ModuleType):
    """Stands in the place of an extension until it is called."""

    def load_jupyter_server_extension(self, app: Any) -> None:
        """Load the real extension into a server."""
        import_module(self.__name__).load_jupyter_server_extension(app)
