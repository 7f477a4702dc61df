"""Sends an answer to an instructor if only a newer Python than the grader's can run it.

The metadata of a notebook contain the Python version with which it was written. A student gains no points by
changing the version: the instructor only gets answers that have failed.
"""

import ast
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from autograder.course.code import CodePart, code_parts, dependencies
from autograder.grading.session import Session
from autograder.report.report import QuestionReport, Verdict
from autograder.submission.notebook import NotebookCell

Version = tuple[int, int]
Dotted = tuple[str, ...]  # the name of a module, and then the names of attributes in the module
OURS: Version = sys.version_info[:2]
_NOT_HELD = (Verdict.PASSED, Verdict.REVIEW, Verdict.GRADER_ERROR)
_BY_NAMES = (Verdict.CRASHED, Verdict.NOT_DEFINED)  # verdicts that a missing name can cause
# The top-level modules of Python up to 3.15, and the builtins that were added after Python 3.12.
_MODULES = sys.stdlib_module_names | {"annotationlib", "compression", "profiling"}
_BUILTINS = {"PythonFinalizationError", "ImportCycleError", "frozendict", "sentinel"}
_MOST_NAMES = 200
_LOOK_UP = """
import importlib, json
def lacks(module, names):
    try:
        value = importlib.import_module(module)
    except ModuleNotFoundError as error:
        return error.name is not None and f"{{module}}.".startswith(f"{{error.name}}.")
    except Exception:
        return False
    for name in names:
        if not hasattr(value, name):
            try:
                importlib.import_module(f"{{module}}.{{name}}")
            except ImportError:
                return isinstance(value, (type(json), type))
        value = getattr(value, name)
    return False
print(json.dumps([name for name in {names} if lacks(name[0], name[1:])]))
"""


def hold_for_newer_python(
    questions: Sequence[QuestionReport],
    written_with: Version | None,
    code: Sequence[NotebookCell],
    session: Session,
) -> list[QuestionReport]:
    """Return the reports. A failed question that needs a newer Python gets the verdict REVIEW.

    `code` are all code cells of the submission, and `session` is the one in which they ran.
    """
    if written_with is None or written_with <= OURS:
        return list(questions)
    statements = code_parts(cell.text for cell in session.cells)
    numbers = [cell.number for cell in code]
    errors = {number: result.error for number, result in session.results.items() if result.error}
    invalid = {
        index: numbers.index(cell.number) + 1
        for index, cell in enumerate(session.cells)
        if (error := errors.get(cell.number)) and error.type == "SyntaxError"
    }
    failed = [question.name for question in questions if question.verdict not in _NOT_HELD]
    reached = {name: dependencies(name, statements)[0] for name in failed}
    lacking = [q.name for q in questions if q.verdict in _BY_NAMES]
    used = {name: dict.fromkeys(_names(reached[name], statements)) for name in lacking}
    missing = _missing({name: None for names in used.values() for name in names}, session)
    ours, theirs = (".".join(map(str, version)) for version in (OURS, written_with))
    hints = {}
    for name in failed:
        cells = [f"code cell {invalid[part.at]} is not valid" for part in reached[name] if part.at in invalid]
        names = sorted((dotted for dotted in used.get(name, ()) if dotted in missing), key=len)
        if why := next(iter((*cells, *(f"`{'.'.join(dotted)}` is missing" for dotted in names))), ""):
            hints[name] = (
                f"This notebook was written with Python {theirs}. The grader runs Python {ours}, "
                f"in which {why}. An instructor will look at this answer before it gets points."
            )
    return [
        _held(question, hints[question.name]) if question.name in hints else question
        for question in questions
    ]


def _held(question: QuestionReport, hint: str) -> QuestionReport:
    unexplained = replace(question, mistake=None, place=None, shown=None)
    return replace(unexplained, verdict=Verdict.REVIEW, score=0.0, hint=hint)


def _names(reached: Sequence[CodePart], statements: Sequence[CodePart]) -> Iterator[Dotted]:
    """Yield each name of the standard library that an answer uses, with its module."""
    imported, stars = _imported(statements)
    bound = {name for part in statements for name in part.bound} | imported.keys()
    for node in (node for part in reached if part.tree for node in ast.walk(part.tree)):
        dotted: Dotted = ()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from _imports(node).values()
        elif isinstance(node, ast.Attribute):
            dotted = _dotted(node)
        elif isinstance(node, ast.Name) and node.id in imported:
            dotted = (node.id,)
        elif (
            isinstance(node, ast.Name)
            and node.id not in bound
            and not hasattr(sys.modules["builtins"], node.id)
        ):
            yield from ((module, node.id) for module in stars)
            if node.id in _BUILTINS:
                yield "builtins", node.id
        if dotted and (start := imported.get(dotted[0])):
            yield (*start, *dotted[1:])


def _dotted(node: ast.expr) -> Dotted:
    """Return the parts of a dotted name, or () if it does not begin with a plain name."""
    parts = list[str]()
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return (node.id, *reversed(parts)) if isinstance(node, ast.Name) else ()


def _imported(statements: Sequence[CodePart]) -> tuple[Mapping[str, Dotted], list[str]]:
    """Return the full dotted name of each standard-library import, and the modules imported with a star."""
    imported, stars = dict[str, Dotted](), list[str]()
    for node in (node for part in statements if part.tree for node in ast.walk(part.tree)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names_of_import = _imports(node)
            stars += [names[0] for name, names in names_of_import.items() if name == "*"]
            imported |= names_of_import
    imported.pop("*", None)
    return imported, stars


def _imports(node: ast.Import | ast.ImportFrom) -> dict[str, Dotted]:
    """Return the names that an import binds to something in the standard library."""
    bound = dict[str, Dotted]()
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            names = (node.module or "",) if alias.name == "*" else (node.module or "", alias.name)
            bound[alias.asname or alias.name] = names
        elif alias.asname:
            bound[alias.asname] = (alias.name,)
        else:
            top, *rest = alias.name.split(".")
            bound[top] = (top, *rest)
    return {name: names for name, names in bound.items() if names[0].partition(".")[0] in _MODULES}


def _missing(names: Mapping[Dotted, object], session: Session) -> set[Dotted]:
    """Return the names that the worker's Python lacks, without running the submission."""
    looked_up = [list(name) for name in names][:_MOST_NAMES]
    if not looked_up:
        return set()
    cells = [NotebookCell(0, "code", _LOOK_UP.format(names=json.dumps(looked_up)))]
    with session.apart(cells, session.limits) as separate:
        separate.start()
        outputs = separate.results[0].outputs if 0 in separate.results else ()
    return {
        tuple(name) for output in outputs if output.stream == "stdout" for name in json.loads(output.text)
    }
