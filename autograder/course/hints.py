"""Reads the hints of an exercise, which students get one by one as they ask for them.

They stand in hints.yaml beside the source: for each question a list, from vague to plain. A hint is a text,
or has the two keys `when`, a pattern for what the visible check says, and `hint`. Students can read all of
them in their kit, so nothing of a solution may stand there.
"""

import re
from collections.abc import Iterator
from typing import Any

from autograder.course.exercise import Exercise
from autograder.course.giveaway import Secret, secrets
from autograder.course.names import suggestion
from autograder.course.source import SourceError, read_text
from autograder.course.yaml_lines import Document, DocumentError, KeyPath, Problem, read_document

Hints = dict[str, list[dict[str, str]]]


def read_hints(exercise: Exercise) -> Hints:
    """Return the hints by question, or none where there is no such file; SourceError says what is wrong."""
    path = exercise.folder / "hints.yaml"
    if not path.is_file():
        return {}
    try:
        document = read_document(read_text(path))
        problems = list(_problems(exercise, document))
    except DocumentError as error:
        problems = list(error.problems)
    if problems:
        raise SourceError("\n".join(f"{path}:{problem.line}: {problem.message}" for problem in problems))
    return {
        question: [hint if isinstance(hint, dict) else {"hint": hint} for hint in hints]
        for question, hints in document.data.items()
    }


def _problems(exercise: Exercise, document: Document) -> Iterator[Problem]:
    """Yield everything that is wrong with the file, by line."""
    if not isinstance(document.data, dict):
        yield Problem(1, "must have a question on each line, and below it a list of hints")
        return
    private = secrets(exercise)
    for question, hints in document.data.items():
        if question not in exercise.points:
            known = suggestion(str(question), exercise.points)
            yield Problem(document.line((question,)), f'"{question}" is no question; {known}')
        elif not isinstance(hints, list) or not hints:
            yield Problem(
                document.line((question,)), f'"{question}" needs a list of hints; write "- " before each'
            )
        else:
            places: list[KeyPath] = [(question, number) for number in range(len(hints))]
            wrong = zip(places, (_wrong(hint, private) for hint in hints), strict=True)
            yield from (Problem(document.line(place), message) for place, message in wrong if message)


def _wrong(hint: Any, private: list[Secret]) -> str:
    """Return what is wrong with a hint, or nothing."""
    match hint:
        case str(text):
            pattern = ""
        case {"when": str(pattern), "hint": str(text), **more} if not more:
            pass
        case _:
            return (
                "a hint must be a text, or have the keys `when` and `hint`; put a text with a colon in quotes"
            )
    try:
        re.compile(pattern)
    except re.error as error:
        return f"`when` is no pattern: {error}; mend it"
    quoted = next((secret.text for secret in private if secret.line(text) is not None), "")
    return f'quotes the solution: "{quoted}"; say it in other words' if quoted else ""
