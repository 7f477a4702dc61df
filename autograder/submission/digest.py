"""Says whether grading a submission again could come to another result."""

import hashlib
from importlib.metadata import version
from pathlib import Path

import autograder
from autograder.course.course import Course
from autograder.course.folder import own_files
from autograder.submission.submission import Submission

_ENGINE = Path(autograder.__file__).parent


def rules(course: Course, exercise: str) -> str:
    """Return a digest of all by which submissions of an exercise are graded.

    That is its files and its entry in course.yaml, the walls, and the engine itself.
    """
    entry = (course.limits(exercise), dict(course.forbidden(exercise)), course.due(exercise))
    digest = hashlib.sha256(repr((entry, course.settings.walls, engine())).encode())
    for path in own_files(course.exercises[exercise].folder, "**/*.py"):
        digest.update(_content(path))
    return digest.hexdigest()


def engine() -> str:
    """Return a digest of the engine and the torch that it computes with."""
    digest = hashlib.sha256(version("torch").encode())
    for path in sorted(_ENGINE.rglob("*.py")):
        if "tests" not in path.relative_to(_ENGINE).parts:
            digest.update(_content(path))
    return digest.hexdigest()


def fingerprint(rules: str, submission: Submission) -> str:
    """Return what changes when grading `submission` again by `rules` could come to another result."""
    return hashlib.sha256(rules.encode() + _content(submission.notebook)).hexdigest()


def _content(path: Path) -> bytes:
    """Return the digest of a file, or what else stands in its place."""
    if path.is_symlink() or not path.is_file():
        return b"no file"
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
