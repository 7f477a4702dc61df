"""A student gets another id, and everything goes along."""

import pytest

from autograder.course.course import Course
from autograder.errors import UsageError
from autograder.gradebook.lateness import extend, read_extensions
from autograder.gradebook.pages import read_gradebook
from autograder.gradebook.renaming import rename
from autograder.publishing.export import Exports
from autograder.publishing.graded_work import RegradeRequests
from autograder.records.audit import audit_lines
from autograder.records.database import reading
from autograder.records.tables import ATTEMPTS
from autograder.submission.students import read_students
from autograder.tests.batch.test_attempts import hand_in, regraded
from autograder.tests.classroom import small
from autograder.tests.gradebook.rows import by_hand, ruled


def test_everything_goes_along_and_nothing_is_graded_again(ready: Course) -> None:
    course = ruled(ready, "best")
    listed = course.root / "students.csv"
    listed.write_text("Student;Matrikelnummer;canvas\nLovelace, Ada;ann;7\nBen;ben;8\n")
    for share in (1.0, 0.4):
        hand_in(course, share, -share)
    hand_in(course, 0.2, -1, "ben")
    extend(course, "ann", "01_small", "2026-03-03 18:00 Europe/Berlin")
    regraded(course)
    by_hand(course, "ann", "why", 2.0)
    for taken, message in (("ben", "already exists"), ("..", "is not an id")):
        with pytest.raises(UsageError, match=message):
            rename(course, "ann", taken)
    with pytest.raises(UsageError, match="nobody has the id zoe"):
        rename(course, "zoe", "zoe2")
    rename(course, "ann", "ada.l")
    left = [path for path in course.root.rglob("*ann*") if path.suffix != ".db"]
    assert left == []
    assert listed.read_text() == 'Student,Matrikelnummer,canvas\n"Lovelace, Ada",ada.l,7\nBen,ben,8\n'
    assert list(read_extensions(course, "01_small") or ()) == ["ada.l"]
    assert regraded(course) == []
    scores = {one.student: one.score for one in read_gradebook(course, small(course))}
    assert scores == {"ada.l": 7.0, "ben": 1.0}
    mine = [(line["why"], line["score"]) for line in audit_lines(course) if line["student"] == "ada.l"]
    assert mine == [("new", 5.0), ("renamed from ann", 5.0), ("by hand", 7.0)]


@pytest.mark.parametrize(
    ("old", "new"), [("s.obrien2", "s.obrien"), ("ada@cs.uni.edu", "ada.lovelace@uni.edu")]
)
def test_an_id_may_have_any_dots_and_the_way_back_is_open(ready: Course, old: str, new: str) -> None:
    course = ruled(ready, "newest")
    beside = f"{old}x"  # an id that begins with the other one
    for student in (old, beside):
        hand_in(course, 1.0, -1, student)
    regraded(course)
    for before, now in ((old, new), (new, old)):
        rename(course, before, now)
        for folder in ("submitted", "autograded"):
            assert {path.name for path in (course.root / folder).iterdir()} == {now, beside}
        with reading(course.root) as store:
            assert {row.student for row in store.execute(ATTEMPTS.select())} == {now, beside}
        known = [one.student for one in read_gradebook(course, small(course))]
        assert sorted(known) == sorted([now, beside])


@pytest.mark.parametrize("old", [".", "..", "", "ben/01_small", "../submitted/ben"])
def test_what_is_no_folder_of_one_student_is_nobody_s_id(ready: Course, old: str) -> None:
    hand_in(ready, 1.0, -1, "ben")
    with pytest.raises(UsageError, match="nobody has the id"):
        rename(ready, old, "ann")
    assert (ready.root / "submitted" / "ben" / "01_small" / "01_small.ipynb").is_file()


def test_two_students_of_the_list_stay_two(course: Course) -> None:
    listed = course.root / "students.csv"
    listed.write_text("id,name\nann,Ann\nben,Ben\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"students\.csv has ben already"):
        rename(course, "ann", "ben")
    assert [one.id for one in read_students(listed).all] == ["ann", "ben"]


def test_what_is_done_and_what_went_out_stays_so_under_the_new_id(course: Course) -> None:
    (course.root / "students.csv").write_text("yosef,Yosef\n", encoding="utf-8")
    requests = course.root / "regrade_requests.csv"
    text = "student,exercise,question,reason\nyosef,01_small,double,look\nyosef,01_small,why,no\n"
    requests.write_text(text, encoding="utf-8")
    asked = RegradeRequests(course)
    asked.finish([*asked.rows.values()][:1])
    Exports(course, "canvas").note("01_small", {"yosef": 3.0, "ann": 1.0})
    for old, new in (("yosef", "y"), ("y", "yosef.k"), ("yosef.k", "yosef"), ("yosef", "yosef.k")):
        rename(course, old, new)
        (request,) = RegradeRequests(course).rows.values()
        assert (request.student, request.question) == (new, "why")
        went = {new: 3.0, old: 3.0, "ann": 1.0}
        assert Exports(course, "canvas").changed("01_small", went) == {old}
