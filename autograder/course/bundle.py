"""Makes the kit: one conftest.py of the modules in kit/, with what it must know of one exercise."""

import ast
import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from autograder.course.exercise import Exercise
from autograder.course.hints import read_hints
from autograder.course.source import Role, fingerprint
from autograder.worker import omission

_HERE = Path(__file__).parent / "kit"
SETUP = _HERE / "SETUP.md"
_NAMES = (
    *("watch", "cell", "joined", "beside", "lesson", "notebook", "finding", "progress", "page", "questions"),
    "session",
)
_MODULES = (_HERE / "contents.py", Path(omission.__file__), *(_HERE / f"{name}.py" for name in _NAMES))
_TITLE = '''\
"""Checks the notebook in this folder from a fresh start: save it, then run `pytest` here.

Your cells run once, from top to bottom. Then the check of each question runs by itself. Ctrl-C ends the cell
that is running, and twice in a row all of them. `pytest --hint QUESTION` gives a hint, then a plainer one.
`pytest --page` writes what the checks found to checks.html.
"""

from __future__ import annotations

'''


def build_kit(exercise: Exercise) -> str:
    """Return the conftest.py with which students check their notebook of `exercise`."""
    checks = {cell.name: fingerprint(cell.text) for cell in exercise.cells if cell.role is Role.CHECK}
    questions = (
        f'Question("{name}", points={points:g}, check="{checks[name]}")'
        for name, points in exercise.points.items()
    )
    demos = (f'"{fingerprint(text)}"' for text in sorted(exercise.demos))
    hints = json.dumps(read_hints(exercise), indent=4)
    known = {
        'EXERCISE = ""': f'EXERCISE = "{exercise.name}"',
        "QUESTIONS: tuple[Question, ...] = ()": f"QUESTIONS = {_tuple(questions)}",
        "DEMOS: tuple[str, ...] = ()": f"DEMOS = {_tuple(demos)}",
        "HINTS: dict[str, list[dict[str, str]]] = {}": f"HINTS = {hints}",
    }
    kit = bare_kit()
    for blank, filled in known.items():
        kit = kit.replace(blank, filled)
    return kit


def bare_kit() -> str:
    """Return the kit of no exercise: all modules' imports, each once, then their code in order."""
    modules = [path.read_text(encoding="utf-8") for path in _MODULES]
    found = {pair for module in modules for pair in _imports(module)}
    whole = sorted(f"import {module}" for module, name in found if not name)
    froms = groupby(sorted(pair for pair in found if pair[1]), itemgetter(0))
    parts = (f"from {module} import {', '.join(name for _, name in pairs)}" for module, pairs in froms)
    return _TITLE + "\n".join([*whole, *parts, "", *map(_code, modules)])


def _imports(module: str) -> Iterator[tuple[str, str]]:
    """Yield the modules, each with a name or with none, that a module imports from elsewhere."""
    for node in ast.parse(module).body:
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not _is_ours(node.module or ""):
            yield from ((node.module or "", alias.name) for alias in node.names)


def _is_ours(module: str) -> bool:
    return module == "__future__" or module.startswith("autograder.")


def _code(module: str) -> str:
    """Return a module's code below its imports, and above it as a comment what the module is for."""
    imports = (node for node in ast.parse(module).body if isinstance(node, ast.Import | ast.ImportFrom))
    last = max(node.end_lineno or 0 for node in imports)
    purpose, *lines = module.split("\n")
    code = "\n".join(lines[last - 1 :]).strip()
    return "\n# " + purpose.strip('"') + f"\n\n{code}\n"


def _tuple(items: Iterable[str]) -> str:
    lines = "".join(f"    {item},\n" for item in items)
    return f"(\n{lines})" if lines else "()"
