"""Measures how many mutants of the solution an exercise's hidden tests catch.

A mutant that passes every test of its question is one that nobody would catch either, had a student written
it. So the tests need another case, or the author declares that the mutant is as right as the solution.
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
    """The solution of one question with one change in it."""

    question: str
    original: str
    code: str
    begin: int  # the line of the source on which the solution's cell begins

    @property
    def line(self) -> str:
        """The lines that the change takes away, without their indentation."""
        return self._changed("-")

    @property
    def instead(self) -> str:
        """The lines that stand in their place."""
        return self._changed("+")

    @property
    def number(self) -> int:
        """The line of the source on which the change begins."""
        pairs = zip(self.original.split("\n"), self.code.split("\n"), strict=False)
        return self.begin + next((at for at, (old, new) in enumerate(pairs) if old != new), 0)

    def __str__(self) -> str:
        change = f'"{self.line}" can become "{self.instead}"'.replace("\n", " ")
        return f"{change}, and no test of {self.question} fails"

    def is_made_by(self, made: tuple["Declared", Set[str]]) -> bool:
        """Whether a declared edit makes it, which makes the second: these syntax trees."""
        return made[0].question == self.question and _dumped(self.code) in made[1]

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
            yield Mutant(cell.name, cell.text, code, cell.line)


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


@lru_cache(4096)
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


KINDS = ("edits", "misconceptions", "shares")


@dataclass(frozen=True, slots=True)
class Declared:
    """One exception to what is demanded, and where its author declares it."""

    place: str  # the file and the line
    question: str
    kind: str  # one of KINDS
    text: str  # an edit of the solution, the name of a misconception, or that of a wrong answer

    def made(self, solution: str) -> Iterator[str]:
        """Yield the syntax trees that an edit makes of the solution, each place alone and all together."""
        try:
            for rule in rules(self.text):
                yield from (_dumped(ast.unparse(tree)) or "" for tree in rule.apply(ast.parse(solution)))
        except PatternError as error:
            raise SourceError(f"{self.place}: {error}") from error


def read_declared(exercise: Exercise) -> tuple[Declared, ...]:
    """Return the exceptions that the exercise declares in mistakes.py; SourceError if one cannot be read.

    A cell gives the reason and lists `edits` that make mutants which no test can or should tell from the
    solution, `misconceptions` that change nothing there, or wrong answers whose `shares` of the points are
    others than the rules allow.
    """
    return tuple(
        Declared(place, answer.question, kind, text)
        for answer in exercise.wrong_answers()
        if answer.kind is Kind.EXCEPTION
        for kind, text, place in lists(answer, KINDS)
    )


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
    return judge(suite.exercise, surviving(suite), share)


def surviving(suite: Suite, part: int = 0, parts: int = 1) -> list[int]:
    """Return the numbers of the mutants that pass all tests, among those of one of several equal parts."""
    exercise = suite.exercise
    trials = {name: Trial(suite, name) for name in exercise.points}
    texts = [cell.text for cell in exercise.cells if cell.is_reference]
    chosen = [(number, one) for number, one in enumerate(mutants(exercise)) if number % parts == part]
    codes = {number: tuple(one.code if t == one.original else t for t in texts) for number, one in chosen}
    return [number for number, one in chosen if not trials[one.question].fails(codes[number])]


def judge(exercise: Exercise, survivors: Sequence[int], share: float) -> Strength:
    """Return what the numbers of the mutants that pass all tests say about these tests."""
    every, declared = tuple(mutants(exercise)), read_declared(exercise)
    left = [every[number] for number in sorted(survivors)]
    made = {
        one: frozenset(one.made(exercise.solutions[one.question])) for one in declared if one.kind == "edits"
    }
    unlike = [mutant for mutant in left if not any(map(mutant.is_made_by, made.items()))]
    shown = {one: f"{exercise.source}:{one.number}: {one}" for one in unlike}
    alike, killed = len(left) - len(unlike), len(every) - len(left)
    weak = unlike if killed < share * (len(every) - alike) else []
    fix = f"add one, or declare an exception in {MISTAKES}"
    findings = *_unfounded(made, every, left), *(f"{shown[one]}; {fix}" for one in weak)
    return Strength(len(every) - alike, killed, alike, tuple(shown.values()), findings)


def _unfounded(
    made: Mapping[Declared, Set[str]], every: Sequence[Mutant], left: Sequence[Mutant]
) -> Iterator[str]:
    """Yield what is wrong with declarations of mutants that are none, or that fail a test."""
    for one in made.items():
        place, question = one[0].place, one[0].question
        mutants = [mutant for mutant in every if mutant.is_made_by(one)]
        if not mutants:
            yield f"{place}: makes no mutant of {question} any more; delete it or write its edit again"
        elif any(mutant not in left for mutant in mutants):
            yield f"{place}: is declared equivalent, but fails a hidden test; take it out"
