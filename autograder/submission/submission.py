"""A submission: whose it is, for which exercise, and where nbgrader keeps its files."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import autograder
from autograder.course.course import Course
from autograder.course.exercise import Exercise

# A student's id becomes folders, database rows and table cells: nothing in it may mean more than itself.
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}", re.ASCII)
_ENGINE = Path(autograder.__file__).parent
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)  # devices in Windows


@dataclass(frozen=True, slots=True)
class Submission:
    """What one student handed in for one exercise."""

    root: Path
    student: str
    exercise: str

    @property
    def folder(self) -> Path:
        """The folder that was handed in."""
        return self.root / "submitted" / self.student / self.exercise

    @property
    def notebook(self) -> Path:
        """Where the notebook must lie."""
        return self.folder / f"{self.exercise}.ipynb"

    @property
    def autograded(self) -> Path:
        """The notebook as it was graded."""
        return self.root / "autograded" / self.student / self.exercise / f"{self.exercise}.ipynb"

    @property
    def report(self) -> Path:
        """The report on it."""
        return self.root / "build" / "reports" / self.exercise / f"{self.student}.json"

    @property
    def feedback(self) -> Path:
        """The page that the student gets."""
        return self.root / "feedback" / self.student / self.exercise / f"{self.exercise}.html"


def is_student(name: str) -> bool:
    """Whether `name` can be a student's id."""
    return bool(_ID.fullmatch(name)) and not name.endswith(".") and not _RESERVED.fullmatch(name)


def find_submissions(course: Course, exercise: Exercise) -> Iterator[Submission]:
    """Yield what lies in submitted/ for `exercise`, in order of the students' ids, whatever these are."""
    submitted = course.root / "submitted"
    for folder in sorted(submitted.iterdir()) if submitted.is_dir() else ():
        submission = Submission(course.root, folder.name, exercise.name)
        if submission.folder.is_dir():
            yield submission


def rules(course: Course, exercise: str) -> str:
    """Return a digest of all by which submissions of an exercise are graded.

    That is its files and its entry in course.yaml, the walls, and the engine itself.
    """
    entry = (course.limits(exercise), dict(course.forbidden(exercise)), course.due(exercise))
    digest = hashlib.sha256(repr((entry, course.settings.walls, engine())).encode())
    for path in sorted(course.exercises[exercise].folder.rglob("*.py")):
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
