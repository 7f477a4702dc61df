"""The instructor's own pattern finds students, exercises and times."""

import re
from datetime import UTC, datetime

import pytest

from autograder.collecting.instructor import PatternError, PatternMatch, match_pattern, read_pattern


@pytest.mark.parametrize(
    ("text", "message"), [("(", "--pattern: missing )"), ("(?P<exercise>x)", "finds no student")]
)
def test_a_pattern_that_cannot_serve_is_refused(text: str, message: str) -> None:
    with pytest.raises(PatternError, match=re.escape(message)):
        read_pattern(text)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("ada-2026-03-02.ipynb", PatternMatch("ada", "", datetime(2026, 3, 2, tzinfo=UTC))),
        ("ada-20260302 18:30.ipynb", PatternMatch("ada", "", datetime(2026, 3, 2, 18, 30, tzinfo=UTC))),
        ("ada-99.ipynb", PatternMatch("ada", "", None)),
        ("ada-2026-13-02.ipynb", PatternMatch("ada", "", None)),
        ("ada.ipynb", None),
    ],
)
def test_a_pattern_finds_times_however_they_are_separated(path: str, expected: PatternMatch | None) -> None:
    pattern = read_pattern(r"(?P<student>\w+)-(?P<timestamp>[\d: -]+)")
    assert match_pattern(pattern, path) == expected
