"""Determines the student and the exercise of a submission, and the paths of its files."""

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from unicodedata import is_normalized

from autograder.course.code import bound_names
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.guard import OnFailure, raise_failure, skipping
from autograder.errors import UsageError
from autograder.report.text import terminal_line
from autograder.submission.notebook import Notebook, UnreadableError, read_notebook

# A student's id. Letters of any script are allowed; characters that are special in paths or tables are not.
_ID = re.compile(r"[^\W_][\w.@+-]{0,63}")
_MAX_ID = 200  # bytes; file systems allow 255 bytes for a name
# Names of devices in Windows.
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Submission:
    """The paths of the files of one student's submission for one exercise."""

    root: Path
    student: str
    exercise: str

    @property
    def folder(self) -> Path:
        """The folder with the submitted files."""
        return self.root / "submitted" / self.student / self.exercise

    @property
    def notebook(self) -> Path:
        """The path at which nbgrader expects the submitted notebook."""
        return self.folder / f"{self.exercise}.ipynb"

    @property
    def autograded(self) -> Path:
        """The path of the graded notebook."""
        return self.root / "autograded" / self.student / self.exercise / f"{self.exercise}.ipynb"

    @property
    def feedback(self) -> Path:
        """The path of the student's feedback page."""
        return self.root / "feedback" / self.student / self.exercise / f"{self.exercise}.html"


def is_student(name: str) -> bool:
    """Whether `name` can be a student's id."""
    is_short = len(name.encode(errors="replace")) <= _MAX_ID
    is_reserved = name.endswith(".") or _RESERVED.fullmatch(name)
    return is_normalized("NFC", name) and is_short and bool(_ID.fullmatch(name)) and not is_reserved


def students_in(course: Course) -> set[str]:
    """Return the ids of all students with a submission for an exercise of the course."""
    exercises = course.exercises.values()
    return {submission.student for exercise in exercises for submission in find_submissions(course, exercise)}


def has_come(course: Course, student: str) -> bool:
    """Whether the student has a folder in submitted/."""
    return (course.root / "submitted" / student).is_dir()


def find_submissions(course: Course, exercise: Exercise) -> Iterator[Submission]:
    """Yield the submissions for `exercise` in submitted/, ordered by student. Their files are not checked."""
    submitted = course.root / "submitted"
    for folder in sorted(submitted.iterdir()) if submitted.is_dir() else ():
        submission = Submission(course.root, folder.name, exercise.name)
        if submission.folder.is_dir():
            yield submission


def count_newer_pythons(
    course: Course, exercises: Iterable[Exercise], on_failure: OnFailure = raise_failure
) -> dict[str, int]:
    """Return the number of submitted notebooks for each version of Python that is newer than the grader's."""
    newer = Counter[tuple[int, ...]]()
    for exercise in exercises:
        for submission in find_submissions(course, exercise):
            with skipping(course, submission.exercise, submission.student, on_failure):
                version = read_notebook(submission.notebook).python
                newer.update([version] if version and version > sys.version_info[:2] else ())
    return {".".join(map(str, version)): count for version, count in sorted(newer.items())}


class UnknownExerciseError(UsageError):
    """The exercise of a notebook cannot be determined."""


def exercise_by_name(course: Course, path: Path) -> Exercise | None:
    """Return the exercise whose name occurs in the file's name or else in its folder's name, or None."""
    names = (exercise_in(text, course.exercises) for text in (path.stem, path.absolute().parent.name))
    return course.exercises.get(next(filter(None, names), ""))


def exercise_in(text: str, exercises: Iterable[str]) -> str:
    """Return the longest name of an exercise that occurs in `text` as a whole word, or ""."""
    words = ((name, rf"(?<![^\W_]){re.escape(name)}(?![^\W_])") for name in exercises)
    return max((name for name, word in words if re.search(word, text)), key=len, default="")


def exercise_by_cells(course: Course, path: Path, notebook: Notebook) -> Exercise:
    """Return the exercise with the most questions in the notebook's cells.

    If there is a tie, or no exercise matches, UnknownExerciseError is raised.
    """
    try:
        codes = [cell.text for cell in notebook.cells if cell.kind == "code"]
        names = {cell.name for cell in notebook.cells}.union(*map(bound_names, codes))
    except UnreadableError:
        names = set()
    exercises = course.exercises.values()
    counts = {exercise: len(names.intersection(exercise.questions)) for exercise in exercises}
    most = max(counts.values())
    best = [exercise for exercise, count in counts.items() if count == most]
    if most and len(best) == 1:
        return best[0]
    raise UnknownExerciseError(
        f"{terminal_line(str(path))}: the file name, the folder and the cells do not identify the exercise; "
        f"add --exercise with one of {', '.join(course.exercises)}"
    )
