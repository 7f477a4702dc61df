"""Reads which mutants of an exercise are right answers, since no input shows that they differ.

An author declares them in equivalent.yaml, beside the hidden tests, as a list of entries with four keys: the
`question`, the `line` that changes, what stands there `instead`, and `because`, the reason why no test can or
should tell. A misconception that changes nothing there is declared by the `question`, its name as
`misconception`, and `because`; an accepted answer that may differ where the exercise asks for nothing by the
`question`, its file's name as `answer`, and `because`. A mistake that costs much although the visible check
passes is declared by the `question`, its name as `green`, and `because`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from autograder.course.exercise import Exercise
from autograder.course.source import SourceError, read_text
from autograder.course.yaml_lines import DocumentError, read_document

FILE = "equivalent.yaml"
_KEYS = ("question", "line", "instead", "because")


@dataclass(frozen=True, slots=True)
class Equivalent:
    """One declared mutant, misconception or accepted answer, and where its author declares it."""

    place: str  # the file and the line
    question: str
    line: str = ""
    instead: str = ""
    misconception: str = ""
    answer: str = ""  # in accepted/
    green: str = ""  # a mistake that the visible check cannot see


def read_equivalents(exercise: Exercise) -> tuple[Equivalent, ...]:
    """Return what the exercise declares, or nothing without such a file; SourceError says what is wrong."""
    path = exercise.folder / FILE
    if not path.is_file():
        return ()
    try:
        document = read_document(read_text(path))
    except DocumentError as error:
        problems = (f"{path}:{problem.line}: {problem.message}" for problem in error.problems)
        raise SourceError("\n".join(problems)) from None
    if not isinstance(document.data, list):
        raise SourceError(f"{path}:1: must be a list of mutants, each with the keys {', '.join(_KEYS)}")
    places = [f"{path}:{document.line((number,))}" for number in range(len(document.data))]
    return tuple(_entry(exercise, place, data) for place, data in zip(places, document.data, strict=True))


def _entry(exercise: Exercise, place: str, data: Any) -> Equivalent:
    match data:
        case {"question": str(name), "misconception": str(what), "because": str(why), **more}:
            _check(exercise, place, name, why, more)
            return Equivalent(place, name, misconception=what)
        case {"question": str(name), "answer": str(answer), "because": str(why), **more}:
            _check(exercise, place, name, why, more)
            return Equivalent(place, name, answer=answer)
        case {"question": str(name), "green": str(what), "because": str(why), **more}:
            _check(exercise, place, name, why, more)
            return Equivalent(place, name, green=what)
        case {"question": str(name), "line": str(line), "instead": str(instead), "because": str(why), **more}:
            _check(exercise, place, name, why, more)
            return Equivalent(place, name, _stripped(line), _stripped(instead))
    raise SourceError(f"{place}: needs the keys {', '.join(_KEYS)}, each with a text; put it in quotes")


def _check(exercise: Exercise, place: str, question: str, why: str, more: Mapping[object, object]) -> None:
    if more:
        raise SourceError(f'{place}: has the unknown key "{next(iter(more))}"; take it out')
    if question not in exercise.points:
        known = ", ".join(exercise.points)
        raise SourceError(f'{place}: "{question}" is no question; use one of {known}')
    if not why.strip():
        raise SourceError(f"{place}: gives no reason; say in `because` why no test can tell")


def _stripped(text: str) -> str:
    return "\n".join(line.strip() for line in text.strip().split("\n"))
