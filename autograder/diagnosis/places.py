"""Names the place of a mistake: the step that a repair changes, such as the scaling.

A repair proves where a mistake is, even if no misconception says what it is.
"""

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from autograder.diagnosis.code import MODULES
from autograder.diagnosis.patterns import Bound, PatternError, check_expression, fits, fits_one
from autograder.diagnosis.trees import expression_count, is_same_call, path_to_difference, token_counts

_PLACE = "P"  # the letter of a pattern that marks the place
_MOST_NODES = 5  # the largest number of expressions in a plain value, such as a size or an index


@dataclass(frozen=True)
class Place:
    """A step of right answers, with a sentence that is true whatever is wrong in this step.

    Each line of `patterns` is a pattern. A repair is at this place if it changes code that the letter P
    matches. If a pattern has no P, the repair must change code that the pattern contains literally, not code
    that its letters match.
    """

    name: str
    sentence: str
    hint: str
    patterns: str = ""
    where: str = ""  # a regular expression; this place applies only to questions with a matching right answer
    kinds: str = ""  # the kinds of edits that can be at this place, separated by commas; empty for all kinds

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
        """Whether this place applies to a question with these right answers."""
        return fits_one(self.where, answers)


def _pattern(text: str) -> ast.AST:
    try:
        (statement,) = ast.parse(text).body
    except (SyntaxError, ValueError) as error:
        raise PatternError(f"{text!r}: {error}") from None
    return statement.value if isinstance(statement, ast.Expr) else statement


def places_of(wrong: ast.Module, right: ast.Module, kind: str, places: Sequence[Place]) -> Iterator[Place]:
    """Yield the places at which right code differs from wrong code, in the catalogue's order.

    Patterns are matched with the right code. If the repair only removes tokens, patterns are matched with the
    wrong code instead, which still has the removed step.
    """
    of_kind = [place for place in places if not place.kinds or kind in place.kinds.split(",")]
    right_path, wrong_path = _changed_path(right, wrong), _changed_path(wrong, right)
    right_tokens, wrong_tokens = token_counts(right_path[-1]), token_counts(wrong_path[-1])
    if wrong_tokens - right_tokens and not right_tokens - wrong_tokens:
        right_path, wrong_path = wrong_path, right_path
    yield from _places_on_path(right_path, wrong_path[-1], kind, of_kind)


def places_at(statement: ast.AST, kind: str, places: Sequence[Place]) -> Iterator[Place]:
    """Yield the places whose patterns match a statement that a repair adds, moves or removes."""
    node = statement.value if isinstance(statement, ast.Expr) else statement
    for place in places:
        is_of_kind = not place.kinds or kind in place.kinds.split(",")
        if is_of_kind and (not place.trees or any(fits(pattern, node, {}) for pattern in place.trees)):
            yield place


def _changed_path(tree: ast.AST, other: ast.AST) -> list[ast.AST]:
    """Return the path from a tree's root to the smallest node that contains all differences between trees."""
    pairs = [
        pair
        for pair in path_to_difference(tree, other)
        if not isinstance(pair[0], ast.operator | ast.cmpop | ast.unaryop)
    ]
    path, (part, other_part) = [node for node, _ in pairs], pairs[-1]
    if isinstance(part, ast.Call) and isinstance(other_part, ast.Call):
        texts = Counter(map(ast.unparse, [other_part.func, *other_part.args, *other_part.keywords]))
        parts = [part.func, *part.args, *part.keywords]
        changed_arguments = [node for node in parts if ast.unparse(node) not in texts]
        if len(changed_arguments) == 1 and changed_arguments[0] is not part.func:
            path += changed_arguments
    if isinstance(path[-1], ast.keyword):
        path.append(path[-1].value)
    return path


def _places_on_path(
    path: Sequence[ast.AST], other: ast.AST, kind: str, places: Sequence[Place]
) -> Iterator[Place]:
    for place in places:
        pairs = product(place.trees, reversed(path))
        if not place.trees or any(
            _is_change_at(pattern, node, path[-1], other, kind) for pattern, node in pairs
        ):
            yield place


def _is_change_at(pattern: ast.AST, node: ast.AST, changed: ast.AST, other: ast.AST, kind: str) -> bool:
    """Whether a node matches a pattern, and `changed` is at the place that the pattern marks."""
    bound: Bound = {}
    if not fits(pattern, node, bound) or any(map(_is_module, bound.values())):
        return False
    if isinstance(place := bound.pop(_PLACE, None), ast.AST):
        if is_same_call(changed, other):
            return False  # several arguments differ, not only the argument P
        return changed is place or (_is_plain_value(place) and _is_part_of(changed, place))
    parts = [part for value in bound.values() for part in _nodes_of(value)]
    if any(_is_part_of(changed, part) for part in parts):
        return False
    if changed is not node or kind == "order":
        return not isinstance(node, ast.Assign)  # an assignment must change as a whole
    # An edit that adds, replaces or removes a step keeps the step's input X, so `other` must contain X, too.
    step = bound.get("X")
    unchanged = {ast.unparse(one) for one in ast.walk(other) if isinstance(one, ast.expr)}
    return any(ast.unparse(one) in unchanged for one in ([step] if isinstance(step, ast.AST) else parts))


def _is_module(value: object) -> bool:
    """Whether a letter matches a module. The X of `X.mean(P)` must not match `torch` in `torch.mean(x)`."""
    return isinstance(value, ast.Name) and value.id in MODULES


def _is_plain_value(value: ast.AST) -> bool:
    """Whether a value is small and has no calls. A change in it counts as a change of the whole value."""
    has_call = any(isinstance(node, ast.Call) for node in ast.walk(value))
    return not has_call and expression_count(value) <= _MOST_NODES


def _nodes_of(value: object) -> list[ast.AST]:
    """Return the nodes that a letter or `...` matches."""
    if isinstance(value, list | tuple):
        return [part for one in value for part in _nodes_of(one)]
    return [value] if isinstance(value, ast.AST) else []


def _is_part_of(node: ast.AST, tree: ast.AST) -> bool:
    return any(one is node for one in ast.walk(tree))
