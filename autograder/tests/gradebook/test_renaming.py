"""A student gets another id, and everything goes along."""

import json

import pytest

from autograder.batch.grade import grade_submissions
from autograder.course.course import Course
from autograder.gradebook.extensions import extend, read_extensions
from autograder.gradebook.pages import read_gradebook
from autograder.gradebook.renaming import RenamingError, rename
from autograder.tests.batch.test_attempts import ByTheirWord, hand_in, ruled
from autograder.tests.classroom import small
from autograder.tests.gradebook.rows import by_hand


def test_everything_goes_along_and_nothing_is_graded_again(ready: Course) -> None:
    course = ruled(ready, "best")
    listed = course.root / "students.csv"
    listed.write_text("Student;Matrikelnummer;canvas\nLovelace, Ada;ann;7\nBen;ben;8\n")
    for share in (1.0, 0.4):
        hand_in(course, share, -share)
    hand_in(course, 0.2, -1, "ben")
    extend(course, "ann", "01_small", "2026-03-03 18:00 Europe/Berlin")
    grade_submissions(course, [small(course)], executor=ByTheirWord())
    by_hand(course, "ann", "why", 2.0)
    for taken, message in (("ben", "is there already"), ("..", "is no id")):
        with pytest.raises(RenamingError, match=message):
            rename(course, "ann", taken)
    with pytest.raises(RenamingError, match="nobody has the id zoe"):
        rename(course, "zoe", "zoe2")
    rename(course, "ann", "ada.l")
    left = [path for path in course.root.rglob("*ann*") if not path.name.startswith("gradebook")]
    assert left == []
    assert listed.read_text() == "Student;Matrikelnummer;canvas\nLovelace, Ada;ada.l;7\nBen;ben;8\n"
    assert list(read_extensions(course, "01_small") or ()) == ["ada.l"]
    asked = ByTheirWord()
    grade_submissions(course, [small(course)], executor=asked)
    assert asked.asked == []
    assert {one.student: one.score for one in read_gradebook(course, small(course))} == {
        "ada.l": 7.0,
        "ben": 1.0,
    }
    story = [json.loads(line) for line in (course.root / "audit.jsonl").read_text().splitlines()]
    mine = [line for line in story if line["student"] == "ada.l"]
    assert (mine[0]["why"], mine[0]["score"], mine[-1]["score"]) == ("renamed from ann", 5.0, 7.0)
