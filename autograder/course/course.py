"""Reads course.yaml: the exercises in order, when they are due, what they may use and must not call."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

from autograder.course.exercise import Exercise
from autograder.course.limits import Limits
from autograder.course.settings import NAME, CourseSettings, ExerciseSettings, read_settings
from autograder.course.source import SourceError
from autograder.course.yaml_lines import Document, DocumentError, Fault, Place, read_document, spelt
from autograder.errors import UsageError

FILE = "course.yaml"


class CourseError(UsageError):
    """What is wrong with course.yaml, one fault a line, each with its line and its mend."""


class Course:
    """A course in the folder `root`: its settings, its exercises and where things lie."""

    def __init__(self, root: Path, settings: CourseSettings) -> None:
        self.root = root
        self.settings = settings

    @property
    def build(self) -> Path:
        """Where everything that can be made again lies."""
        return self.root / "build"

    @property
    def assignments(self) -> Path:
        """What students get."""
        return self.root / "assignments"

    @cached_property
    def exercises(self) -> dict[str, Exercise]:
        """The exercises by name, in the course's order."""
        return {entry.name: _exercise(self.root, entry.name) for entry in self.settings.exercises}

    def chosen(self, names: Sequence[str]) -> list[Exercise]:
        """Return the exercises of these names, or all, in the course's order; CourseError tells of others."""
        for name in names:
            if name not in self.exercises:
                known = ", ".join(self.exercises)
                raise CourseError(f'{_shown(self.root / FILE)}: has no exercise "{name}"; use one of {known}')
        return [exercise for name, exercise in self.exercises.items() if name in names or not names]

    def limits(self, name: str) -> Limits:
        """Return what a submission of exercise `name` may use."""
        return self._entry(name).limits.over(self.settings.limits.over(Limits()))

    def forbidden(self, name: str) -> Mapping[str, Sequence[str]]:
        """Return the calls that exercise `name` forbids, by question."""
        return self._entry(name).forbid

    def due(self, name: str) -> datetime | None:
        """Return when submissions of exercise `name` become late."""
        return self._entry(name).due

    def _entry(self, name: str) -> ExerciseSettings:
        return next(entry for entry in self.settings.exercises if entry.name == name)


def load_course(root: Path) -> Course:
    """Return the course in `root`; CourseError names every line that is wrong in its course.yaml."""
    path = root / FILE
    try:
        document = read_document(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CourseError(f"{_shown(path)}: missing; run this in the course's folder") from None
    except UnicodeDecodeError:
        raise CourseError(f"{_shown(path)}: not UTF-8 text; save it as UTF-8") from None
    except OSError as error:
        raise CourseError(f"{_shown(path)}: {error.strerror}; it must be a file that can be read") from None
    except DocumentError as error:
        raise _error(path, error.faults) from None
    settings = read_settings(document)
    wrong = settings if isinstance(settings, list) else []
    faults = [*wrong, *_repeated_names(document), *_strange_rules(root, document)]
    if faults or isinstance(settings, list):
        raise _error(path, faults)
    return Course(root, settings)


def find_course(folder: Path) -> Path:
    """Return the nearest of `folder` and the folders around it that holds a course.yaml, else `folder`."""
    around = (folder, *folder.absolute().parents)
    return next((place for place in around if (place / FILE).is_file()), folder)


def _error(path: Path, faults: Sequence[Fault]) -> CourseError:
    ordered = sorted(faults, key=lambda fault: fault.line)
    return CourseError("\n".join(f"{_shown(path)}:{fault.line}: {fault.message}" for fault in ordered))


def _shown(path: Path) -> str:
    """Return `path` as someone in the current folder would type it."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _repeated_names(document: Document) -> Iterator[Fault]:
    """Yield a fault for each exercise whose name an earlier one has, in whatever case: folders are shared."""
    first: dict[str, Place] = {}
    for place, entry in _entries(document):
        name = entry.get("name")
        if isinstance(name, str) and (seen := first.setdefault(name.casefold(), place)) != place:
            message = (
                f'{spelt(place)}.name: "{name}" is the name of {spelt(seen)} too; rename one or delete it'
            )
            yield Fault(document.line((*place, "name")), message)


def _strange_rules(root: Path, document: Document) -> Iterator[Fault]:
    """Yield a fault for each rule about a question that its exercise does not have."""
    for place, entry in _entries(document):
        match entry:
            case {"name": str(name), "forbid": dict(rules)} if re.match(NAME, name):
                known = _questions(root, name)
                for question in rules if known else ():
                    if question not in known:
                        where = (*place, "forbid", str(question))
                        yield Fault(
                            document.line(where), f"{spelt(where)}: {_no_question(name, question, known)}"
                        )


def _no_question(name: str, question: object, known: Sequence[str]) -> str:
    close = get_close_matches(str(question), known, n=1)
    mend = f'did you mean "{close[0]}"?' if close else f"use one of {', '.join(known)}"
    return f"{name} has no such question; {mend}"


def _questions(root: Path, name: str) -> Sequence[str]:
    """Return the exercise's questions; none where its source cannot be read: its users are told."""
    try:
        return list(_exercise(root, name).points)
    except SourceError:
        return ()


def _entries(document: Document) -> Iterator[tuple[Place, dict[str, Any]]]:
    entries = document.data.get("exercises") if isinstance(document.data, dict) else None
    for number, entry in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(entry, dict):
            yield ("exercises", number), entry


def _exercise(root: Path, name: str) -> Exercise:
    return Exercise(root / "solutions" / name)
