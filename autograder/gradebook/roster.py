"""Knows who is in the class: students.csv in the course's folder, or else whom the gradebook knows.

Where nobody has given a name, nbgrader's pages would say "None, None", so the id stands in its place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nbgrader.api import Gradebook, Student

from autograder.course.course import Course
from autograder.gradebook.rows import leave_no_none
from autograder.submission.students import listed_students


@dataclass(frozen=True, slots=True)
class Person:
    """One student of the class."""

    id: str
    last_name: str = ""
    first_name: str = ""
    email: str = ""

    @property
    def name(self) -> str:
        """The name by which lists are sorted, or the id where there is none."""
        return f"{self.last_name}, {self.first_name}" if self.first_name else self.last_name or self.id


def read_roster(root: Path) -> dict[str, Person]:
    """Return the students in a course's students.csv by id; nobody where there is no such file."""
    listed = listed_students(root)
    students = listed.all if listed else ()
    return {student.id: _person(student.id, student.names, student.email) for student in students}


def enter_students(gradebook: Gradebook, course: Course) -> None:
    """Put the class into the gradebook, with names; an id stands for a name that nobody has given."""
    roster = read_roster(course.root)
    known = {student.id: student for student in gradebook.db.query(Student)}
    for person in roster.values():
        if person.id not in known:
            known[person.id] = Student(id=person.id)
            gradebook.db.add(known[person.id])
    for student in known.values():
        person = roster.get(student.id, Person(student.id))
        given = {"last_name": person.last_name, "first_name": person.first_name, "email": person.email}
        for key, value in given.items():
            if value and getattr(student, key) != value:
                setattr(student, key, value)
        leave_no_none(student)
    gradebook.db.commit()


def read_class(gradebook: Gradebook, course: Course) -> dict[str, Person]:
    """Return the class by id, in order of the ids; without students.csv it is whom the gradebook knows."""
    known, roster = read_recorded(gradebook), read_roster(course.root)
    return {id_: roster.get(id_, known.get(id_, Person(id_))) for id_ in sorted(roster or known)}


def read_recorded(gradebook: Gradebook) -> dict[str, Person]:
    """Return whom the gradebook knows by id, also those who have left the class."""
    return {row.id: _known(row) for row in gradebook.db.query(Student)}


def _known(row: Student) -> Person:
    last, first = row.last_name or "", row.first_name or ""
    return Person(row.id, last if first or last != row.id else "", first, row.email or "")


def _person(id_: str, names: Sequence[str], email: str) -> Person:
    """Return a student by the first of their names, which has the last name first where it has a comma."""
    name = names[0] if names else ""
    last, comma, first = name.partition(",")
    if not comma:
        first, _, last = name.rpartition(" ")
    return Person(id_, last.strip(), first.strip(), email)
