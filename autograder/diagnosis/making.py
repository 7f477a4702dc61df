"""Makes edits of a piece of code, each with its size: how many words and signs it changes."""

import ast
from collections import Counter
from collections.abc import Callable, Iterator

from autograder.diagnosis.code import MODULES, Edit, New, Place
from autograder.diagnosis.pieces import (
    MOST_NAMES,
    Compared,
    Names,
    Piece,
    Pieces,
    in_words_of,
    operation,
    renamed,
    words_of,
)

_MOST_CHANGED, MOST_ADDED = 6, 30  # words and signs of one edit
_OF_SIZE = 0.06  # for each of them an edit comes later


class Making:
    """Makes edits of one code."""

    place: Place

    def __init__(self, right: Pieces, compared: Compared) -> None:
        self.right, self.compared = right, compared
        self._words = dict[int, Counter[str]]()
        self._written = dict[tuple[object, ...], list[tuple[Names, Counter[str]]]]()
        self._held: list[ast.AST] = []  # whose addresses are known, so that no others get them

    def edit(
        self, old: ast.AST, new: New, kind: str, rank: float, *more: tuple[ast.AST, New]
    ) -> Iterator[Edit]:
        """Yield an edit with its size, by which it comes later; nothing where it is no small change."""
        gone, come = Counter[str](), Counter[str]()
        for one, other in ((old, new), *more):
            gone += self.words(one)
            come += sum(map(self.words, other), Counter()) if isinstance(other, list) else self.words(other)
        yield from self.sized(old, lambda: new, kind, rank, gone, come, more)

    def sized(
        self,
        old: ast.AST,
        make: Callable[[], New],
        kind: str,
        rank: float,
        gone: Counter[str],
        come: Counter[str],
        more: tuple[tuple[ast.AST, New], ...] = (),
    ) -> Iterator[Edit]:
        """Yield an edit in which these words go and come, if it is a small change."""
        less, plus = (gone - come, come - gone) if gone and come else (gone, come)
        few, many = sorted((less.total(), plus.total()))
        if few <= (_MOST_CHANGED if kind != "step" else 2 * _MOST_CHANGED) and many <= MOST_ADDED:
            size, place = few + many + (few > 2) * 4, self.place
            recipe: tuple[object, ...] = ()
            if not more and isinstance(old, ast.expr):
                recipe = (kind, place.scope.function, place.slot, type(old), operation(old))
            rank += _OF_SIZE * size
            yield Edit(
                old, make, kind, rank, size, gone.total(), recipe=recipe, words=(less, plus), more=more
            )

    def written(self, piece: Piece, most: int = MOST_NAMES) -> list[tuple[Names, Counter[str]]]:
        """Return the ways to write a piece with the names that can be read here, each with its words."""
        scope = self.place.scope
        key = piece, scope.names, scope.attributes, scope.in_class, most
        if key not in self._written:
            ways = in_words_of(piece, scope, most)
            self._written[key] = [(names, renamed(piece.words, names)) for names in ways]
        return self._written[key]

    def of_size(
        self, old: ast.AST, new: New, kind: str, rank: float, size: int, *more: tuple[ast.AST, New]
    ) -> Iterator[Edit]:
        """Yield an edit that counts as so small, and comes where its rank says, whatever words it changes."""
        yield Edit(old, lambda: new, kind, rank, size, more=more)

    def moved(
        self, step: ast.expr, inside: ast.expr, target: ast.expr, make: Callable[[], New]
    ) -> Iterator[Edit]:
        """Yield an edit that takes a step away from what it acts on, and lets it act on something else."""
        size = (self.words(step) - self.words(inside)).total()
        if size <= MOST_ADDED:
            yield Edit(step, lambda: inside, "order", 2.3 + _OF_SIZE * size / 2, size, more=((target, make),))

    def words(self, node: ast.AST) -> Counter[str]:
        """Return the words and signs of a node."""
        if id(node) not in self._words:
            self._words[id(node)] = words_of(node)
            self._held.append(node)
        return self._words[id(node)]


def of_self(name: str) -> ast.Attribute:
    """Return an attribute of self, to be read or called."""
    return ast.Attribute(ast.Name("self", ast.Load()), name, ast.Load())


def data_of(node: ast.expr) -> ast.expr | None:
    """Return what a step acts on."""
    match node:
        case ast.BinOp(left=left):
            return left
        case ast.UnaryOp(operand=operand):
            return operand
        case ast.Subscript(value=value):
            return value
        case ast.Call(func=ast.Attribute(value=value)) if not isinstance(value, ast.Name) or value.id not in (
            *MODULES,
            "self",
        ):
            return value
        case ast.Call(args=[first, *_]):
            return first
    return None
