"""What lies beside a released notebook, and the cell with which its checks work.

Beside it lie conftest.py, the same for every exercise, exercise.json with what differs, and SETUP.md. The
given cell is checks.py, with the hints and forbidden words of one exercise.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from autograder.course.source import SourceError, read_text, read_yaml

CHECKS, SETUP, GIVEN = (Path(__file__).with_name(name) for name in ("conftest.py", "SETUP.md", "checks.py"))
NAMES = (CHECKS.name, SETUP.name, "exercise.json")
EVERYWHERE = "*"  # stands for each question, among hints by question
_EMPTY = "_FORBIDDEN, _HINTS = {}, {}  # of this exercise, by question\n"


def given_checks(folder: Path, forbid: Mapping[str, Sequence[str]]) -> str:
    """Return the text of the cell for the exercise in `folder`, with these forbidden words by question.

    Hints that are written wrongly are left out: `check_hints` says what is wrong with them.
    """
    words = _literal("_FORBIDDEN", {question: list(words) for question, words in forbid.items()})
    text = read_text(GIVEN).replace(_EMPTY, f"{words}\n{_literal('_HINTS', dict(hints_of(folder)))}\n")
    return text.rstrip("\n")


def _literal(name: str, values: Mapping[str, Sequence[object]]) -> str:
    """Return an assignment of `values`, an item on each line."""
    lines = [f"{name} = {{"]
    for key, items in values.items():
        lines += [
            f'    "{key}": [',
            *(f"        {json.dumps(item, ensure_ascii=False)}," for item in items),
            "    ],",
        ]
    return "\n".join([*lines, "}"])


def hints_of(folder: Path) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield the hints by question, and those for all; each has the pattern of what it fits, and its words."""
    for path, key in ((folder / "hints.yaml", None), (folder.parent / "hints.yaml", EVERYWHERE)):
        with suppress(SourceError, OSError, AttributeError, TypeError, KeyError):
            found: Any = read_yaml(path).data
            for question, hints in found.items() if key is None else [(key, found)]:
                yield (
                    question,
                    [[one["when"], one["hint"]] if isinstance(one, dict) else ["", one] for one in hints],
                )
