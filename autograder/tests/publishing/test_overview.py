"""All scores on one page for instructors, and an index for each student that tells nothing too early."""

import shutil

import pytest

from autograder.course.course import Course, load_course
from autograder.course.exercise import Exercise
from autograder.publishing.dashboard import write_dashboard
from autograder.publishing.overview import publish_scores, write_overview, write_pages, write_student_pages
from autograder.tests.classroom import hand_in, small, solved
from autograder.tests.gradebook.rows import SCRIPT, by_hand, record
from autograder.tests.publishing.pages import Page

LIST = f'id,name\nann,"Lovelace, Ann {SCRIPT}"\nben,\ncy,"Gone, Cy"\n'.replace("<", "").replace(">", "")


@pytest.fixture
def two(ready: Course) -> Course:
    """Return a course of two exercises, of which the class has handed in the first."""
    shutil.copytree(ready.root / "solutions/01_small", ready.root / "solutions/02_small")
    for path in (ready.root / "solutions/02_small").glob("01_small.py"):
        path.rename(path.with_name("02_small.py"))
    with (ready.root / "course.yaml").open("a") as settings:
        settings.write("    due: 2026-03-01 18:00 Europe/Berlin\n  - name: 02_small\n")
    (ready.root / "students.csv").write_text(LIST, encoding="utf-8")
    course = load_course(ready.root)
    record(course, "ann", made=solved(small(course)))
    record(course, "left", made=solved(small(course)))
    by_hand(course, "ann", "why", 1.5)
    hand_in(course, "ben", solved(small(course)))
    return course


def all_exercises(course: Course) -> list[Exercise]:
    return list(course.exercises.values())


def test_the_table_has_totals_who_is_missing_and_what_waits(two: Course) -> None:
    page = Page(write_overview(two, all_exercises(two)).read_text(encoding="utf-8"))
    rows = [" ".join(row.split()) for row in page.words.split("\n") if row.strip()]
    assert "Ann scriptalert(1)/script Lovelace ann6.56.5" in rows
    assert "ben0not graded" in rows
    assert "Cy Gone cy01missing" in rows
    assert "left" not in page.words  # who is not in the class list
    assert "02_small" not in page.words  # nobody has handed it in
    assert any(row == "Students missing1" for row in rows)


def test_a_question_that_waits_is_counted(two: Course) -> None:
    record(two, "cy", made=solved(small(two), why="Because."))
    text = write_overview(two, all_exercises(two)).read_text(encoding="utf-8")
    assert '5 <small class="ungraded">1 waits</small>' in text


def test_the_dashboard_leads_to_the_table_and_the_table_to_pages(two: Course) -> None:
    write_pages(two, [small(two)])
    overview = write_overview(two, all_exercises(two))
    links = Page(overview.read_text(encoding="utf-8")).links
    assert links == ["dashboard.html", "../feedback/ann/01_small/01_small.html"]
    assert "overview.html" in Page(write_dashboard(two, all_exercises(two)).read_text(encoding="utf-8")).links


def index(course: Course, student: str) -> Page:
    return Page((course.root / "feedback" / student / "index.html").read_text(encoding="utf-8"))


def test_each_student_has_an_index_of_all_exercises(two: Course) -> None:
    write_pages(two, [small(two)])
    page = index(two, "ann")
    assert page.links == ["01_small/01_small.html"]
    for words in ("6.5 of 7", "2026-03-01 18:00", "not handed in", "Ann scriptalert(1)/script Lovelace"):
        assert words in page.words
    assert "6.5 of the 7 points that are graded so far" in page.words


def test_an_index_tells_only_what_feedback_pages_have_told(two: Course) -> None:
    write_student_pages(two, ["ann"])
    assert "not published yet" in index(two, "ann").words
    assert "6.5" not in index(two, "ann").words
    publish_scores(two, small(two), ["ann"])
    by_hand(two, "ann", "why", 0.5)  # not published again
    write_student_pages(two, ["ann"])
    assert "6.5 of 7" in index(two, "ann").words
    write_pages(two, [small(two)])
    assert "5.5 of 7" in index(two, "ann").words
