"""Sends an answer to an instructor if only a newer Python than the grader's can run it.

The notebook's metadata have the Python version with which it was written. Changing them gains no points: an
instructor only looks at questions that failed.
"""

import ast
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from autograder.course.code import Piece, pieces, rests_on
from autograder.grading.session import Session
from autograder.report.report import QuestionReport, Verdict
from autograder.submission.notebook import NotebookCell

Version = tuple[int, int]
Dotted = tuple[str, ...]  # a module, and names in it
OURS: Version = sys.version_info[:2]
_SETTLED = (Verdict.PASSED, Verdict.REVIEW, Verdict.GRADER_ERROR)
_BY_NAMES = (Verdict.CRASHED, Verdict.NOT_DEFINED)  # how a question fails that lacks a name
# Top-level modules and builtins of Python 3.12 to 3.15. Other names are looked up where the worker runs.
_MODULES = sys.stdlib_module_names | {"annotationlib", "compression", "profiling"}
_BUILTINS = {"PythonFinalizationError", "ImportCycleError", "frozendict", "sentinel"}
_MOST_NAMES = 200
_LOOK_UP = """
import importlib, json
def lacks(module, names):
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        return error.name is not None and f"{{module}}.".startswith(f"{{error.name}}.")
    except Exception:
        return False
    for name in names:
        if not hasattr(found, name):
            try:
                importlib.import_module(f"{{module}}.{{name}}")
            except ImportError:
                return isinstance(found, (type(json), type))
        found = getattr(found, name)
    return False
print(json.dumps([name for name in {names} if lacks(name[0], name[1:])]))
"""


def hold_for_newer_python(
    questions: Sequence[QuestionReport],
    written_with: Version | None,
    code: Sequence[NotebookCell],
    ran: Session,
) -> list[QuestionReport]:
    """Return the reports. A failed question that needs a newer Python gets the verdict REVIEW.

    `code` are all code cells of the submission, and `ran` is the session in which they ran.
    """
    if written_with is None or written_with <= OURS:
        return list(questions)
    texts = pieces(cell.text for cell in ran.cells)
    numbers = [cell.number for cell in code]
    invalid = {
        at: numbers.index(cell.number) + 1 for at, cell in enumerate(ran.cells) if _is_invalid(cell, ran)
    }
    failed = [question.name for question in questions if question.verdict not in _SETTLED]
    reached = {name: rests_on(name, texts)[0] for name in failed}
    lacking = [q.name for q in questions if q.verdict in _BY_NAMES]
    used = {name: dict.fromkeys(_names(reached[name], texts)) for name in lacking}
    missing = _missing({name: None for names in used.values() for name in names}, ran)
    ours, theirs = (".".join(map(str, version)) for version in (OURS, written_with))
    held = {}
    for name in failed:
        cells = [
            f"code cell {invalid[piece.at]} is not valid" for piece in reached[name] if piece.at in invalid
        ]
        names = sorted((one for one in used.get(name, ()) if one in missing), key=len)
        if why := next(iter((*cells, *(f"`{'.'.join(one)}` is missing" for one in names))), ""):
            held[name] = (
                f"This notebook was written with Python {theirs}. The grader runs Python {ours}, "
                f"in which {why}. So an instructor looks at this answer before it scores."
            )
    return [
        replace(q, verdict=Verdict.REVIEW, score=0.0, hint=held[q.name], mistake=None, place=None, shown=None)
        if q.name in held else q
        for q in questions
    ]  # fmt: skip


def _is_invalid(cell: NotebookCell, ran: Session) -> bool:
    result = ran.results.get(cell.number)
    return result is not None and result.error is not None and result.error.type == "SyntaxError"


def _names(reached: Sequence[Piece], all_pieces: Sequence[Piece]) -> Iterator[Dotted]:
    """Yield the names of the standard library that an answer's code imports or uses, each with its module."""
    known, stars = _imported(all_pieces)
    bound = {name for piece in all_pieces for name in piece.bound} | known.keys()
    for node in (node for piece in reached if piece.tree for node in ast.walk(piece.tree)):
        dotted: Dotted = ()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from _imports(node).values()
        elif isinstance(node, ast.Attribute):
            dotted = _dotted(node)
        elif isinstance(node, ast.Name) and node.id in known:
            dotted = (node.id,)
        elif (
            isinstance(node, ast.Name)
            and node.id not in bound
            and not hasattr(sys.modules["builtins"], node.id)
        ):
            yield from ((module, node.id) for module in stars)
            if node.id in _BUILTINS:
                yield "builtins", node.id
        if dotted and (start := known.get(dotted[0])):
            yield (*start, *dotted[1:])


def _dotted(node: ast.expr) -> Dotted:
    """Return the parts of a dotted name, or () if it does not begin with a plain name."""
    parts = list[str]()
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return (node.id, *reversed(parts)) if isinstance(node, ast.Name) else ()


def _imported(all_pieces: Sequence[Piece]) -> tuple[Mapping[str, Dotted], list[str]]:
    """Return the full dotted name of each standard-library import, and the modules imported with a star."""
    known, stars = dict[str, Dotted](), list[str]()
    for node in (node for piece in all_pieces if piece.tree for node in ast.walk(piece.tree)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            found = _imports(node)
            stars += [names[0] for name, names in found.items() if name == "*"]
            known |= found
    known.pop("*", None)
    return known, stars


def _imports(node: ast.Import | ast.ImportFrom) -> dict[str, Dotted]:
    """Return the names that an import binds, as far as it imports from the standard library."""
    found = dict[str, Dotted]()
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            names = (node.module or "",) if alias.name == "*" else (node.module or "", alias.name)
            found[alias.asname or alias.name] = names
        elif alias.asname:
            found[alias.asname] = (alias.name,)
        else:
            top, *rest = alias.name.split(".")
            found[top] = (top, *rest)
    return {name: names for name, names in found.items() if names[0].partition(".")[0] in _MODULES}


def _missing(names: Mapping[Dotted, object], ran: Session) -> set[Dotted]:
    """Return the names that the worker's Python lacks. They are looked up without running the submission."""
    asked = [list(name) for name in names][:_MOST_NAMES]
    if not asked:
        return set()
    cells = [NotebookCell(0, "code", _LOOK_UP.format(names=json.dumps(asked)))]
    with ran.apart(cells, ran.limits) as session:
        session.start()
        outputs = session.results[0].outputs if 0 in session.results else ()
    return {
        tuple(name) for output in outputs if output.stream == "stdout" for name in json.loads(output.text)
    }
