"""The texts of the course, for students and authors, have no phrase that needs a second reading."""

import re
from pathlib import Path

import pytest

COURSE = Path(__file__).parents[2] / "solutions"
TEXTS = sorted(path for path in COURSE.rglob("*") if path.suffix in {".py", ".yaml", ".md"})
LINE_BREAK = re.compile(r"""["']?\s*\n[\s#]*(?:f?["'])?""")  # within a comment, a docstring or a split string
REASONS = {
    r"\bis no ": 'is read as "is" at first: write "is not a", or name what it is instead',
    r", and not ": 'is read as one more fact at first: write "instead of"',
    r"\bReturn what ": "leaves out the noun: name the result, with its type where it matters",
    r"\bWhether nothing": "has to be turned round to know what True means",
    r"\bsuch a one\b": "sends the reader back for the noun: repeat it",
    r"\b[Ww]hoever\b": 'leaves out the actor: write "the student", "the caller" or "you"',
}
RIGHT = re.compile(r"\b[Tt]here is no |\bis there no |\bis no longer ")  # plain English, although they match


def phrases(text: str) -> list[tuple[str, str]]:
    """Return each listed phrase with the words around it, and the reason against it."""
    joined = RIGHT.sub("", " ".join(LINE_BREAK.sub(" ", text).split()))
    return [
        (joined[max(0, match.start() - 30) : match.end() + 30], reason)
        for pattern, reason in REASONS.items()
        for match in re.finditer(pattern, joined)
    ]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(COURSE)))
def test_a_text_of_the_course_has_no_phrase_of_the_list(path: Path) -> None:
    assert phrases(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('"""The mask is no\n    triangle."""', 1),
        ("# Scores are scaled, and\n# not weights.", 1),
        ('hint = "Whoever calls "\n    "it sets the seed."', 1),
        ('f"The mask hides keys, "\nf"and not {queries}."', 1),
        ("There is no mask. It is no longer needed, and it is not\nNone.", 0),
    ],
)
def test_a_phrase_is_found_across_lines(text: str, count: int) -> None:
    assert len(phrases(text)) == count
