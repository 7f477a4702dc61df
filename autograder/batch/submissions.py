"""Which submissions a command is about, and whether it is certain that any of them will be graded."""

from collections.abc import Iterable, Sequence

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.names import closest
from autograder.errors import UsageError
from autograder.submission.students import Students, listed_students
from autograder.submission.submission import Submission, find_submissions, students_in


def submissions_of(course: Course, exercise: Exercise, students: Sequence[str] = ()) -> list[Submission]:
    """Return the submissions of these students, each once, or of all students if none is named."""
    asked = [Submission(course.root, student, exercise.name) for student in dict.fromkeys(students)]
    return asked or list(find_submissions(course, exercise))


def refuse_strangers(course: Course, students: Sequence[str]) -> None:
    """Raise UsageError on one of these ids that neither the list of students nor submitted/ has."""
    listed = listed_students(course.root) or Students(())
    known = {student.id for student in listed.all} | students_in(course)
    for name in students:
        if name not in known:
            found = listed.called(name)
            meant = [student.id for student in found] or filter(None, [closest(name, known)])
            hint = " or ".join(f'"{id_}"' for id_ in meant)
            raise UsageError(f'nobody has the id "{name}"' + (f"; did you mean {hint}?" if hint else ""))


def is_work_certain(submissions: Iterable[Submission], *, force: bool = False) -> bool:
    """Whether one of them was never graded, or all are to be graded again; others may have changed."""
    present = (one for one in submissions if one.notebook.is_file())
    return any(force or not one.autograded.exists() for one in present)
