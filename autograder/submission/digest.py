"""Computes digests of everything that affects a grade. If a digest changes, submissions are graded again."""

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
from autograder.course.packages import versions
from autograder.course.source import SUFFIXES

_ENGINE = Path(autograder.__file__).parent
# Folders of the autograder. After a change in one of their modules, all submissions are graded again.
_FOLDERS = (
    "course", "worker", "sandbox", "submission", "testing", "diagnosis", "grading", "gradebook", "collecting",
    "records", "report",
)  # fmt: skip
_OTHER_FILES = {"errors.py", "files.py", "course/kit/__init__.py", "worker/syscalls.toml"}


def fingerprint_of(rules: str, digest: str) -> str:
    """Return a digest of both the rules for grading and the notebook, given their digests."""
    return hashlib.sha256(f"{rules} {digest}".encode()).hexdigest()


def rules(course: Course, exercise: Exercise) -> str:
    """Return a digest of everything that can change a grade, apart from the submission."""
    return rules_and_digests(course, exercise)[0]


def rules_and_digests(course: Course, exercise: Exercise) -> tuple[str, dict[str, str]]:
    """Return the results of `rules` and `digests_of`.

    The digest of the rules covers:
    - the exercise's source, pictures and hidden tests, and the files that students get with it
    - the files that its demo cells load, its known mistakes and accepted answers, and the course's
      catalogue of misconceptions
    - the exercise's settings in course.yaml, and the isolation of submissions
    - the secret from which hidden inputs are drawn
    - the autograder's modules, and the versions of the course's packages

    It covers neither the version of Python nor late penalties, which each command computes again.
    """
    digests = digests_of(course, exercise)
    deciding = {name: digest for name, digest in digests.items() if name != "environment"}
    kinds = (*(f"*{suffix}" for suffix in SUFFIXES), ACCEPTED)
    paths = [*chain.from_iterable(own_files(exercise.folder, kind) for kind in kinds), *exercise.loaded]
    files = _files((*paths, *exercise.catalogue))
    repairs = exercise.settings.repairs, course.settings.repair_seconds
    return _digest(repr((deciding, repairs)).encode(), *files), digests


def digests_of(course: Course, exercise: Exercise) -> dict[str, str]:
    """Return digests of the files, settings and versions that affect a score, by their names in the audit."""
    rules = exercise.rules.items()
    # The set `operators` is sorted, because its order differs between processes.
    plain_rules = [(name, rule.forbid, rule.operators and sorted(rule.operators)) for name, rule in rules]
    settings = exercise.settings.limits, plain_rules, exercise.settings.builds_on
    tests = exercise.suite, *exercise.imported, *own_files(exercise.folder, MISTAKES)
    secret, installed = course_secret(course), versions(course.settings.packages)
    return {
        "source": _digest(*_files((exercise.source, *exercise.handout.values()), exercise.folder)),
        "suite": _digest(*_files(tests)),
        "settings": _digest(repr((settings, course.settings.walls)).encode()),
        "inputs": _digest(secret),
        "engine": engine(tuple(installed.items())),
        "environment": platform.python_version(),
    }


@cache
def engine(installed: tuple[tuple[str, str], ...]) -> str:
    """Return a digest of the autograder's modules and the versions of the `installed` packages.

    It is computed once: later changes of files do not affect the modules that the process has loaded.
    """
    return _digest(repr(installed).encode(), *_files(grading_modules(), _ENGINE))


def grading_modules() -> Iterator[Path]:
    """Yield the paths of the autograder's files that affect grades, in alphabetical order."""
    modules = {path for folder in _FOLDERS for path in (_ENGINE / folder).glob("*.py")}
    yield from sorted(modules | {_ENGINE / name for name in _OTHER_FILES})


def _files(paths: Iterable[Path], root: Path | None = None) -> Iterator[bytes]:
    """Yield the name and content of each file. If `root` is given, the name is the path relative to it."""
    for path in paths:
        yield (path.relative_to(root).as_posix() if root else path.name).encode()
        yield path.read_bytes() if path.is_file() else b"no file"  # differs from an empty file


def _digest(*parts: bytes) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(hashlib.sha256(part).digest())
    return whole.hexdigest()
