"""Bounds what is shown of one submission: in letters, and in the time that parsing its parts may take."""

from dataclasses import dataclass

MAX_PAGE = 10 << 20  # letters that a page shows of one notebook
MAX_PART = 4 << 20  # letters of one cell's text, or of one output
_LAST_WORDS = 500  # letters kept for saying that the rest is left out
_NOTE = 100  # letters of a sentence in the place of a part


@dataclass(slots=True)
class Allowance:
    """What is left for one page, or for one submission; whoever adds a part takes from it."""

    letters: int = MAX_PAGE
    seconds: float = 2.0  # of computing

    @property
    def room(self) -> int:
        """How many letters the next part may have."""
        return max(min(self.letters - _LAST_WORDS, MAX_PART), 0)

    def take(self, letters: int) -> bool:
        """Take the letters of a part if there is room for it, or else those of a sentence in its place."""
        fits = letters <= self.room
        self.letters -= letters if fits else _NOTE
        return fits
