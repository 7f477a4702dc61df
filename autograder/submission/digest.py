"""Says whether grading a submission again could give another result."""

import hashlib
import platform
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path

import autograder
from autograder.course.answers import ACCEPTED, MISTAKES
from autograder.course.course import Course, course_secret
from autograder.course.exercise import Exercise, own_files
from autograder.course.packages import DEFAULT, versions
from autograder.course.source import SUFFIXES

_ENGINE = Path(autograder.__file__).parent
# Grading, and what the gradebook keeps of it. A change anywhere in these rooms grades a class again.
_ROOMS = (
    "course", "worker", "sandbox", "submission", "testing", "diagnosis", "grading", "gradebook", "collecting",
    "records", "report",
)  # fmt: skip
_OTHERS = {"errors.py", "files.py", "course/kit/__init__.py", "worker/syscalls.toml"}


def fingerprint_of(rules: str, digest: str) -> str:
    """Return a digest that changes when grading the notebook again by `rules` could give another result."""
    return hashlib.sha256(f"{rules} {digest}".encode()).hexdigest()


def rules(course: Course, exercise: Exercise) -> str:
    """Return the first result of `rules_and_digests`."""
    return rules_and_digests(course, exercise)[0]


def rules_and_digests(course: Course, exercise: Exercise) -> tuple[str, dict[str, str]]:
    """Return a digest of everything besides the submission that can change a grade, and `digests_of`.

    These are the exercise's source with what that shows and loads, its hidden tests, known mistakes and
    accepted answers, the catalogue of misconceptions, its entry in course.yaml, the walls, the secret behind
    the hidden inputs, and the engine. Held-out answers only measure the diagnosis. What being late costs is
    reckoned anew by each command, so it is no reason to grade again, and neither is another Python.
    """
    digests = digests_of(course, exercise)
    parts = {name: part for name, part in digests.items() if name != "environment"}
    kinds = (*(f"*{suffix}" for suffix in SUFFIXES), ACCEPTED)
    read = [*chain.from_iterable(own_files(exercise.folder, kind) for kind in kinds), *exercise.loaded]
    files = _files((*read, *exercise.catalogue))
    return _digest(repr((parts, course.repairs(exercise))).encode(), *files), digests


def digests_of(course: Course, exercise: Exercise) -> dict[str, str]:
    """Return a digest of each thing that decides a score besides the notebook."""
    # A set is not written the same each time.
    rules = exercise.rules.items()
    plain = [(name, rule.forbid, rule.operators and sorted(rule.operators)) for name, rule in rules]
    settings = exercise.settings.limits, plain, exercise.settings.builds_on
    tests = exercise.suite, *exercise.imported, *own_files(exercise.folder, MISTAKES)
    return {
        "source": _digest(*_files((exercise.source, *exercise.handout.values()), exercise.folder)),
        "suite": _digest(*_files(tests)),
        "settings": _digest(repr((settings, course.settings.walls)).encode()),
        "inputs": _digest(course_secret(course)),
        "engine": engine(course.settings.packages),
        "environment": platform.python_version(),
    }


@cache
def engine(packages: tuple[str, ...] = DEFAULT) -> str:
    """Return a digest of the engine's grading modules and of the packages that they compute with.

    It is computed once for each process, which grades with the modules that it has loaded.
    """
    return _digest(repr(versions(packages)).encode(), *_files(grading_modules(), _ENGINE))


def grading_modules() -> Iterator[Path]:
    """Yield the modules of the rooms that take part in grading, in order."""
    found = {path for room in _ROOMS for path in (_ENGINE / room).glob("*.py")}
    yield from sorted(found | {_ENGINE / name for name in _OTHERS})


def _files(paths: Iterable[Path], root: Path | None = None) -> Iterator[bytes]:
    """Yield the names and contents of files; the names as they are seen from `root`, if it is given."""
    for path in paths:
        yield (path.relative_to(root).as_posix() if root else path.name).encode()
        yield _content(path)


def _content(path: Path) -> bytes:
    """Return what a file holds; a missing one differs from an empty one."""
    return path.read_bytes() if path.is_file() else b"no file"


def _digest(*parts: bytes) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(hashlib.sha256(part).digest())
    return whole.hexdigest()
