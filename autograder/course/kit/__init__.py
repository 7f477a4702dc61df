"""The files that students get with a notebook, and the given cell, which the notebook's checks need.

The files are conftest.py, which is the same for every exercise; exercise.json, which lists the questions,
checks and files of one exercise; and SETUP.md. The given cell contains the code of checks.py, with the hints
and forbidden words of one exercise filled in.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from autograder.course.source import SourceError, read_text, read_yaml

CHECKS, SETUP, GIVEN = (Path(__file__).with_name(name) for name in ("conftest.py", "SETUP.md", "checks.py"))
NAMES = (CHECKS.name, SETUP.name, "exercise.json")
EVERYWHERE = "*"  # the key in _HINTS for hints that apply to every question
_EMPTY = "_FORBIDDEN, _HINTS = {}, {}  # words and hints of this exercise, by question\n"


def given_checks(folder: Path, forbid: Mapping[str, Sequence[str]]) -> str:
    """Return the text of the given cell for the exercise in `folder`; `forbid` lists words by question.

    Malformed hints are left out; `check_hints` reports them.
    """
    words = _literal("_FORBIDDEN", {question: list(words) for question, words in forbid.items()})
    text = read_text(GIVEN).replace(_EMPTY, f"{words}\n{_literal('_HINTS', dict(hints_of(folder)))}\n")
    return text.rstrip("\n")


def _literal(name: str, values: Mapping[str, Sequence[object]]) -> str:
    """Return an assignment of `values` to `name`, with each item on a separate line."""
    lines = [f"{name} = {{"]
    for key, items in values.items():
        lines += [
            f'    "{key}": [',
            *(f"        {json.dumps(item, ensure_ascii=False)}," for item in items),
            "    ],",
        ]
    return "\n".join([*lines, "}"])


def hints_of(folder: Path) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield each question, or EVERYWHERE, with its hints. Each hint is a list: [pattern, text]."""
    for path, key in ((folder / "hints.yaml", None), (folder.parent / "hints.yaml", EVERYWHERE)):
        with suppress(SourceError, OSError, AttributeError, TypeError, KeyError):
            data: Any = read_yaml(path).data
            for question, hints in data.items() if key is None else [(key, data)]:
                yield (
                    question,
                    [
                        [hint["when"], hint["hint"]] if isinstance(hint, dict) else ["", hint]
                        for hint in hints
                    ],
                )
