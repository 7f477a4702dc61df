"""What a release and the gradebook have of an exercise, when it changes, too."""

import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from autograder.authoring.release import build_sources
from autograder.course.course import Course, CourseError, load_course
from autograder.gradebook.assignment import register
from autograder.gradebook.grades import released
from autograder.gradebook.pages import read_gradebook
from autograder.records.database import gradebook_url, newest_version
from autograder.tests.classroom import open_course, small, solved
from autograder.tests.gradebook.rows import (
    by_hand,
    dump,
    gradebook_entry,
    gradebook_submission,
    record,
    ruled,
)
from autograder.tests.gradebook.stock import nbgrader

AND_NOW = """
# %% [markdown]
# And now?

# %% [markdown] manual="now" points=1
# ### BEGIN SOLUTION
# Onwards.
# ### END SOLUTION
"""


def registered(course: Course) -> None:
    """Record the exercise as it is now."""
    with Gradebook(gradebook_url(course.root), course.settings.course) as gradebook:
        register(gradebook, small(course))


@pytest.fixture
def taught(ready: Course) -> Course:
    """Return a course with one submission in the gradebook."""
    record(ready, "ann", made=solved(small(ready)))
    return ready


def test_the_gradebook_knows_an_exercise_as_nbgraders_own_release_would_tell_it(tmp_path: Path) -> None:
    ours, theirs = open_course(tmp_path / "ours"), open_course(tmp_path / "theirs")
    registered(ours)
    build_sources(theirs, [small(theirs)])
    nbgrader(theirs, "generate_assignment", small(theirs).name)
    assert dump(ours.root / "gradebook.db") == dump(theirs.root / "gradebook.db")


def test_students_get_no_solution_and_locked_checks_with_checksums(course: Course) -> None:
    cells = {
        cell.metadata.nbgrader.grade_id: cell
        for cell in released(small(course)).cells
        if "nbgrader" in cell.metadata
    }
    assert list(cells) == ["double", "check-double", "row_sums", "check-row_sums", "why"]
    assert not [name for name, cell in cells.items() if "SOLUTION" in cell.source]
    assert "NotImplementedError" in cells["double"].source
    locked = {name: cell.metadata.nbgrader.locked for name, cell in cells.items()}
    assert [name for name, is_locked in locked.items() if is_locked] == ["check-double", "check-row_sums"]
    assert all(len(cell.metadata.nbgrader.checksum) == 32 for cell in cells.values())


def test_the_day_when_it_is_due_reaches_the_gradebook(ready: Course) -> None:
    course = ruled(ready, due="2026-01-01T10:00:00+01:00")
    registered(course)
    rows = dump(course.root / "gradebook.db")["assignments"]
    assert rows == [("01_small", "2026-01-01 09:00:00.000000", "small")]


def edit(course: Course, old: str, new: str) -> Course:
    """Return the course with its exercise changed, as its author might."""
    source = small(course).source
    text = source.read_text(encoding="utf-8")
    assert old in text
    source.write_text(text.replace(old, new), encoding="utf-8")
    return load_course(course.root)


def test_what_an_author_changes_or_adds_reaches_the_gradebook_and_keeps_what_people_gave(
    taught: Course,
) -> None:
    by_hand(taught, "ann", "why", 1.5)
    course = edit(taught, 'check="double" points=2', 'check="double" points=4')
    edit(course, "# Check of double\n", "# Check of double, changed\n")
    with small(course).source.open("a", encoding="utf-8") as source:
        source.write(AND_NOW)
    course = load_course(taught.root)
    registered(course)
    assert gradebook_entry(course, "ann", "double").max_score == 4.0
    assert gradebook_entry(course, "ann", "why").manual_score == 1.5
    now = gradebook_entry(course, "ann", "now")
    assert (now.score, now.max_score, now.needs_person) == (None, 1.0, True)
    sources = {str(row[0]): str(row[3]) for row in dump(course.root / "gradebook.db")["cells"]}
    assert sources["check-double"].startswith("# Check of double, changed\n")


def without_why(course: Course) -> Course:
    text = small(course).source.read_text(encoding="utf-8")
    small(course).source.write_text(text[: text.index("# %% [markdown] manual")], encoding="utf-8")
    return load_course(course.root)


def test_a_question_that_is_gone_leaves_the_gradebook(taught: Course) -> None:
    course = without_why(taught)
    registered(course)
    assert [e.question for e in gradebook_submission(course, "ann").entries] == ["double", "row_sums"]
    assert all("why" not in row for rows in dump(course.root / "gradebook.db").values() for row in rows)


def test_a_question_that_people_graded_is_never_deleted(taught: Course) -> None:
    by_hand(taught, "ann", "why", 1.5)
    course = without_why(taught)
    with pytest.raises(CourseError, match=r'"why" was removed, but still has .* \(1\)'):
        registered(course)
    assert any("why" in row for row in dump(course.root / "gradebook.db")["grades"])
    with pytest.raises(CourseError, match=r'"why" was removed, but still has .* \(1\)'):
        read_gradebook(course, small(course))


def test_a_person_looks_again_at_what_one_gave_for_a_question_that_is_worth_something_else(
    taught: Course,
) -> None:
    for cell in ("check-double", "why"):
        by_hand(taught, "ann", cell, 1.5)
    course = edit(taught, 'check="double" points=2', 'check="double" points=4')
    registered(course)
    waiting = {e.question for e in gradebook_submission(course, "ann").entries if e.needs_person}
    assert waiting == {"double"}
    record(course, "ann")
    by_hand(course, "ann", "check-double", 3.0)
    registered(course)
    record(course, "ann")
    assert not gradebook_entry(course, "ann", "double").needs_person


def test_registering_makes_the_gradebook_where_there_is_none_and_starts_no_process_for_it(
    ready: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ready.root / "gradebook.db").unlink()
    monkeypatch.setattr(subprocess.Popen, "__init__", pytest.fail)
    registered(ready)
    with closing(sqlite3.connect(ready.root / "gradebook.db")) as connection:
        assert connection.execute("select * from alembic_version").fetchall() == [(newest_version(),)]
    assert dump(ready.root / "gradebook.db")["assignments"] == [("01_small", None, "small")]
