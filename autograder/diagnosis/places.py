"""Names the place of a mistake: the step that a repair changes, such as the scaling.

A repair proves that something is wrong at one place. What exactly is wrong there needs evidence of its own:
that is what misconceptions are for.
"""

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from autograder.diagnosis.patterns import Bound, PatternError, check_expression, fits, fits_one
from autograder.diagnosis.trees import path_to_difference, token_counts

_PLACE = "P"  # the letter that stands for the place in a pattern
_MOST_NODES = 5  # expressions in a value that counts as one place


@dataclass(frozen=True)
class Place:
    """A step of right answers, with a sentence that is true of every wrong answer at this step.

    Each line of `patterns` is a pattern. The change must lie in what the letter P stands for or, if there
    is no P, in the pattern itself: outside all that its letters stand for.
    """

    name: str
    sentence: str
    hint: str
    patterns: str = ""
    where: str = ""  # a regular expression: one of the right answers must match, or the words would not fit
    kinds: str = ""  # the kinds of edits that count, separated by commas; empty for all

    @cached_property
    def trees(self) -> tuple[ast.AST, ...]:
        """The patterns: expressions and single statements."""
        lines = filter(None, map(str.strip, self.patterns.splitlines()))
        return tuple(map(_pattern, lines))

    def check(self) -> None:
        """Raise a PatternError if a pattern or the regular expression is invalid."""
        _ = self.trees
        check_expression(self.name, self.where)

    def fits(self, answers: Sequence[str]) -> bool:
        """Whether its words fit a question with these right answers."""
        return fits_one(self.where, answers)


def _pattern(text: str) -> ast.AST:
    try:
        (statement,) = ast.parse(text).body
    except (SyntaxError, ValueError) as error:
        raise PatternError(f"{text!r}: {error}") from None
    return statement.value if isinstance(statement, ast.Expr) else statement


def places_of(wrong: ast.Module, right: ast.Module, kind: str, places: Sequence[Place]) -> Iterator[Place]:
    """Yield the places at which right code differs from wrong code: the first of the catalogue first.

    The right code shows the place; the wrong code does if the repair only takes something away.
    """
    chosen = [one for one in places if not one.kinds or kind in one.kinds.split(",")]
    path, back = _path(right, wrong), _path(wrong, right)
    right_words, wrong_words = token_counts(path[-1]), token_counts(back[-1])
    if (
        wrong_words - right_words and not right_words - wrong_words
    ):  # what is left does not show what was too much
        path, back = back, path
    yield from _around(path, back[-1], kind, chosen)


def places_at(statement: ast.AST, kind: str, places: Sequence[Place]) -> Iterator[Place]:
    """Yield the places that a statement fits which a repair adds, moves or takes away."""
    node = statement.value if isinstance(statement, ast.Expr) else statement
    for place in places:
        is_of_kind = not place.kinds or kind in place.kinds.split(",")
        if is_of_kind and (not place.trees or any(fits(pattern, node, {}) for pattern in place.trees)):
            yield place


def _path(one: ast.AST, other: ast.AST) -> list[ast.AST]:
    """Return the nodes of a tree from the whole to the smallest that holds all differences from another."""
    pairs = [
        pair
        for pair in path_to_difference(one, other)
        if not isinstance(pair[0], ast.operator | ast.cmpop | ast.unaryop)
    ]
    path, (part, made) = [one for one, _ in pairs], pairs[-1]
    if isinstance(part, ast.Call) and isinstance(made, ast.Call):
        texts = Counter(map(ast.unparse, [made.func, *made.args, *made.keywords]))
        parts = [part.func, *part.args, *part.keywords]
        new = [one for one in parts if ast.unparse(one) not in texts]
        if len(new) == 1 and new[0] is not part.func:
            path += new
    if isinstance(path[-1], ast.keyword):
        path.append(path[-1].value)
    return path


def _around(path: Sequence[ast.AST], other: ast.AST, kind: str, places: Sequence[Place]) -> Iterator[Place]:
    for place in places:
        pairs = product(place.trees, reversed(path))
        if not place.trees or any(_is_at(pattern, node, path[-1], other, kind) for pattern, node in pairs):
            yield place


def _is_at(pattern: ast.AST, node: ast.AST, changed: ast.AST, other: ast.AST, kind: str) -> bool:
    """Whether a node fits a pattern, and what has changed lies where the pattern says."""
    bound: Bound = {}
    if not fits(pattern, node, bound):
        return False
    if isinstance(place := bound.pop(_PLACE, None), ast.AST):
        return changed is place or (_is_small(place) and _is_in(changed, place))
    parts = [part for value in bound.values() for part in _parts(value)]
    if any(_is_in(changed, part) for part in parts):
        return False
    # A step that has been added, exchanged or left out acts on the same value before and after.
    if changed is not node or kind == "order" or not isinstance(step := bound.get("X"), ast.AST):
        return True
    return ast.unparse(step) in {ast.unparse(one) for one in ast.walk(other) if isinstance(one, ast.expr)}


def _is_small(value: ast.AST) -> bool:
    """Whether a value is a size, an index or the like, whose parts are no places of their own."""
    nodes = [*ast.walk(value)]
    is_called = any(isinstance(one, ast.Call) for one in nodes)
    return not is_called and sum(isinstance(one, ast.expr) for one in nodes) <= _MOST_NODES


def _parts(value: object) -> list[ast.AST]:
    """Return the code in what a letter or `...` stands for."""
    if isinstance(value, list | tuple):
        return [part for one in value for part in _parts(one)]
    return [value] if isinstance(value, ast.AST) else []


def _is_in(node: ast.AST, tree: ast.AST) -> bool:
    return any(one is node for one in ast.walk(tree))
