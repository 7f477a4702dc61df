"""Knows who is in the class: students.csv in the course's folder, or else whom the gradebook knows.

The file has a header with `id`, and `name` and `email` if you like; other columns are for others. Without
such a header each row is an id and a name. Where nobody has given a name, nbgrader's pages would say
"None, None", so the id stands in its place.
"""

import csv
from dataclasses import dataclass

from nbgrader.api import Gradebook, Student

from autograder.course.course import Course
from autograder.errors import UsageError
from autograder.submission.submission import is_student

FILE = "students.csv"


class RosterError(UsageError):
    """students.csv cannot be used; the message says where and what to do."""


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


def read_roster(course: Course) -> dict[str, Person]:
    """Return the students in students.csv by id; nobody where there is no such file."""
    path = course.root / FILE
    if not path.is_file():
        return {}
    try:
        rows = list(csv.reader(path.read_text(encoding="utf-8-sig").splitlines()))
    except (OSError, UnicodeDecodeError, csv.Error):
        raise RosterError(f"{path}: cannot be read; save it as CSV in UTF-8") from None
    header = [cell.strip().casefold() for cell in rows[0]] if rows else []
    titled = "id" in header
    columns = header if titled else ["id", "name"]
    people = [
        _person(f"{path}:{number}", dict(zip(columns, map(str.strip, row), strict=False)))
        for number, row in enumerate(rows[titled:], 1 + titled)
        if any(row)
    ]
    return {person.id: person for person in people}


def enter_students(gradebook: Gradebook, course: Course) -> None:
    """Put the class into the gradebook, with names; an id stands for a name that nobody has given."""
    roster = read_roster(course)
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
        _leave_no_none(student)
    gradebook.db.commit()


def enter_student(gradebook: Gradebook, student: str) -> None:
    """Put one student into the gradebook who may not be in students.csv."""
    _leave_no_none(gradebook.update_or_create_student(student))


def read_class(gradebook: Gradebook, course: Course) -> dict[str, Person]:
    """Return the class by id, in order of the ids; without students.csv it is whom the gradebook knows."""
    known = {row.id: _known(row) for row in gradebook.db.query(Student)}
    roster = read_roster(course)
    return {id_: roster.get(id_, known.get(id_, Person(id_))) for id_ in sorted(roster or known)}


def _known(row: Student) -> Person:
    last, first = row.last_name or "", row.first_name or ""
    return Person(row.id, last if first or last != row.id else "", first, row.email or "")


def _leave_no_none(row: Student) -> None:
    """Fill what nobody has given, where nbgrader's pages would show None."""
    if row.last_name is None:
        row.last_name = "" if row.first_name else row.id
    row.first_name, row.email = row.first_name or "", row.email or ""


def _person(line: str, cells: dict[str, str]) -> Person:
    if not is_student(cells.get("id", "")):
        wrong = cells.get("id", "")
        raise RosterError(f'{line}: "{wrong}" is no id; write one of letters, digits and . _ @ + -')
    name = cells.get("name", "").partition(";")[0].strip()
    last, comma, first = name.partition(",")
    if not comma:
        first, _, last = name.rpartition(" ")
    return Person(cells["id"], last.strip(), first.strip(), cells.get("email", ""))
