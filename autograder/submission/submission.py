"""Names a submission by its student and exercise, which its cells may tell, and says where its files lie."""

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from unicodedata import is_normalized

from autograder.course.code import bound_names
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.guard import OnFailure, raise_failure, skipping
from autograder.errors import UsageError
from autograder.report.text import terminal_line
from autograder.submission.notebook import Notebook, NotebookCell, UnreadableError, read_notebook

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


def count_newer_pythons(
    course: Course, exercises: Iterable[Exercise], on_failure: OnFailure = raise_failure
) -> dict[str, int]:
    """Return how many notebooks in submitted/ were written with each Python that is newer than this one."""
    newer = Counter[tuple[int, ...]]()
    for submission in (one for exercise in exercises for one in find_submissions(course, exercise)):
        with skipping(course, submission.exercise, submission.student, on_failure):
            version = read_notebook(submission.notebook).python
            newer.update([version] if version and version > sys.version_info[:2] else ())
    return {".".join(map(str, version)): count for version, count in sorted(newer.items())}


class UnknownExerciseError(UsageError):
    """Neither the notebook nor the command says which exercise it is."""


def exercise_by_name(course: Course, path: Path) -> Exercise | None:
    """Return the exercise that the notebook's name, or else its folder, names."""
    names = (exercise_in(text, course.exercises) for text in (path.stem, path.absolute().parent.name))
    return course.exercises.get(next(filter(None, names), ""))


def exercise_in(text: str, exercises: Iterable[str]) -> str:
    """Return the longest name of an exercise that stands in `text` as a word of its own, or an empty text."""
    words = ((name, rf"(?<![^\W_]){re.escape(name)}(?![^\W_])") for name in exercises)
    return max((name for name, word in words if re.search(word, text)), key=len, default="")


def exercise_by_cells(course: Course, path: Path, notebook: Notebook) -> Exercise:
    """Return the exercise that shares most questions with the notebook's cells; it must be the only one."""
    try:
        present = _questions(notebook.cells)
    except UnreadableError:
        present = set()
    exercises = course.exercises.values()
    shared = {exercise: len(present.intersection(exercise.questions)) for exercise in exercises}
    most = max(shared.values())
    best = [exercise for exercise, count in shared.items() if count == most]
    if most and len(best) == 1:
        return best[0]
    known = ", ".join(course.exercises)
    raise UnknownExerciseError(
        f"{terminal_line(str(path))}: neither its name, its folder nor its cells tell which exercise it is; "
        f"pass --exercise (one of {known})"
    )


def _questions(cells: Sequence[NotebookCell]) -> set[str]:
    """Return what the cells define and their names."""
    code = (cell.text for cell in cells if cell.kind == "code")
    return {cell.name for cell in cells}.union(*map(bound_names, code))
