"""Which submissions a command is about, and how many of them are certain to be graded."""

from collections.abc import Iterable, Sequence

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.submission.submission import Submission, find_submissions


def submissions_of(course: Course, exercise: Exercise, students: Sequence[str] = ()) -> list[Submission]:
    """Return the submissions of these students, each once, or of all students if none is named."""
    asked = [Submission(course.root, student, exercise.name) for student in dict.fromkeys(students)]
    return asked or list(find_submissions(course, exercise))


def certain_work(submissions: Iterable[Submission], *, force: bool = False) -> int:
    """Return how many of them are graded for certain; others may be, if they have changed since they were."""
    present = (one for one in submissions if one.notebook.is_file())
    return sum(force or not one.autograded.exists() for one in present)
