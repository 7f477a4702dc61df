"""What the gradebook has of students and submissions."""

import pytest
from nbgrader.api import Base, Gradebook, SubmittedAssignment
from sqlalchemy import inspect

from autograder.course.course import Course
from autograder.gradebook.pages import read_former, read_gradebook, read_people
from autograder.gradebook.rows import add_row, by_cell, enter_students
from autograder.records.database import gradebook_url
from autograder.submission.students import listed_by_id
from autograder.tests.classroom import hand_in, small, solved
from autograder.tests.gradebook.rows import record
from autograder.tests.gradebook.stock import formgrader

CLASS = 'id,name,email,canvas\nann,"Noether, Ann",ann@uni.example,12\nbob,Bob van Dyk\n\nzoe,Cher\n'


@pytest.fixture
def taught(ready: Course) -> Course:
    """Return a course with two submissions in the gradebook."""
    for student in ("zoe", "ann"):
        record(ready, student, made=solved(small(ready)))
    return ready


def test_submissions_come_in_order_of_ids_with_their_questions_in_the_exercise_s_order(
    taught: Course,
) -> None:
    assert [one.student for one in read_gradebook(taught, small(taught))] == ["ann", "zoe"]
    for one in read_gradebook(taught, small(taught)):
        assert [(e.student, e.question, e.written, e.max_score) for e in one.entries] == [
            (one.student, "double", False, 2.0),
            (one.student, "row_sums", False, 3.0),
            (one.student, "why", True, 2.0),
        ]
        why = one.entries[-1]
        assert (why.auto_score, why.manual_score, why.extra_credit, why.score) == (None, None, None, None)
        assert (why.comment, why.remark, why.needs_person) == ("", "", True)


def named(course: Course) -> dict[str, tuple[str | None, str | None]]:
    """Return each student's names as the formgrader gets them."""
    return {one["id"]: (one["last_name"], one["first_name"]) for one in formgrader(course).get_students()}


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
def test_names_come_from_students_csv_and_an_id_stands_for_a_missing_one(ready: Course) -> None:
    record(ready, "ann", made=solved(small(ready)))
    assert named(ready) == {"ann": ("ann", "")}
    (ready.root / "students.csv").write_text(CLASS, encoding="utf-8")
    with Gradebook(gradebook_url(ready.root), ready.settings.course) as gradebook:
        enter_students(gradebook, listed_by_id(ready.root))
    assert named(ready) == {"ann": ("Noether", "Ann"), "bob": ("Dyk", "Bob van"), "zoe": ("Cher", "")}
    people = read_people(ready)
    assert (people["ann"].parts, people["ann"].email) == (("Noether", "Ann"), "ann@uni.example")
    assert [person.name for person in people.values()] == ["Noether, Ann", "Dyk, Bob van", "Cher"]
    assert read_former(ready) == {}
    (ready.root / "students.csv").write_text(CLASS.replace("ann,", "eve,"), encoding="utf-8")
    former = [(id_, one.name, one.email) for id_, one in read_former(ready).items()]
    assert former == [("ann", "Noether, Ann", "ann@uni.example")]


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
    with Gradebook(gradebook_url(ready.root), ready.settings.course) as gradebook:
        gradebook.update_or_create_student("eve", last_name="Curie", first_name="Eve", email=None)
        enter_students(gradebook, listed_by_id(ready.root))
    assert named(ready) == {"eve": ("Curie", "Eve")}


def columns(row: Base, *ids: str) -> dict[str, object]:
    """Return the values of a row without its own id, and without the columns `ids`."""
    names = [column.key for column in inspect(type(row)).column_attrs if column.key not in ("id", *ids)]
    return {name: getattr(row, name) for name in names}


def described(row: SubmittedAssignment) -> object:
    """Return all columns of a submission's rows, except the ids that differ between submissions."""
    (notebook,), (grades, comments) = row.notebooks, by_cell(row)
    cells = [
        {name: columns(cell, "notebook_id") for name, cell in sorted(kind.items())}
        for kind in (grades, comments)
    ]
    return columns(row, "student_id"), columns(notebook, "assignment_id"), cells


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
def test_new_rows_equal_those_that_nbgrader_makes(taught: Course) -> None:
    with Gradebook(gradebook_url(taught.root), taught.settings.course) as gradebook:
        gradebook.add_student("kim")
        theirs = gradebook.add_submission(small(taught).name, "kim")
        assert described(theirs) == described(add_row(gradebook, small(taught), "lee"))


def test_a_failure_while_scores_are_recorded_leaves_no_rows(
    ready: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr("autograder.gradebook.book.store_report", fail)
    with pytest.raises(OSError, match="no space"):
        record(ready, "ann", made=solved(small(ready)))
    assert not read_gradebook(ready, small(ready))
