"""Says whether grading a submission again could give another result."""

import hashlib
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from itertools import chain
from pathlib import Path

import autograder
from autograder.course.course import Course, course_secret
from autograder.course.exercise import Exercise, own_files
from autograder.course.rule import Rule
from autograder.course.source import SUFFIXES
from autograder.submission.notebook import Notebook

_ENGINE = Path(autograder.__file__).parent
# Grading, and what the gradebook keeps of it. A change anywhere in these rooms grades a class again.
_ROOMS = (
    "course",
    "worker",
    "sandbox",
    "submission",
    "testing",
    "diagnosis",
    "grading",
    "gradebook",
    "collecting",
    "report",
)
_OTHERS = {"errors.py", "files.py"}


def digest_of(rules: str, notebook: Notebook) -> str:
    """Return a digest that changes when grading `notebook` again by `rules` could give another result."""
    return hashlib.sha256(f"{rules} {notebook.digest}".encode()).hexdigest()


def rules(course: Course, exercise: Exercise) -> str:
    """Return a digest of everything on which grades of `exercise` depend besides the submission.

    These are its source with its figures, its hidden tests, known mistakes and accepted answers, the
    catalogue of misconceptions, its entry in course.yaml, the walls, the secret behind the hidden inputs, and
    the engine. Held-out answers only measure the diagnosis. What being late costs is reckoned anew by each
    command, so it is no reason to grade again.
    """
    name = exercise.name
    rules_of = course.limits(name), spelt(course.rules(name)), course.building(name)
    entry = (*rules_of, course.repairs(name), course.marks_only)
    shared = course.settings.walls, engine()
    digest = hashlib.sha256(repr((entry, shared)).encode() + course_secret(course))
    kinds = (*(f"*{suffix}" for suffix in SUFFIXES), "mistakes/*.py", "accepted/*.py")
    read = chain.from_iterable(own_files(exercise.folder, kind) for kind in kinds)
    for path in (exercise.source, exercise.suite, *read, *exercise.catalogue):
        digest.update(path.name.encode() + _content(path))
    return digest.hexdigest()


def spelt(rules: Mapping[str, Rule]) -> list[tuple[str, tuple[str, ...], list[str] | None]]:
    """Return rules in a form that is written the same each time, which a set's is not."""
    return [
        (question, rule.forbid, None if rule.operators is None else sorted(rule.operators))
        for question, rule in rules.items()
    ]


def engine() -> str:
    """Return a digest of the engine's grading modules and of the torch that they compute with."""
    digest = hashlib.sha256(version("torch").encode())
    for path in grading_modules():
        digest.update(path.relative_to(_ENGINE).as_posix().encode() + _content(path))
    return digest.hexdigest()


def grading_modules() -> Iterator[Path]:
    """Yield the modules of the rooms that take part in grading, in order."""
    found = {path for room in _ROOMS for path in (_ENGINE / room).glob("*.py")}
    yield from sorted(found | {_ENGINE / name for name in _OTHERS})


def _content(path: Path) -> bytes:
    """Return the digest of a file; a missing one has a digest of its own."""
    return hashlib.sha256(path.read_bytes()).digest() if path.is_file() else b"no file"
