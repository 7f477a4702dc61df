"""Makes edits of a piece of code, each with its size: how many words and signs it changes."""

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from autograder.diagnosis.code import Place
from autograder.diagnosis.pieces import Compared, Pieces, operation
from autograder.diagnosis.trees import New, words_of

_MOST_CHANGED, MOST_ADDED = 6, 30  # words and signs of one edit
OF_SIZE = 0.06  # for each of them an edit comes later
Make = Callable[[], New]


@dataclass(frozen=True, slots=True)
class Edit:
    """One small change: a node, what makes that which stands in its place, and what kind of thing it changes.

    Several nodes change together where one change needs it. Lower ranks are more likely.
    """

    old: ast.AST
    make: Make
    kind: str
    rank: float
    size: int = 0  # how many words and signs differ
    extent: int = 0  # how many there are in what it changes
    more: tuple[tuple[ast.AST, Make], ...] = ()
    at: ast.AST | None = None  # what of the student's text it changes, once it is made
    cell: int | None = None  # and in which cell
    recipe: tuple[object, ...] = ()  # equal where other places of a function change in the same way

    @property
    def changes(self) -> list[tuple[ast.AST, New]]:
        """Each node that changes, with what stands in its place."""
        return [(old, make()) for old, make in ((self.old, self.make), *self.more)]


@dataclass
class Making:
    """Makes edits at one place after the other of some code."""

    right: Pieces
    compared: Compared
    place: Place

    def edit(
        self,
        old: ast.AST,
        new: New,
        kind: str,
        rank: float,
        *more: tuple[ast.AST, New],
        size: int | None = None,
    ) -> Iterator[Edit]:
        """Yield an edit if it is a small change; one with a `size` is, and comes where its rank says."""
        others = tuple((other, returned(made)) for other, made in more)
        if size is not None:
            yield Edit(old, returned(new), kind, rank, size, more=others)
            return
        gone, come = Counter[str](), Counter[str]()
        for one, made in ((old, new), *more):
            gone += words_of(one)
            for part in made if isinstance(made, list) else [made]:
                come += words_of(part)
        yield from self.sized(old, returned(new), kind, rank, gone, come, others)

    def sized(
        self,
        old: ast.AST,
        make: Make,
        kind: str,
        rank: float,
        gone: Counter[str],
        come: Counter[str],
        more: tuple[tuple[ast.AST, Make], ...] = (),
    ) -> Iterator[Edit]:
        """Yield an edit in which these words go and come, if it is a small change."""
        less, plus = gone - come, come - gone
        few, many = sorted((less.total(), plus.total()))
        if few > (2 * _MOST_CHANGED if kind == "step" else _MOST_CHANGED) or many > MOST_ADDED:
            return
        size, place = few + many + (few > 2) * 4, self.place
        recipe: tuple[object, ...] = ()
        if not more and isinstance(old, ast.expr):
            where = kind, place.scope.function, place.slot, type(old), operation(old)
            recipe = *where, frozenset(less.items()), frozenset(plus.items())
        yield Edit(old, make, kind, rank + OF_SIZE * size, size, gone.total(), more, recipe=recipe)


def returned(new: New) -> Make:
    """Return what makes nothing else than this."""
    return lambda: new
