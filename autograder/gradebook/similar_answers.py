"""Finds equal and nearly equal written answers, so that a grader reads them together.

Equal answers differ at most in case, white space, punctuation and emphasis, and may be graded together.
Nearly equal answers may contradict each other, for example by a "not". So the page shows the words in which
they differ.
"""

import re
import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher

from rapidfuzz.distance import Indel

_EMPHASIS = re.compile(r"(?<![\w*)])[*_]{1,3}(?=\w)|(?<=\w)[*_]{1,3}(?![\w*(])")
_PUNCTUATION = re.compile(r"[.,;:?](?!\d)|[\"'`\u2018-\u201f\u2026]")
_NEARLY = 0.85  # the minimum share of words that nearly equal answers have in common
_MAX_WORDS = 1000  # an answer with more words belongs to no cluster of nearly equal answers


def normal_form(text: str) -> str:
    """Return a text in lower case, without punctuation, emphasis and extra white space."""
    plain = _EMPHASIS.sub("", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(_PUNCTUATION.sub("", plain).split())


def cluster(texts: Sequence[str]) -> list[int]:
    """Return, for each of the texts in normal form, the index of the first text of its cluster."""
    first: dict[str, int] = {}
    heads: dict[int, list[str]] = {}  # the words of the first text of each cluster
    for index, text in enumerate(texts):
        if text not in first:
            words = text.split()
            nearest = _nearest(words, heads)
            first[text] = index if nearest is None else nearest
            if nearest is None and 0 < len(words) <= _MAX_WORDS:
                heads[index] = words
    return [first[text] for text in texts]


def _nearest(words: list[str], heads: dict[int, list[str]]) -> int | None:
    """Return the index of the nearly equal text in `heads` that is most similar to `words`, or None."""
    best, nearest = _NEARLY, None
    for index, other in heads.items() if len(words) <= _MAX_WORDS else ():
        likeness = Indel.normalized_similarity(words, other, score_cutoff=best)
        if likeness >= best and (nearest is None or likeness > best):
            best, nearest = likeness, index
    return nearest


def differences(text: str, other: str) -> tuple[str, str]:
    """Return the words that only `text` has, and those that only `other` has, both in normal form."""
    first, second = text.split(), other.split()
    codes = SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
    changed = [code for code in codes if code[0] != "equal"]
    only_first = (" ".join(first[start:end]) for _, start, end, _, _ in changed)
    only_second = (" ".join(second[start:end]) for _, _, _, start, end in changed)
    return " … ".join(filter(None, only_first)), " … ".join(filter(None, only_second))
