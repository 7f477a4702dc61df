"""Measures how many mutants of the solution an exercise's hidden tests catch.

A mutant that passes every test of its question is one that nobody would catch either, had a student written
it. So the tests need another case, or the author declares that the mutant is as right as the solution.
"""

import ast
import difflib
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from autograder.authoring.trials import Trial
from autograder.course.exercise import Exercise
from autograder.course.source import Cell, Role, SourceError, read_yaml
from autograder.diagnosis.code import Scope, attributes_of, is_signed, names_of, takes_tensors
from autograder.diagnosis.mutations import ELSEWHERE, changes
from autograder.testing.suite import Suite

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

    def __str__(self) -> str:
        change = f'"{self.line}" can become "{self.instead}"'.replace("\n", " ")
        return f"{change}, and no test of {self.question} fails"

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
    seen, lines = {ast.dump(tree)}, {number + 1 for number, _ in cell.hidden()}
    for code in _changed_codes(cell.text, tree, lines):
        if code is not None and (known := ast.dump(ast.parse(code))) not in seen:
            seen.add(known)
            yield Mutant(cell.name, cell.text, code)


def _changed_codes(text: str, tree: ast.Module, lines: Set[int]) -> Iterator[str | None]:
    """Yield the text with each change to these lines of it; None where a change is no Python."""
    for node, scope in _places(tree, Scope()):
        if isinstance(node, ast.FunctionDef) and scope.in_class:  # a method, whose class may draw numbers
            first = next((one for one in node.body if one.lineno in lines), None)
            yield None if first is None else _seeded(text, first)
        for part, other in changes(node, scope):
            yield _replaced(text, part, other) if vars(part).get("lineno") in lines else None


def _places(node: ast.AST, scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
    """Yield each node below this one that may change, with what is known around it."""
    if isinstance(node, ast.ClassDef):
        scope = replace(scope, attributes=attributes_of(node), in_class=True)
    if isinstance(node, ast.FunctionDef):
        scope = replace(scope, names=names_of(node), takes_tensors=takes_tensors(node))
    yield node, scope
    elsewhere = isinstance(node, ast.keyword) and node.arg == ELSEWHERE
    if elsewhere or isinstance(node, ast.Raise | ast.JoinedStr) or is_signed(node):
        return
    for child in ast.iter_child_nodes(node):
        yield from _places(child, scope)


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


FILE = "equivalent.yaml"
_KEYS = ("question", "line", "instead", "because")
_KINDS = ({"misconception"}, {"share"}, {"line", "instead"})  # what else an entry holds


@dataclass(frozen=True, slots=True)
class Equivalent:
    """One declared mutant or misconception, and where its author declares it."""

    place: str  # the file and the line
    question: str
    line: str = ""
    instead: str = ""
    misconception: str = ""
    share: str = ""  # a wrong answer that keeps another share of the points than the rules allow


def read_equivalents(exercise: Exercise) -> tuple[Equivalent, ...]:
    """Return what the exercise declares in equivalent.yaml, beside its tests; SourceError if it is wrong.

    The file is a list of entries with four keys: the `question`, the `line` that changes, what stands there
    `instead`, and `because`, the reason why no test can or should tell. A misconception that changes nothing
    there is declared by the `question`, its name as `misconception`, and `because`. A wrong answer that keeps
    another share of the points than the rules allow: by the `question`, its name as `share`, and `because`.
    """
    path = exercise.folder / FILE
    if not path.is_file():
        return ()
    document = read_yaml(path)
    if not isinstance(document.data, list):
        raise SourceError(f"{path}:1: must be a list of mutants, each with the keys {', '.join(_KEYS)}")
    places = [f"{path}:{document.line((number,))}" for number in range(len(document.data))]
    return tuple(_entry(exercise, place, data) for place, data in zip(places, document.data, strict=True))


def _entry(exercise: Exercise, place: str, data: Any) -> Equivalent:
    texts = isinstance(data, dict) and all(isinstance(text, str) for text in data.values())
    keys = data.keys() - {"question", "because"} if texts else set()
    if keys not in _KINDS or len(data) != len(keys) + 2:
        known = f"{', '.join(_KEYS)}, or misconception or share in place of line and instead"
        raise SourceError(f"{place}: needs the keys {known}, each with a text; put it in quotes")
    if (name := data["question"]) not in exercise.points:
        known = ", ".join(exercise.points)
        raise SourceError(f'{place}: "{name}" is not a question; use one of {known}')
    if not data["because"].strip():
        raise SourceError(f"{place}: gives no reason; say in `because` why no test can tell")
    return Equivalent(place, name, **{key: _stripped(data[key]) for key in keys})


def _stripped(text: str) -> str:
    return "\n".join(line.strip() for line in text.strip().split("\n"))


@dataclass(frozen=True, slots=True)
class Strength:
    """How many mutants fail, those that are declared equivalent aside, and what the author must change."""

    mutants: int = 0
    killed: int = 0
    equivalent: int = 0
    survivors: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()

    def __str__(self) -> str:
        share = f", {100 * self.killed // self.mutants} %" if self.mutants else ""
        return f"the tests catch {self.killed} of {self.mutants} mutants{share}"


def measure(suite: Suite, share: float) -> Strength:
    """Run every mutant against the hidden tests of its question, up to the first that fails.

    At least `share` of those that are not declared equivalent must fail.
    """
    exercise = suite.exercise
    every, declared = tuple(mutants(exercise)), read_equivalents(exercise)
    trials = {name: Trial(suite, name) for name in exercise.points}
    texts = [cell.text for cell in exercise.cells if cell.is_reference]
    codes = (tuple(one.code if text == one.original else text for text in texts) for one in every)
    left = [one for one, code in zip(every, codes, strict=True) if not trials[one.question].fails(code)]
    unlike = [mutant for mutant in left if not any(_fits(one, mutant) for one in declared)]
    alike, killed = len(left) - len(unlike), len(every) - len(left)
    weak = unlike if killed < share * (len(every) - alike) else []
    fix = "add one, or declare it in equivalent.yaml"
    findings = *_unfounded(declared, every, left), *(f"{exercise.source}: {one}; {fix}" for one in weak)
    return Strength(len(every) - alike, killed, alike, tuple(map(str, unlike)), findings)


def _fits(declared: Equivalent, mutant: Mutant) -> bool:
    said = declared.question, declared.line, declared.instead
    return said == (mutant.question, mutant.line, mutant.instead)


def _unfounded(
    declared: Sequence[Equivalent], every: Sequence[Mutant], left: Sequence[Mutant]
) -> Iterator[str]:
    """Yield what is wrong with declarations of mutants that are none, or that fail a test."""
    for one in (one for one in declared if one.line):
        if not any(_fits(one, mutant) for mutant in every):
            yield f"{one.place}: fits no mutant of {one.question} any more; delete it or copy its diff again"
        elif not any(_fits(one, mutant) for mutant in left):
            yield f"{one.place}: is declared equivalent, but fails a hidden test; take it out"
