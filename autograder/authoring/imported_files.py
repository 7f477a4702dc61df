"""Finds the files, pictures and packages that an nbgrader notebook uses."""

import ast
import re
import sys
from base64 import b64decode
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path, PurePosixPath
from typing import Any

from autograder.authoring.imported_tests import parsed
from autograder.course.exercise import HANDOUT
from autograder.course.packages import FIGURES

# Links to pictures that a release copies into the notebook.
_EMBEDDED = re.compile(r"!\[[^\]]*\]\(([\w-]+\.(?:svg|png))\)")
_LINKED = re.compile(
    r"""\]\(\s*<?([^)\s>]+)|<(?:img|a|source|video|audio)\b[^>]*?(?:src|href)=["']([^"']+)"""
)
_ATTACHED = re.compile(r"attachment:([^)\s\"'>]+)")
_PICTURE_NAME = re.compile(r"[\w-]+\.(?:svg|png)")
# Parts of the names of functions that read files.
_READING = re.compile(r"read|load|open|imread|genfromtxt|fromfile")
_GIVEN = {"IPython", "ipywidgets", "jupyter", "nbgrader", "pytest"}  # packages that every course has
_OTHER_NAMES = {  # the package's name on PyPI, by module, if the two names differ
    "sklearn": "scikit-learn",
    "skimage": "scikit-image",
    "PIL": "pillow",
    "cv2": "opencv-python",
    "bs4": "beautifulsoup4",
    "yaml": "pyyaml",
    "Bio": "biopython",
}


class Files:
    """The files of the notebook's folder that become part of the exercise."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self.content: dict[str, bytes] = {}  # the bytes of each file, by path in the exercise's folder
        self.notes: list[str] = []

    def add_code(self, code: str) -> None:
        """Add the files of the notebook's folder that the code names or imports."""
        tree = parsed(code)
        for name in _paths(tree):
            self._hand_out(name)
        for name in modules(tree):
            self._hand_out(f"{name}.py")
        for name in _read_files(tree):
            if not self._is_there(name) and "://" not in name:
                self._note_missing(name)

    def add_text(self, cell: Any) -> str:
        """Add the pictures and files that a text cell uses.

        Return the cell's text with links to files in place of pasted pictures.
        """
        text: str = cell.source
        for name, content in _attachments(cell):
            text = text.replace(f"attachment:{name}", self._picture(name, content))
        for name in _ATTACHED.findall(text):
            self.notes.append(
                f"The notebook shows the picture {name}, but does not contain it: paste it again."
            )
        for name in _EMBEDDED.findall(text):
            path = self._folder / name
            if path.is_file():
                self.content[name] = path.read_bytes()
            elif name not in self.content:
                self._note_missing(name)
        for match in _LINKED.finditer(text):
            name = match[1] or match[2]
            if not re.match(r"\w+:|#|/", name) and name not in self.content:
                if self._is_there(name):
                    self._hand_out(name)
                elif f"{HANDOUT}/{name}" not in self.content:
                    self._note_missing(name)
        return text

    def _picture(self, name: str, content: bytes) -> str:
        """Add a picture that was pasted into a text cell; return its new name."""
        stem, dot, suffix = name.rpartition(".")
        new_name = f"{re.sub(r'[^A-Za-z0-9_-]', '_', stem)}{dot}{suffix.lower()}"
        folder = "" if _PICTURE_NAME.fullmatch(new_name) else f"{HANDOUT}/"
        while self.content.get(f"{folder}{new_name}", content) != content:
            new_name = f"_{new_name}"
        self.content[f"{folder}{new_name}"] = content
        return new_name

    def _is_there(self, name: str) -> bool:
        path = self._folder / name
        try:
            return path.is_file() and path.resolve().is_relative_to(self._folder)
        except (OSError, ValueError):  # the string may not be a valid path
            return False

    def _hand_out(self, name: str) -> None:
        if self._is_there(name):
            path = PurePosixPath(HANDOUT, PurePosixPath(name))
            self.content[str(path)] = (self._folder / name).read_bytes()

    def _note_missing(self, name: str) -> None:
        note = f"The file {name} is missing in the notebook's folder: add it to {HANDOUT}/."
        if note not in self.notes:
            self.notes.append(note)


def _attachments(cell: Any) -> Iterator[tuple[str, bytes]]:
    """Yield the name and bytes of each picture that was pasted into a text cell."""
    for name, forms in cell.get("attachments", {}).items():
        for kind, encoded in forms.items():
            text = "".join(encoded)
            yield name, text.encode() if kind == "image/svg+xml" else b64decode(text)


def _paths(tree: ast.AST) -> Iterator[str]:
    """Yield strings that may be paths, and paths that code builds, as in Path("a") / "b.csv"."""
    for node in ast.walk(tree):
        match node:
            case ast.Constant(str(text)) if 0 < len(text) < 300 and "\n" not in text:
                yield text
            case ast.Call(ast.Attribute(attr="join"), [_, _, *_] as parts) | ast.Call(
                ast.Name("Path"), [_, _, *_] as parts
            ) if all(map(_text, parts)):
                yield "/".join(map(_text, parts))
            case ast.BinOp(op=ast.Div()) if name := _joined_path(node):
                yield name


def _joined_path(node: ast.expr) -> str:
    """Return the path in an expression like `Path("data") / "trees.csv"`, or an empty string."""
    match node:
        case ast.BinOp(left, ast.Div(), right) if (name := _joined_path(left)) and _text(right):
            return f"{name}/{_text(right)}"
        case ast.Call(func, [argument]) if ast.unparse(func).endswith("Path"):
            return _text(argument)
    return ""


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _read_files(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func, [first, *others], named) if _READING.search(
                ast.unparse(func).rpartition(".")[2]
            ):
                modes = [*others[:1], *(word.value for word in named if word.arg == "mode")]
                writes = re.fullmatch("[wax][bt+]*", "".join(map(_text, modes)))
                if not writes and re.search(r"\.\w{1,5}$", _text(first)):
                    yield _text(first)


def modules(tree: ast.AST) -> Iterator[str]:
    """Yield the top-level modules that code imports."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                yield from (alias.name.partition(".")[0] for alias in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module.partition(".")[0]


def packages(codes: Sequence[str], folder: Path) -> tuple[str, ...]:
    """Return pip's names of the packages that code imports.

    Leave out the standard library, packages that every course has, and modules in the notebook's folder.
    """
    imported = {name for code in codes for name in modules(parsed(code))}
    if any(re.search(r"^%matplotlib\b|^%pylab\b", code, re.MULTILINE) for code in codes):
        imported.add(FIGURES)
    local = {name for name in imported if (folder / f"{name}.py").is_file() or (folder / name).is_dir()}
    others = imported - sys.stdlib_module_names - local - _GIVEN - {"autograder"}
    return tuple(sorted({_pip_name(name) for name in others}))


def _pip_name(module: str) -> str:
    """Return pip's name of a module's package, in lower case. By default, return the module's name."""
    return _OTHER_NAMES.get(module) or next(iter(_distributions().get(module, ())), module).lower()


@cache
def _distributions() -> dict[str, list[str]]:
    return dict(packages_distributions())
