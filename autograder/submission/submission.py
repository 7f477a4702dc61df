"""Names a submission by its student and exercise, and says where nbgrader keeps its files."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unicodedata import is_normalized

from autograder.course.course import Course
from autograder.course.exercise import Exercise

# A student's id becomes folders, database rows and table cells, so no character may have a meaning there.
_ID = re.compile(r"[^\W_][\w.@+-]{0,63}")  # letters of any script
_MAX_ID = 200  # bytes; a name in a file system has 255
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
    plain = is_normalized("NFC", name) and len(name.encode(errors="replace")) <= _MAX_ID
    return plain and bool(_ID.fullmatch(name)) and not name.endswith(".") and not _RESERVED.fullmatch(name)


def students_in(course: Course) -> set[str]:
    """Return whoever has anything in submitted/ for an exercise of the course."""
    found = (find_submissions(course, exercise) for exercise in course.exercises.values())
    return {submission.student for submissions in found for submission in submissions}


def has_come(course: Course, student: str) -> bool:
    """Whether anything of a student lies in submitted/."""
    return (course.root / "submitted" / student).is_dir()


def find_submissions(course: Course, exercise: Exercise) -> Iterator[Submission]:
    """Yield what lies in submitted/ for `exercise`, in order of the students' ids, even of invalid ones."""
    submitted = course.root / "submitted"
    for folder in sorted(submitted.iterdir()) if submitted.is_dir() else ():
        submission = Submission(course.root, folder.name, exercise.name)
        if submission.folder.is_dir():
            yield submission
