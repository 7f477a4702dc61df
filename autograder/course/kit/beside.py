"""Knows which files beside the notebook its cells read, and which of these hide a module that is needed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

NEEDED = {*sys.stdlib_module_names, "torch", "numpy", "matplotlib", "sympy", "networkx", "jinja2"}
ALONE = "reads {} in {}, but no file lies beside a graded notebook: write what you need into the notebook"


class Reads:
    """Notes which files in the notebook's folder are opened for reading while it is entered."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._listens = False
        self._read: set[Path] = set()
        self._written: set[Path] = set()
        sys.addaudithook(self._hear)  # which is for good

    def __enter__(self) -> Reads:
        self._read.clear()
        self._listens = True
        return self

    def __exit__(self, *_: object) -> None:
        self._listens = False

    def _hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if self._listens and event == "open" and isinstance(arguments[0], (str, bytes)):
            written = str(arguments[1] or "r")[0] in "wax"
            path = Path(os.fsdecode(arguments[0])).absolute()
            (self._written if written else self._read).add(path)

    def names(self) -> list[str]:
        """Return the files that were there before, by their names; a module goes by its source."""
        found = {self._name(path) for path in self._read - self._written}
        return sorted(found - {"", "conftest.py"})

    def _name(self, path: Path) -> str:
        if path.parent.name == "__pycache__":
            path = path.parent.parent / f"{path.name.partition('.')[0]}.py"
        path = path.resolve()
        if self._folder not in path.parents or Path(sys.prefix).resolve() in path.parents:
            return ""
        name = path.relative_to(self._folder)
        return "" if name.parts[0].startswith(".") or not path.is_file() else name.as_posix()


def hiding(folder: Path, read: set[str]) -> list[str]:
    """Return the files in `folder` that were imported, or `read`, in the place of what is needed."""
    found = sorted(path for path in folder.glob("*.py") if path.name != "conftest.py")
    return [path.name for path in found if path.stem in NEEDED and (path.name in read or _is_loaded(path))]


def _is_loaded(path: Path) -> bool:
    file = getattr(sys.modules.get(path.stem), "__file__", None)
    return file is not None and Path(file).resolve() == path.resolve()
