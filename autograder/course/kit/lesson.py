"""Finds the part of the lesson that a question belongs to: the nearest larger heading above its answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

HEADING = re.compile(r"(?m)^(#{1,2})[ \t]+(.+?)[ \t#]*$")
FENCED = re.compile(r"(?ms)^(```|~~~).*?^\1")


class Part(NamedTuple):
    """A part of the lesson: its heading, by which Jupyter can be sent there, and its text."""

    heading: str
    text: str

    @property
    def anchor(self) -> str:
        """What Jupyter calls the heading's place: its words, with a hyphen for each space.

        What it makes of a formula differs from one Jupyter to the next, so there it is nothing.
        """
        if "$" in self.heading:
            return ""
        return re.sub(r"[`*]", "", self.heading).replace(" ", "-")


def part_above(texts: Sequence[str]) -> Part | None:
    """Return the last part that begins in these text cells, which stand above a question's answer."""
    found = None
    for number, text in enumerate(texts):
        for heading, start in headings(text):
            found = Part(heading, "\n\n".join([text[start:], *texts[number + 1 :]]))
    return found


def headings(text: str) -> Iterator[tuple[str, int]]:
    """Yield the larger headings of a text cell, each with its place."""
    code = [match.span() for match in FENCED.finditer(text)]
    for match in HEADING.finditer(text):
        if not any(start <= match.start() < end for start, end in code):
            yield match[2], match.start()
