"""The items that a grader gives to written answers, and what a changed rubric does to scores and comments.

An item is a part of the question's rubric, or a comment of the course's comment bank. Its text may end in
points, as in "the reason: 0.5 points". An item adds its points to the score and a line to the comment.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Indel

_POINTS = re.compile(r"\s*:\s*([+-]?\d+(?:\.\d+)?) points?\.?$")
_SAME_ITEM = 0.5  # the share of letters that a reworded item keeps at least


@dataclass(frozen=True, slots=True)
class Item:
    """One item; `name` is its number in the rubric, or the name of the comment in the bank."""

    name: str
    words: str
    points: float | None = None

    @property
    def is_of_rubric(self) -> bool:
        """Whether the question's rubric has it, not the comment bank, in which no name is a number."""
        return self.name.isdigit()

    @property
    def line(self) -> str:
        """The text that the item adds to the comment."""
        return self.words if self.points is None else f"{self.points:+g}: {self.words}"


@dataclass(frozen=True, slots=True)
class Marking:
    """What a grader said about one answer: the given items, by name, of the rubric at that time."""

    items: tuple[Item, ...] = ()
    given: tuple[str, ...] = ()

    @property
    def given_items(self) -> list[Item]:
        """The items that the grader gave, in the order of the rubric."""
        return [item for item in self.items if item.name in self.given]

    def score(self, most: float) -> float | None:
        """Return the sum of points, between 0 and `most`; None if no given item has points."""
        points = [item.points for item in self.given_items if item.points is not None]
        return bounded(sum(points), most) if points else None

    def comment(self, words: str) -> str:
        """Return the comment that a student reads: a line for each item, then the grader's own words."""
        return "\n".join(filter(None, (*(item.line for item in self.given_items), words.strip())))

    def own_words(self, comment: str) -> str:
        """Return a comment without the lines of the given items."""
        text = f"\n{comment}\n"
        for item in self.given_items:
            text = text.replace(f"\n{item.line}\n", "\n", 1)
        return text.strip("\n")


def read_items(rubric: Sequence[str], bank: Mapping[str, str]) -> tuple[Item, ...]:
    """Return the items of a question: those of its rubric, then the comments of the bank."""
    texts = {str(number): text for number, text in enumerate(rubric, 1)} | dict(bank)
    return tuple(_item(name, text) for name, text in texts.items())


def _item(name: str, text: str) -> Item:
    points = _POINTS.search(text)
    return Item(name, text[: points.start()], float(points[1])) if points else Item(name, text)


def bounded(score: float, most: float) -> float:
    """Return a score that is at least 0 and at most the points of the question."""
    return round(min(max(score, 0.0), most), 4)


def successors(before: Sequence[Item], now: Sequence[Item]) -> dict[str, Item | None]:
    """Return what each item of an earlier rubric is now, by its former name; None if it is gone.

    A comment of the bank keeps its name. An item of the rubric keeps its words, or else most of its letters.
    """
    current = {item.name: item for item in now if not item.is_of_rubric}
    found = {item.name: current.get(item.name) for item in before if not item.is_of_rubric}
    former = [item for item in before if item.is_of_rubric]
    free = [item for item in now if item.is_of_rubric]
    for least in (1.0, _SAME_ITEM):
        for item in [item for item in former if item.name not in found]:
            best = max(free, key=lambda other: _likeness(item, other), default=None)
            if best is not None and _likeness(item, best) >= least:
                found[item.name] = best
                free.remove(best)
    return {item.name: found.get(item.name) for item in before}


def _likeness(first: Item, second: Item) -> float:
    return float(Indel.normalized_similarity(first.words, second.words))


def carry_over(
    marking: Marking, now: Sequence[Item], score: float | None, most: float
) -> tuple[Marking, float | None]:
    """Return a marking by the rubric of today, and the score that follows.

    If the grader typed another score than the items gave, the difference to it stays.
    """
    if marking.items == tuple(now):
        return marking, score
    follow = successors(marking.items, now)
    given = {item.name for name in marking.given if (item := follow[name]) is not None}
    carried = Marking(tuple(now), tuple(item.name for item in now if item.name in given))
    before, after = marking.score(most), carried.score(most)
    if score is None or (before is None and after is None):
        return carried, score
    return carried, bounded(score + (after or 0.0) - (before or 0.0), most)
