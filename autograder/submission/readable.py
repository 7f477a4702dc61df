"""Says whether code can be read in little time and memory; it is only looked over here, never parsed.

Python's parser keeps every beginning of a dotted name in an import, so that a long one takes gigabytes. Its
tables of symbols copy all names of a function for each function inside. Both grow with the square of the
code; what is left within these bounds takes a fraction of a second.
"""

import re
from collections.abc import Iterable

MAX_CODE = 150_000  # characters of a notebook's code
MAX_TOKENS = 20_000  # words and signs; the longest notebook of the course has 6,000
MAX_DOTS = 100  # in one dotted name
MAX_RUN_DOTS = 1000  # in one dotted name of code that is only run; with more, this begins to take long
MAX_DEPTH = 100  # brackets inside brackets
_PART = r"(?:\.[\s\\]*\w+[\s\\]*)"  # of a dotted name
_LONG_NAME = re.compile(rf"{_PART}{{{MAX_DOTS}}}")
_DOTTED = re.compile(rf"{_PART}++")
_TOKEN = re.compile(r"\w+|[^\w\s\\]")
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")


def readable(codes: Iterable[str]) -> bool:
    """Whether the code of a whole notebook is short and flat enough to be parsed."""
    left, tokens_left = MAX_CODE, MAX_TOKENS
    for code in codes:
        left -= len(code)
        tokens = _TOKEN.findall(code) if left >= 0 else []
        tokens_left -= len(tokens)
        if left < 0 or tokens_left < 0 or not _flat(tokens):
            return False
    return True


def quick_to_parse(code: str) -> bool:
    """Whether no dotted name in some code is too long for Python's parser."""
    return _LONG_NAME.search(code) is None


def quick_to_run(code: str) -> bool:
    """Whether no dotted name keeps Python's parser busy for long before some code begins to run."""
    return code.count(".") <= MAX_RUN_DOTS or all(
        name[0].count(".") <= MAX_RUN_DOTS for name in _DOTTED.finditer(code)
    )


def _flat(tokens: Iterable[str]) -> bool:
    """Whether no dotted name is too long and no bracket too deep; text and comments count as if code."""
    dots = depth = 0
    dotted = False  # whether the last token was a dot
    for sign in tokens:
        if sign == ".":
            dots, dotted = dots + 1, True
        else:
            dots = dots if dotted and sign not in _OPEN | _CLOSE else 0
            dotted = False
            depth = depth + 1 if sign in _OPEN else max(depth - 1, 0) if sign in _CLOSE else depth
        if dots > MAX_DOTS or depth > MAX_DEPTH:
            return False
    return True
