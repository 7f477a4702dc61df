"""What is wrong in a student's code, by the repair that makes it right: its place, its name, its kind."""

import ast
import operator
from ast import dump
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property
from warnings import catch_warnings

from autograder.diagnosis.code import Code
from autograder.diagnosis.inlining import spelt_out
from autograder.diagnosis.misconceptions import Catalogue, Misconception, load_catalogue
from autograder.diagnosis.pieces import Pieces, pieces_of, placeless
from autograder.diagnosis.search import Bench, Repair, Search, right_answer
from autograder.diagnosis.wrong import Answers, undocumented
from autograder.testing.exchange import Local
from autograder.testing.suite import HiddenTest, Run, Suite
from autograder.worker.namespace import run_code
from autograder.worker.silence import silence


class Repairer:
    """Repairs answers to the questions of one exercise; what they share is computed once."""

    def __init__(self, suite: Suite, seconds: float = 2.0) -> None:
        self.suite = suite
        self._budget = seconds * 1e6
        self._right = cache(lambda test: right_answer(suite, test))
        self.answers = cache(self._answers)
        self.pieces = cache(self._make_pieces)
        self.failed = cache(self._find_failed)

    @cached_property
    def catalogue(self) -> Catalogue:
        """The course's misconceptions."""
        return load_catalogue(self.suite.exercise.catalogue)

    def search(self, question: str, code: Code, failed: Sequence[HiddenTest], bench: Bench) -> list[Repair]:
        """Look for repairs of some code that fails these tests of a question."""
        pieces = self.pieces(question)
        return Search(self.suite, question, pieces, bench, self._right, self._budget).repairs(code, failed)

    def names(self, question: str, wrong: Code, right: Code) -> Iterator[Misconception]:
        """Yield the misconceptions whose rules make the wrong code of the right one."""
        own, made = (self._in_one_writing(one) for one in (wrong, right))
        text, place = ast.unparse(own), _place(made, own)
        for misconception in self.catalogue.misconceptions:
            rules = misconception.rules if misconception.fits(self.answers(question).right) else ()
            changed = (tree for rule in rules for _, tree in rule.apply(made))
            there = (tree for tree in changed if _within(place, _place(made, tree, same=operator.is_)))
            if any(ast.unparse(self.catalogue.in_one_writing(tree)) == text for tree in there):
                yield misconception

    def _in_one_writing(self, code: Code) -> ast.Module:
        tree = ast.parse(code.text)
        for statement in tree.body:
            undocumented(statement)
        return ast.parse(ast.unparse(self.catalogue.in_one_writing(tree)))

    def _answers(self, question: str) -> Answers:
        return Answers(self.suite.exercise, self.catalogue, question)

    def _make_pieces(self, question: str) -> Pieces:
        answers = self.answers(question)
        trees = [*answers.trees, *map(ast.parse, answers.right[:2])]
        trees += [spelt_out(tree) for tree in trees]
        return pieces_of(Code(tuple(placeless(tree).body)) for tree in trees)

    def _find_failed(self, question: str, misconception: Misconception) -> tuple[tuple[Run, ...], ...]:
        """Return the failed runs of each right answer in which this misconception is made."""
        exercise, found = self.suite.exercise, list[tuple[Run, ...]]()
        for one in self.answers(question).wrong:
            if one.misconception is misconception:
                with catch_warnings(action="ignore"), silence():
                    try:
                        local = Local(run_code(exercise.variant(one.code)))
                    except Exception:  # noqa: S112 - a rule made of it what no student would hand in
                        continue
                    runs = (self.suite.run_one(test, local) for test in self.suite.of(question))
                    found.append(tuple(run for run in runs if run.error is not None))
        return tuple(found)


_Way = tuple[tuple[str, int], ...]


def _place(
    one: ast.AST, other: ast.AST, same: Callable[[ast.AST, ast.AST], bool] = lambda a, b: dump(a) == dump(b)
) -> _Way:
    """Return the way to the smallest part that holds all in which two trees differ."""
    way: list[tuple[str, int]] = []
    while type(one) is type(other):
        ours, theirs = (dict(_parts(tree)) for tree in (one, other))
        differ = [at for at in ours if at in theirs and not same(ours[at], theirs[at])]
        if ours.keys() != theirs.keys() or len(differ) != 1:
            break
        one, other = ours[differ[0]], theirs[differ[0]]
        way.append(differ[0])
    return tuple(way)


def _parts(tree: ast.AST) -> Iterator[tuple[tuple[str, int], ast.AST]]:
    for name, value in ast.iter_fields(tree):
        parts = value if isinstance(value, list) else [value]
        yield from (((name, at), part) for at, part in enumerate(parts) if isinstance(part, ast.AST))


def _within(one: _Way, other: _Way) -> bool:
    """Whether one way leads on where the other ends."""
    return all(a == b for a, b in zip(one, other, strict=False))
