"""Loads nbgrader without its extensions of Jupyter's server, for which a command has no use."""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

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
