"""What lies beside a released notebook, so that students can check their own.

That is conftest.py, the same for every exercise, exercise.json with what differs, and SETUP.md.
"""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from autograder.course.exercise import Exercise
from autograder.course.given import given_checks
from autograder.course.hints import check_hints
from autograder.course.packages import name_of
from autograder.course.source import Role

CHECKS, SETUP = (Path(__file__).parent / name for name in ("conftest.py", "SETUP.md"))
NAMES = (CHECKS.name, SETUP.name, "exercise.json")
_HEADING = re.compile(r"(?m)^(#{1,2})[ \t]+(.+?)[ \t#]*$")
_FENCED = re.compile(r"(?ms)^(```|~~~).*?^\1")


def student_files(exercise: Exercise) -> dict[str, str]:
    """Return the text of each file that lies beside the notebook, by the file's name."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in (CHECKS, SETUP)}
    texts[SETUP.name] = _setup(texts[SETUP.name], exercise.packages)
    return texts | {NAMES[-1]: json.dumps(_facts(exercise), indent=1, ensure_ascii=False) + "\n"}


def _setup(text: str, packages: Sequence[str]) -> str:
    """Return the page on how to set up, with what the course needs."""
    names = ", ".join([*map(name_of, packages), "Jupyter"])
    words = " ".join(f'"{one}"' if set(one) & set("<>=! ;[") else one for one in packages)
    return text.format(names=f"{names} and pytest", packages=words).replace("install  ", "install ")


def _facts(exercise: Exercise) -> dict[str, object]:
    """Return what conftest.py must know of an exercise."""
    check_hints(exercise)
    lessons = dict(lesson_parts(exercise))
    questions = {
        cell.name: {
            "points": exercise.points[cell.name],
            "lesson": _place(lessons.get(cell.name, "")),
            "check": cell.text,
        }
        for cell in exercise.cells
        if cell.role is Role.CHECK
    }
    given = given_checks(exercise.folder, exercise.forbid)
    return {"name": exercise.name, "questions": questions, "given": given}


def lesson_parts(exercise: Exercise) -> Iterator[tuple[str, str]]:
    """Yield each question with the nearest larger heading above its check."""
    heading = ""
    for cell in exercise.cells:
        if cell.role is Role.TEXT:
            heading = ([heading, *headings(cell.text)])[-1]
        elif cell.role is Role.CHECK:
            yield cell.name, heading


def headings(text: str) -> Iterator[str]:
    """Yield the larger headings of a text cell."""
    code = [match.span() for match in _FENCED.finditer(text)]
    for match in _HEADING.finditer(text):
        if not any(start <= match.start() < end for start, end in code):
            yield match[2]


def anchor(heading: str) -> str:
    """Return what Jupyter calls a heading's place: its words, with a hyphen for each space.

    What it makes of a formula differs from one Jupyter to the next, so there it is nothing.
    """
    return "" if "$" in heading else re.sub(r"[`*]", "", heading).replace(" ", "-")


def _place(heading: str) -> str:
    """Return what a message says behind a notebook's name to lead into its lesson."""
    if place := anchor(heading):
        return f"#{place}"
    return f", {heading}" if heading else ""
