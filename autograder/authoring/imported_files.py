"""Finds the files that an nbgrader notebook names, its pictures, and the packages that it imports."""

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

_EMBEDDED = re.compile(r"!\[[^\]]*\]\(([\w-]+\.(?:svg|png))\)")  # pictures that a release puts into the text
_LINKED = re.compile(
    r"""\]\(\s*<?([^)\s>]+)|<(?:img|a|source|video|audio)\b[^>]*?(?:src|href)=["']([^"']+)"""
)
_ATTACHED = re.compile(r"attachment:([^)\s\"'>]+)")
_PICTURE_NAME = re.compile(r"[\w-]+\.(?:svg|png)")
_READING = re.compile(
    r"read|load|open|imread|genfromtxt|fromfile"
)  # in the names of functions that read files
_GIVEN = {"IPython", "ipywidgets", "jupyter", "nbgrader", "pytest"}  # packages that come with the course kit
_OTHER_NAMES = {  # on PyPI, of packages that are not installed here
    "sklearn": "scikit-learn",
    "skimage": "scikit-image",
    "PIL": "pillow",
    "cv2": "opencv-python",
    "bs4": "beautifulsoup4",
    "yaml": "pyyaml",
    "Bio": "biopython",
}


class Files:
    """The files that become part of the exercise, by their names in its folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self.content: dict[str, bytes] = {}
        self.notes: list[str] = []

    def add_code(self, code: str) -> None:
        """Add the files that code names in strings, and the modules beside the notebook that it imports."""
        tree = parsed(code)
        for name in _paths(tree):
            self._hand_out(name)
        for name in modules(tree):
            self._hand_out(f"{name}.py")
        for name in _read_files(tree):
            if not self._is_there(name) and "://" not in name:
                self._miss(name)

    def add_text(self, cell: Any) -> str:
        """Add the pictures and files that a text cell shows; return the text, which may name them anew."""
        text: str = cell.source
        for name, content in _attachments(cell):
            given = self._picture(name, content)
            text = text.replace(f"attachment:{name}", given)
        for name in _ATTACHED.findall(text):
            self.notes.append(f"The picture {name} is missing in the notebook.")
        for name in _EMBEDDED.findall(text):
            path = self._folder / name
            if path.is_file():
                self.content[name] = path.read_bytes()
            elif name not in self.content:
                self._miss(name)
        for match in _LINKED.finditer(text):
            name = match[1] or match[2]
            if not re.match(r"\w+:|#|/", name) and name not in self.content:
                if self._is_there(name):
                    self._hand_out(name)
                elif f"{HANDOUT}/{name}" not in self.content:
                    self._miss(name)
        return text

    def _picture(self, name: str, content: bytes) -> str:
        """Add a picture that was pasted into a text; return its name."""
        stem, dot, suffix = name.rpartition(".")
        plain = f"{re.sub(r'[^A-Za-z0-9_-]', '_', stem)}{dot}{suffix.lower()}"
        place = "" if _PICTURE_NAME.fullmatch(plain) else f"{HANDOUT}/"
        while self.content.get(f"{place}{plain}", content) != content:
            plain = f"_{plain}"
        self.content[f"{place}{plain}"] = content
        return plain

    def _is_there(self, name: str) -> bool:
        path = self._folder / name
        try:
            return path.is_file() and path.resolve().is_relative_to(self._folder)
        except (OSError, ValueError):  # whatever a string holds
            return False

    def _hand_out(self, name: str) -> None:
        if self._is_there(name):
            place = PurePosixPath(HANDOUT, PurePosixPath(name))
            self.content[str(place)] = (self._folder / name).read_bytes()

    def _miss(self, name: str) -> None:
        note = f"The file {name} is not in the notebook's folder: put it into {HANDOUT}/."
        if note not in self.notes:
            self.notes.append(note)


def _attachments(cell: Any) -> Iterator[tuple[str, bytes]]:
    for name, forms in cell.get("attachments", {}).items():
        for kind, encoded in forms.items():
            text = "".join(encoded)
            yield name, text.encode() if kind == "image/svg+xml" else b64decode(text)


def _paths(tree: ast.AST) -> Iterator[str]:
    """Yield the strings of some code that may be paths, also those that it joins from several."""
    for node in ast.walk(tree):
        match node:
            case ast.Constant(str(text)) if 0 < len(text) < 300 and "\n" not in text:
                yield text
            case ast.Call(ast.Attribute(attr="join"), [_, _, *_] as parts) | ast.Call(
                ast.Name("Path"), [_, _, *_] as parts
            ) if all(map(_text, parts)):
                yield "/".join(map(_text, parts))
            case ast.BinOp(op=ast.Div()) if name := _divided(node):
                yield name


def _divided(node: ast.expr) -> str:
    """Return the path that `Path("data") / "trees.csv"` names, or nothing."""
    match node:
        case ast.BinOp(left, ast.Div(), right) if (name := _divided(left)) and _text(right):
            return f"{name}/{_text(right)}"
        case ast.Call(func, [argument]) if ast.unparse(func).endswith("Path"):
            return _text(argument)
    return ""


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _read_files(tree: ast.AST) -> Iterator[str]:
    """Yield the names of files that some code reads."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func, [first, *others], named) if _READING.search(_last_word(func)):
                modes = [*others[:1], *(one.value for one in named if one.arg == "mode")]
                writes = re.fullmatch("[wax][bt+]*", "".join(map(_text, modes)))
                if not writes and re.search(r"\.\w{1,5}$", _text(first)):
                    yield _text(first)


def _last_word(function: ast.expr) -> str:
    return ast.unparse(function).rpartition(".")[2]


def modules(tree: ast.AST) -> Iterator[str]:
    """Yield the top-level modules that some code imports."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                yield from (alias.name.partition(".")[0] for alias in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module.partition(".")[0]


def packages(codes: Sequence[str], folder: Path) -> tuple[str, ...]:
    """Return the packages that code imports beside Python and the notebook's folder, as pip names them."""
    found = dict.fromkeys(name for code in codes for name in modules(parsed(code)))
    if any(re.search(r"^%matplotlib\b|^%pylab\b", code, re.MULTILINE) for code in codes):
        found[FIGURES] = None
    here = {name for name in found if (folder / f"{name}.py").is_file() or (folder / name).is_dir()}
    left = [name for name in found if name not in sys.stdlib_module_names | here | _GIVEN | {"autograder"}]
    return tuple(sorted({_package(name) for name in left}))


def _package(module: str) -> str:
    return _OTHER_NAMES.get(module) or next(iter(_distributions().get(module, ())), module).lower()


@cache
def _distributions() -> dict[str, list[str]]:
    return dict(packages_distributions())
