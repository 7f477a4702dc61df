"""Compares the list of students with what came: who is missing, who is unknown, and who came twice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.submission.students import Student, Students
from autograder.submission.submission import find_submissions


@dataclass(frozen=True, slots=True)
class Attendance:
    """Who handed in one exercise, by the ids in submitted/."""

    exercise: str
    came: Sequence[Student]
    missing: Sequence[Student]
    unknown: Sequence[str]  # ids that are not in the list
    others: Mapping[str, Student]  # ids that stand for a student of the list, whose own id is another one

    @property
    def twice(self) -> Mapping[str, Student]:
        """The ids under which somebody came who also came under the id in the list, or under two others."""
        known = [*self.others.values()]
        return {
            id_: student
            for id_, student in self.others.items()
            if student in self.came or known.count(student) > 1
        }


def attendance(course: Course, students: Students, exercise: Exercise) -> Attendance:
    """Return who handed in `exercise`; a student under another id is neither missing nor unknown."""
    found = [submission.student for submission in find_submissions(course, exercise)]
    own = {student.id: student for student in students.all}
    others: dict[str, Student] = {}
    unknown = []
    for id_ in found:
        if id_ in own:
            continue
        known = students.called(id_)
        if len(known) == 1:
            others[id_] = known[0]
        else:
            unknown.append(id_)
    came = [own[id_] for id_ in found if id_ in own]
    missing = [one for one in students.all if one not in came and one not in others.values()]
    return Attendance(exercise.name, came, missing, unknown, others)
