"""Reads the file of a hidden suite before pytest does, which says nothing of some mistakes in it."""

import ast
from collections.abc import Iterator
from pathlib import Path

from autograder.course.source import SourceError, parsed, read_text


def check_source(path: Path) -> None:
    """Raise a SourceError for a file that is missing, no Python, or holds two tests of one name."""
    if not path.is_file():
        raise SourceError(f"{path}: missing; write the hidden tests there")
    problems = [
        f"{path}:{node.lineno}: {node.name} is there already, on line {first}, and Python keeps only this one"
        "; rename one"
        for node, first in _repeated(parsed(path, read_text(path)).body)
    ]
    if problems:
        raise SourceError("\n".join(problems))


def _repeated(body: list[ast.stmt]) -> Iterator[tuple[ast.FunctionDef | ast.ClassDef, int]]:
    """Yield each test, or class of tests, that has the name of an earlier one, and the line of that one."""
    first: dict[str, int] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name.lower().startswith("test"):
            if first.setdefault(node.name, node.lineno) != node.lineno:
                yield node, first[node.name]
            if isinstance(node, ast.ClassDef):
                yield from _repeated(node.body)
