"""Feedback for work from Gradescope: a folder for each student, and a list that says whose it is."""

from zipfile import ZipFile

from click.testing import CliRunner, Result

from autograder.cli import main
from autograder.course.course import Course
from autograder.publishing.overview import write_pages
from autograder.tests.classroom import small, solved
from autograder.tests.gradebook.rows import record

LIST = 'id,name,email,gradescope\nann,"Lovelace, Ann",ann@uni.edu,A7\nben,,,\n'


def pack(course: Course) -> Result:
    return CliRunner().invoke(main, ["--course", str(course.root), "gradescope-zip", "01_small"])


def test_pages_are_packed_by_student_with_a_list_for_mail(ready: Course) -> None:
    (ready.root / "students.csv").write_text(LIST, encoding="utf-8")
    for student in ("ann", "ben"):
        record(ready, student, made=solved(small(ready)))
    pages = write_pages(ready, [small(ready)])
    done = pack(ready)
    folder = ready.build / "exports"
    assert done.exit_code == 0
    assert "wrote build/exports/01_small-feedback-gradescope.zip: feedback for 2" in done.output
    with ZipFile(folder / "01_small-feedback-gradescope.zip") as packed:
        assert packed.namelist() == ["ann/01_small.html", "ben/01_small.html"]
        assert packed.read("ann/01_small.html") == pages[0].read_bytes()
    assert (folder / "01_small-feedback-gradescope.csv").read_text(encoding="utf-8").splitlines() == [
        "student,name,email,gradescope,file",
        'ann,"Lovelace, Ann",ann@uni.edu,A7,ann/01_small.html',
        "ben,ben,,,ben/01_small.html",
    ]


def test_who_has_no_page_yet_is_named(ready: Course) -> None:
    record(ready, "ann", made=solved(small(ready)))
    done = pack(ready)
    assert "left out: ann: has no feedback page; run `autograder feedback` to see why" in done.output
