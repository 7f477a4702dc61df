"""Measures how many mutants of the solution an exercise's hidden tests catch.

A mutant is the solution with one change. If a mutant passes all tests of its question, a student's answer
with the same change would get full marks. So the tests need another case. Equivalent mutants are an
exception: they are right, and the author declares this in mistakes.py.
"""

import ast
import difflib
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate

from autograder.authoring.trials import Trial
from autograder.course.answers import MISTAKES, Kind, lists
from autograder.course.exercise import Exercise
from autograder.course.source import Cell, Role, SourceError
from autograder.diagnosis.code import Scope, attributes_of, is_signed, names_of, takes_tensors
from autograder.diagnosis.mutations import ELSEWHERE, changes
from autograder.diagnosis.patterns import PatternError, rules
from autograder.testing.suite import Suite

SEED = "torch.manual_seed(0)"


@dataclass(frozen=True, slots=True)
class Mutant:
    """The solution of one question with one change in its code."""

    question: str
    original: str
    code: str
    begin: int  # the line of the source file on which the solution's cell begins

    @property
    def line(self) -> str:
        """The removed lines, without indentation."""
        return self._changed("-")

    @property
    def instead(self) -> str:
        """The added lines, without indentation."""
        return self._changed("+")

    @property
    def number(self) -> int:
        """The line of the source file on which the change begins."""
        pairs = zip(self.original.split("\n"), self.code.split("\n"), strict=False)
        return self.begin + next((index for index, (old, new) in enumerate(pairs) if old != new), 0)

    def __str__(self) -> str:
        change = f'"{self.line}" can become "{self.instead}"'.replace("\n", " ")
        return f"{change}, and no test of {self.question} fails"

    def is_made_by(self, edit: "Declared", trees: Set[str]) -> bool:
        """Whether a declared edit makes this mutant. `trees` is the result of `edit.edited_trees`."""
        return edit.question == self.question and _dumped(self.code) in trees

    def _changed(self, sign: str) -> str:
        compared = difflib.ndiff(self.original.split("\n"), self.code.split("\n"))
        return "\n".join(line[2:].strip() for line in compared if line.startswith(f"{sign} "))


def mutants(exercise: Exercise) -> Iterator[Mutant]:
    """Yield the mutants of each question's solution. Equal mutants are yielded once."""
    for cell in exercise.cells:
        if cell.role is Role.SOLUTION:
            yield from _mutants_of(cell)


def _mutants_of(cell: Cell) -> Iterator[Mutant]:
    tree = ast.parse(cell.text)
    yielded, lines = {ast.dump(tree)}, {number + 1 for number, _ in cell.hidden()}
    for code in _changed_codes(cell.text, tree, lines):
        if code is not None and (dumped := ast.dump(ast.parse(code))) not in yielded:
            yielded.add(dumped)
            yield Mutant(cell.name, cell.text, code, cell.line)


def _changed_codes(text: str, tree: ast.Module, lines: Set[int]) -> Iterator[str | None]:
    """Yield the text after each single change, or None if it is outside `lines` or gives invalid code."""
    for node, scope in _changeable_nodes(tree, Scope()):
        # One mutant sets a seed at the beginning of a method: each call then draws the same random numbers.
        if isinstance(node, ast.FunctionDef) and scope.in_class:
            first = next((statement for statement in node.body if statement.lineno in lines), None)
            yield None if first is None else _with_seed(text, first)
        for part, other in changes(node, scope):
            yield _with_replacement(text, part, other) if vars(part).get("lineno") in lines else None


