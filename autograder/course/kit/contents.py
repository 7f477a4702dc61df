"""What the kit knows of its exercise; a release fills this in."""

from typing import NamedTuple


class Question(NamedTuple):
    """A question; its check cell is known by its fingerprint, however a notebook was saved."""

    name: str
    points: float
    check: str


EXERCISE = ""
QUESTIONS: tuple[Question, ...] = ()
# The fingerprints of the demo cells: they only draw, so they are not run.
DEMOS: tuple[str, ...] = ()
# The author's hints, from vague to plain; one with "when" is for a check that fails with these words.
HINTS: dict[str, list[dict[str, str]]] = {}
MEANING = "these checks see the commonest slips; the score comes from further tests"
