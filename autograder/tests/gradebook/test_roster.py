"""Who is in the class: names reach the gradebook and its pages, and nobody is called None."""

import pytest
from nbgrader.api import Gradebook

from autograder.course.course import Course
from autograder.gradebook.config import database
from autograder.gradebook.pages import read_former, read_people
from autograder.gradebook.rows import Person, enter_students
from autograder.submission.students import StudentsError
from autograder.tests.classroom import hand_in, small, solved
from autograder.tests.gradebook.rows import record
from autograder.tests.gradebook.stock import formgrader

CLASS = 'id,name,email,canvas\nann,"Noether, Ann",ann@uni.example,12\nbob,Bob van Dyk\n\nzoe,Cher\n'


def named(course: Course) -> dict[str, tuple[str | None, str | None]]:
    """Return each student's names as the formgrader gets them."""
    return {one["id"]: (one["last_name"], one["first_name"]) for one in formgrader(course).get_students()}


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
def test_names_come_from_students_csv_and_an_id_stands_for_a_missing_one(ready: Course) -> None:
    hand_in(ready, "ann", solved(small(ready)))
    record(ready, "ann")
    assert named(ready) == {"ann": ("ann", "")}
    (ready.root / "students.csv").write_text(CLASS, encoding="utf-8")
    with Gradebook(database(ready), ready.settings.course) as gradebook:
        enter_students(gradebook, ready)
    assert named(ready) == {"ann": ("Noether", "Ann"), "bob": ("Dyk", "Bob van"), "zoe": ("Cher", "")}
    people = read_people(ready)
    assert people["ann"] == Person("ann", "Noether", "Ann", "ann@uni.example")
    assert [person.name for person in people.values()] == ["Noether, Ann", "Dyk, Bob van", "Cher"]
    assert read_former(ready) == {}
    (ready.root / "students.csv").write_text(CLASS.replace("ann,", "eve,"), encoding="utf-8")
    assert read_former(ready) == {"ann": Person("ann", "Noether", "Ann", "ann@uni.example")}


def test_who_was_collected_and_never_graded_is_called_by_the_list_or_else_by_the_id(ready: Course) -> None:
    hand_in(ready, "eve", solved(small(ready)))
    assert named(ready) == {"eve": ("eve", "")}
    (row,) = formgrader(ready).get_submissions(small(ready).name)
    assert (row["student"], row["last_name"], row["first_name"]) == ("eve", "eve", "")
    (ready.root / "students.csv").write_text('id,name\neve,"Curie, Eve"\n', encoding="utf-8")
    assert named(ready) == {"eve": ("Curie", "Eve")}
    (ready.root / "students.csv").write_text("id,name\n=1,Ann\n", encoding="utf-8")
    assert named(ready) == {"eve": ("eve", "")}


def test_names_that_somebody_typed_in_the_formgrader_stay(ready: Course) -> None:
    with Gradebook(database(ready), ready.settings.course) as gradebook:
        gradebook.update_or_create_student("eve", last_name="Curie", first_name="Eve", email=None)
        enter_students(gradebook, ready)
    assert named(ready) == {"eve": ("Curie", "Eve")}


def test_a_list_without_a_header_has_ids_and_names(course: Course) -> None:
    (course.root / "students.csv").write_text("zoe,Cher\nann,Ann Noether,another name\n", encoding="utf-8")
    assert [person.name for person in read_people(course).values()] == ["Noether, Ann", "Cher"]


@pytest.mark.parametrize("text", ["id,name\n=1+1,Ann\n", "ann,Ann\n../bob,Bob\n", "name,id\nAnn\n"])
def test_a_list_that_cannot_be_used_is_refused_with_its_line(course: Course, text: str) -> None:
    (course.root / "students.csv").write_text(text, encoding="utf-8")
    with pytest.raises(StudentsError, match=r"students\.csv:2: .* is no id"):
        read_people(course)