def _changeable_nodes(node: ast.AST, scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
    """Yield this node and the nodes below it that may change, each with its scope."""
    if isinstance(node, ast.ClassDef):
        scope = replace(scope, attributes=attributes_of(node), in_class=True)
    if isinstance(node, ast.FunctionDef):
        scope = replace(scope, names=names_of(node), takes_tensors=takes_tensors(node))
    yield node, scope
    elsewhere = isinstance(node, ast.keyword) and node.arg == ELSEWHERE
    if elsewhere or isinstance(node, ast.Raise | ast.JoinedStr) or is_signed(node):
        return
    for child in ast.iter_child_nodes(node):
        yield from _changeable_nodes(child, scope)


def _with_replacement(text: str, part: ast.AST, other: ast.AST) -> str | None:
    """Return the text with `other` in place of `part`, or None if that is not valid Python."""
    plain = ast.unparse(ast.fix_missing_locations(other))
    bare, bracketed = (_spliced(text, part, new) for new in (plain, f"({plain})"))
    trees = [_dumped(code) for code in (bare, bracketed)]
    if trees[0] is None or (trees[1] is not None and trees[0] != trees[1]):
        return bracketed if trees[1] is not None else None
    return bare


def _with_seed(text: str, first: ast.stmt) -> str:
    lines = text.split("\n")
    lines.insert(first.lineno - 1, " " * first.col_offset + SEED)
    return "\n".join(lines)


@lru_cache(4096)
def _dumped(code: str) -> str | None:
    try:
        return ast.dump(ast.parse(code))
    except SyntaxError:
        return None


def _spliced(text: str, part: ast.AST, new: str) -> str:
    content, fields = text.encode(), vars(part)
    # The number of bytes before each line. Line breaks are not counted.
    begins = [0, *accumulate(len(line) for line in content.split(b"\n"))]
    first, last = (
        begins[fields[f"{end}lineno"] - 1] + fields[f"{end}lineno"] - 1 + fields[f"{end}col_offset"]
        for end in ("", "end_")
    )
    return (content[:first] + new.encode() + content[last:]).decode()


KINDS = ("edits", "misconceptions", "shares")


@dataclass(frozen=True, slots=True)
class Declared:
    """An exception to a rule of `verify`, which an author declares in mistakes.py."""

    place: str  # file and line of the declaration
    question: str
    kind: str  # the name of the list that contains `text`: one of KINDS
    text: str  # an edit, or the name of a misconception or wrong answer

    def edited_trees(self, solution: str) -> Iterator[str]:
        """Yield syntax trees of the edited solution: edited at each single match, then at all matches."""
        try:
            for rule in rules(self.text):
                yield from (_dumped(ast.unparse(tree)) or "" for tree in rule.apply(ast.parse(solution)))
        except PatternError as error:
            raise SourceError(f"{self.place}: {error}") from error


def read_declared(exercise: Exercise) -> tuple[Declared, ...]:
    """Return the declarations in mistakes.py. Raise SourceError for unreadable cells.

    A cell with `exception=` has a docstring with the author's reason, and one or more of these lists:
    - `edits`: edits that leave the solution right
    - `misconceptions`: names of misconceptions that leave the solution right
    - `shares`: names of wrong answers that may get more or fewer points than the rules in costs.py allow
    """
    return tuple(
        Declared(place, answer.question, kind, text)
        for answer in exercise.wrong_answers()
        if answer.kind is Kind.EXCEPTION
        for kind, text, place in lists(answer, KINDS)
    )


@dataclass(frozen=True, slots=True)
class Strength:
    """The numbers of mutants that fail and pass, and messages to the author."""

    mutants: int = 0  # number of mutants, without equivalent ones
    killed: int = 0  # number of mutants that fail a test
    equivalent: int = 0  # number of equivalent mutants; all of them pass all tests
    survivors: tuple[str, ...] = ()  # messages on mutants that pass all tests, without equivalent ones
    findings: tuple[str, ...] = ()  # messages on what the author must change

    def __str__(self) -> str:
        share = f", {100 * self.killed // self.mutants} %" if self.mutants else ""
        return f"the tests catch {self.killed} of {self.mutants} mutants{share}"


def measure(suite: Suite, share: float) -> Strength:
    """Run each mutant on its question's hidden tests, up to the first failed test, and return the result.

    At least the fraction `share` of the mutants must fail, not counting equivalent ones. Otherwise, the
    result has findings. The result also has a finding for each wrong edit in mistakes.py.
    """
    return judge(suite.exercise, surviving(suite), share)


def surviving(suite: Suite, part: int = 0, parts: int = 1) -> list[int]:
    """Return the indices of the mutants that pass all tests, among the indices `part`, `part + parts`, ..."""
    exercise = suite.exercise
    trials = {name: Trial(suite, name) for name in exercise.points}
    texts = [cell.text for cell in exercise.cells if cell.is_reference]
    chosen = {index: mutant for index, mutant in enumerate(mutants(exercise)) if index % parts == part}
    codes = {
        index: tuple(mutant.code if text == mutant.original else text for text in texts)
        for index, mutant in chosen.items()
    }
    return [index for index, mutant in chosen.items() if not trials[mutant.question].fails(codes[index])]


def judge(exercise: Exercise, survivors: Sequence[int], share: float) -> Strength:
    """Return the strength of the hidden tests. `survivors` are the indices of mutants that pass all tests."""
    every, declared = tuple(mutants(exercise)), read_declared(exercise)
    passing = [every[index] for index in sorted(survivors)]
    trees = {
        edit: frozenset(edit.edited_trees(exercise.solutions[edit.question]))
        for edit in declared
        if edit.kind == "edits"
    }
    undeclared = [
        mutant for mutant in passing if not any(mutant.is_made_by(edit, trees[edit]) for edit in trees)
    ]
    messages = {mutant: f"{exercise.source}:{mutant.number}: {mutant}" for mutant in undeclared}
    equivalent, killed = len(passing) - len(undeclared), len(every) - len(passing)
    too_many = undeclared if killed < share * (len(every) - equivalent) else []
    fix = f"add a test, or declare an exception in {MISTAKES}"
    findings = *_wrong_edits(trees, every, passing), *(f"{messages[mutant]}; {fix}" for mutant in too_many)
    return Strength(len(every) - equivalent, killed, equivalent, tuple(messages.values()), findings)


def _wrong_edits(
    trees: Mapping[Declared, Set[str]], every: Sequence[Mutant], passing: Sequence[Mutant]
) -> Iterator[str]:
    """Yield a problem for each declared edit that makes no mutant, or makes a mutant that fails a test."""
    for edit in trees:
        mutants = [mutant for mutant in every if mutant.is_made_by(edit, trees[edit])]
        if not mutants:
            problem = f"this edit makes none of the mutants of {edit.question} that `verify` tests"
            yield f"{edit.place}: {problem}; correct or delete the edit"
        elif any(mutant not in passing for mutant in mutants):
            yield f"{edit.place}: with this edit, the solution fails a hidden test; delete the edit"
