"""Makes mutants of a reference solution: its code with one small change, which no hidden test should pass."""

import ast
import difflib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate

from autograder.course.exercise import Exercise
from autograder.course.source import BEGIN, END, Cell, Role
from autograder.diagnosis.code import Scope, attributes_of, is_signed, names_of, takes_tensors
from autograder.diagnosis.mutations import ELSEWHERE, changes

SEED = "torch.manual_seed(0)"


@dataclass(frozen=True, slots=True)
class Mutant:
    """The solution of one question with one change in it."""

    question: str
    original: str
    code: str

    @property
    def line(self) -> str:
        """The lines that the change takes away, without their indentation."""
        return self._changed("-")

    @property
    def instead(self) -> str:
        """The lines that stand in their place."""
        return self._changed("+")

    def diff(self, path: str, first: int) -> str:
        """Return the change as a unified diff of a file in which the solution begins on line `first`."""
        above = [""] * (first - 1)
        old, new = (above + text.split("\n") for text in (self.original, self.code))
        return "\n".join(difflib.unified_diff(old, new, path, path, n=1, lineterm=""))

    def _changed(self, sign: str) -> str:
        compared = difflib.ndiff(self.original.split("\n"), self.code.split("\n"))
        return "\n".join(line[2:].strip() for line in compared if line.startswith(f"{sign} "))


def mutants(exercise: Exercise) -> Iterator[Mutant]:
    """Yield the mutants of each question's solution, each behaviour that Python can tell apart once."""
    for cell in exercise.cells:
        if cell.role is Role.SOLUTION:
            yield from _mutants(cell)


def _mutants(cell: Cell) -> Iterator[Mutant]:
    tree = ast.parse(cell.text)
    seen = {ast.dump(tree)}
    for code in _changed_codes(cell.text, tree):
        if code is not None and (known := ast.dump(ast.parse(code))) not in seen:
            seen.add(known)
            yield Mutant(cell.name, cell.text, code)


def _changed_codes(text: str, tree: ast.Module) -> Iterator[str | None]:
    """Yield the text with each change to its solution; None where a change is no Python."""
    lines = _solution_lines(text)
    for node, scope in _places(tree, Scope()):
        if isinstance(node, ast.FunctionDef) and scope.in_class:  # a method, whose class may draw numbers
            first = next((one for one in node.body if one.lineno in lines), None)
            yield None if first is None else _seeded(text, first)
        for part, other in changes(node, scope):
            yield _replaced(text, part, other) if vars(part).get("lineno") in lines else None


def _solution_lines(text: str) -> set[int]:
    """Return the numbers of the lines that students do not get."""
    inside, found = False, set()
    for number, line in enumerate(text.split("\n"), 1):
        inside = (inside or BEGIN in line) and END not in line
        if inside:
            found.add(number)
    return found


def _places(node: ast.AST, scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
    """Yield each node below this one that may change, with what is known around it."""
    if isinstance(node, ast.ClassDef):
        scope = replace(scope, attributes=attributes_of(node), in_class=True)
    if isinstance(node, ast.FunctionDef):
        scope = replace(scope, names=names_of(node), takes_tensors=takes_tensors(node))
    yield node, scope
    if isinstance(node, ast.Raise | ast.JoinedStr) or is_signed(node) or _is_elsewhere(node):
        return
    for child in ast.iter_child_nodes(node):
        yield from _places(child, scope)


def _is_elsewhere(node: ast.AST) -> bool:
    return isinstance(node, ast.keyword) and node.arg == ELSEWHERE


def _replaced(text: str, part: ast.AST, other: ast.AST) -> str | None:
    """Return the text with `other` in place of `part`, or None where that is no Python."""
    plain = ast.unparse(ast.fix_missing_locations(other))
    bare, bracketed = (_spliced(text, part, new) for new in (plain, f"({plain})"))
    trees = [_dumped(code) for code in (bare, bracketed)]
    if trees[0] is None or (trees[1] is not None and trees[0] != trees[1]):
        return bracketed if trees[1] is not None else None
    return bare


def _seeded(text: str, first: ast.stmt) -> str:
    """Return the text with a seed set before the first statement of a function's solution."""
    lines = text.split("\n")
    lines.insert(first.lineno - 1, " " * first.col_offset + SEED)
    return "\n".join(lines)


def _dumped(code: str) -> str | None:
    try:
        return ast.dump(ast.parse(code))
    except SyntaxError:
        return None


def _spliced(text: str, part: ast.AST, new: str) -> str:
    """Return the text with `new` from the part's first byte to its last."""
    content, place = text.encode(), vars(part)
    begins = [0, *accumulate(len(line) for line in content.split(b"\n"))]
    first, last = (
        begins[place[f"{end}lineno"] - 1] + place[f"{end}lineno"] - 1 + place[f"{end}col_offset"]
        for end in ("", "end_")
    )
    return (content[:first] + new.encode() + content[last:]).decode()
