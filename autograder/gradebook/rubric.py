"""The items of a rubric, and the score and comment that follow from the items that a grader chose.

An item is a line of the question's rubric, or a comment from the course's comment bank. Its text may end in
points, as in "the reason: 0.5 points". If a grader gives an item to an answer, the item adds its points to
the score and a line to the comment.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from rapidfuzz.distance import Indel

_POINTS = re.compile(r"\s*:\s*([+-]?\d+(?:\.\d+)?) points?\.?$")
# An edited item counts as the same item if its old and new text are at least this similar, from 0 to 1.
_SAME_ITEM = 0.5


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a rubric or of the bank. Its name is its number in the rubric, or its name in the bank."""

    name: str
    text: str
    points: float | None = None

    @property
    def is_of_rubric(self) -> bool:
        """Whether the item is from the question's rubric. Names in the comment bank are never numbers."""
        return self.name.isdigit()

    @property
    def line(self) -> str:
        """The text that the item adds to the comment."""
        return self.text if self.points is None else f"{self.points:+g}: {self.text}"

    def scaled(self, share: float) -> "Item":
        """Return the item with its points multiplied by `share`."""
        return self if self.points is None else replace(self, points=self.points * share)


@dataclass(frozen=True, slots=True)
class Marking:
    """A grader's decision on an answer: the given items, and an adjustment if the grader typed a score."""

    items: tuple[Item, ...] = ()  # all items of the question when the grader decided
    given: Mapping[str, float] = field(default_factory=dict)  # by item name: 1 for all points, 0.5 for half
    adjustment: float | None = None  # the typed score minus the given items' points at that time; or None

    @property
    def given_items(self) -> list[Item]:
        """The given items with the points that the grader gave, in the order of the rubric."""
        return [item.scaled(self.given[item.name]) for item in self.items if item.name in self.given]

    @property
    def points(self) -> float | None:
        """The sum of the points of the given items; None if no given item has points."""
        points = [item.points for item in self.given_items if item.points is not None]
        return sum(points) if points else None

    def score(self, most: float) -> float | None:
        """Return the score, between 0 and `most`.

        Return None if no given item has points and the grader typed no score.
        """
        if self.adjustment is None and self.points is None:
            return None
        return clamped((self.adjustment or 0.0) + (self.points or 0.0), most)

    def with_score(self, score: float | None, most: float) -> "Marking":
        """Return the marking, adjusted so that its score is `score`."""
        if self.score(most) == score:
            return self
        by_items = replace(self, adjustment=None)
        if score is None or by_items.score(most) == score:
            return by_items
        return replace(self, adjustment=round(score - (self.points or 0.0), 4))

    def full_comment(self, typed: str) -> str:
        """Return the comment that a student reads: a line for each item, then the typed comment."""
        return "\n".join(filter(None, (*(item.line for item in self.given_items), typed.strip())))

    def typed_comment(self, full_comment: str) -> str:
        """Return a full comment without the lines of the given items."""
        text = f"\n{full_comment}\n"
        for item in self.given_items:
            text = text.replace(f"\n{item.line}\n", "\n", 1)
        return text.strip("\n")


def read_items(rubric: Sequence[str], bank: Mapping[str, str]) -> tuple[Item, ...]:
    """Return the items of a question's rubric, then the comments of the bank."""
    texts = {str(number): text for number, text in enumerate(rubric, 1)} | dict(bank)
    return tuple(_item(name, text) for name, text in texts.items())


def _item(name: str, text: str) -> Item:
    points = _POINTS.search(text)
    return Item(name, text[: points.start()], float(points[1])) if points else Item(name, text)


def clamped(score: float, most: float) -> float:
    """Return a score that is at least 0 and at most the points of the question."""
    return round(min(max(score, 0.0), most), 4)


def successors(before: Sequence[Item], now: Sequence[Item]) -> dict[str, Item | None]:
    """Map the name of each earlier item to the current item, or to None if it was deleted.

    Comments of the bank are matched by name. An item of the rubric is matched with the item of equal text, or
    else with the item of the most similar text.
    """
    current = {item.name: item for item in now if not item.is_of_rubric}
    current_items = {item.name: current.get(item.name) for item in before if not item.is_of_rubric}
    former = [item for item in before if item.is_of_rubric]
    free = [item for item in now if item.is_of_rubric]
    for least in (1.0, _SAME_ITEM):
        for item in [item for item in former if item.name not in current_items]:
            best = max(free, key=lambda other: _likeness(item, other), default=None)
            if best is not None and _likeness(item, best) >= least:
                current_items[item.name] = best
                free.remove(best)
    return {item.name: current_items.get(item.name) for item in before}


def _likeness(first: Item, second: Item) -> float:
    return float(Indel.normalized_similarity(first.text, second.text))


def carry_over(marking: Marking, now: Sequence[Item]) -> Marking:
    """Return the marking with the current items in place of the earlier items.

    The adjustment is kept. If the score came only from items that are now deleted, the score becomes 0.
    """
    if marking.items == tuple(now):
        return marking
    current_items = successors(marking.items, now)
    shares = {
        item.name: share for name, share in marking.given.items() if (item := current_items[name]) is not None
    }
    given = {item.name: shares[item.name] for item in now if item.name in shares}
    carried = replace(marking, items=tuple(now), given=given)
    if marking.points is not None and carried.points is None and carried.adjustment is None:
        return replace(carried, adjustment=0.0)
    return carried
