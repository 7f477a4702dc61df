"""Notebooks that students or their editors have changed where they should not have: no row minds."""

import json
import os
from collections.abc import Callable
from typing import Any

import pytest

from autograder.course.course import Course
from autograder.grading.graded import Graded
from autograder.tests.classroom import ANSWER, Notebook, cell_of, hand_in, small, solved
from autograder.tests.gradebook.rows import autograded, dump, entry, full_marks, record


@pytest.fixture
def course(ready: Course) -> Course:
    """Return a course with an empty gradebook."""
    return ready


@pytest.fixture
def marked(course: Course) -> Graded:
    """Return what a right answer comes to."""
    return full_marks(small(course))


TAMPERED: dict[str, Callable[[Notebook], object]] = {
    "points": lambda made: cell_of(made, "check-double")["metadata"]["nbgrader"].update(points=99),
    "no grade": lambda made: cell_of(made, "check-double")["metadata"]["nbgrader"].update(grade=False),
    "unlocked": lambda made: cell_of(made, "check-double")["metadata"]["nbgrader"].update(locked=False),
    "schema": lambda made: cell_of(made, "check-double")["metadata"]["nbgrader"].update(schema_version=1),
    "tags": lambda made: [
        c["metadata"].update(tags=["skip-execution", "remove-cell"]) for c in made["cells"]
    ],
    "edited check": lambda made: cell_of(made, "check-double").update(source="print('all passes')"),
    "missing check": lambda made: made["cells"].remove(cell_of(made, "check-double")),
    "unknown id": lambda made: made["cells"].append(copied(made, "double", "x = 1", "invented")),
    "copied cell": lambda made: made["cells"].append(copied(made, "double", "x = 1", "double")),
    "copied check": lambda made: made["cells"].append(copied(made, "check-double", "2.0", "check-double")),
    "kernel": lambda made: made["metadata"].update(kernelspec={"name": "sh", "argv": ["touch", "owned"]}),
    "language": lambda made: made["metadata"].update(language=["x"], nbgrader="y"),
    "forged output": lambda made: cell_of(made, "check-double").update(outputs=[{"output_type": "evil"}]),
    "metadata": lambda made: [c.update(metadata=[]) for c in made["cells"]],
    "odd ids": lambda made: [c.update(id={"a": 1}) for c in made["cells"]],
    "attachments": lambda made: made["cells"][0].update(attachments={"x.svg": {"image/svg+xml": "<svg>"}}),
}


def copied(made: Notebook, name: str, text: str, as_name: str) -> dict[str, Any]:
    """Return a copy of a cell with other text, under the name `as_name`."""
    copy: dict[str, Any] = json.loads(json.dumps(cell_of(made, name)))
    copy["metadata"]["nbgrader"]["grade_id"] = as_name
    return {**copy, "source": text}


@pytest.mark.parametrize("kind", TAMPERED)
def test_tampering_with_the_notebook_changes_no_row_of_the_gradebook(
    kind: str, course: Course, marked: Graded
) -> None:
    made = solved(small(course))
    hand_in(course, "ann", made)
    record(course, "ann", marked)
    before, expected = dump(course.root / "gradebook.db"), autograded(course, "ann")
    TAMPERED[kind](made)
    hand_in(course, "ann", made)
    record(course, "ann", marked)
    assert dump(course.root / "gradebook.db") == before
    cells = {
        c["metadata"]["nbgrader"]["grade_id"]: "".join(c["source"])
        for c in autograded(course, "ann")["cells"]
        if "nbgrader" in c["metadata"]
    }
    assert cells == {name: "".join(cell_of(expected, name)["source"]) for name in cells}
    assert set(cells) == {"double", "check-double", "row_sums", "check-row_sums", "why"}


def test_the_definition_that_wins_when_run_is_the_one_shown_as_the_answer(
    course: Course, marked: Graded
) -> None:
    made = solved(small(course))
    made["cells"].append(copied(made, "double", "def double(x):\n    return x + x", "double"))
    hand_in(course, "ann", made)
    record(course, "ann", marked)
    assert (
        "".join(cell_of(autograded(course, "ann"), "double")["source"]) == "def double(x):\n    return x + x"
    )


def test_a_missing_answer_is_put_back_with_a_word(course: Course, marked: Graded) -> None:
    made = solved(small(course))
    made["cells"].remove(cell_of(made, "double"))
    made["cells"].remove(cell_of(made, "why"))
    hand_in(course, "ann", made)
    record(course, "ann", marked)
    shown = autograded(course, "ann")
    assert "was missing from the submission" in "".join(cell_of(shown, "double")["source"])
    assert entry(course, "ann", "why").comment == "No response."


def test_text_beside_an_empty_answer_is_left_for_a_person(course: Course, marked: Graded) -> None:
    made = solved(small(course), why=next(c for c in small(course).cells if c.name == "why").released())
    made["cells"].append({"cell_type": "markdown", "metadata": {}, "source": ANSWER, "id": "mine"})
    hand_in(course, "ann", made)
    record(course, "ann", marked)
    assert entry(course, "ann", "why").needs_person


def test_other_files_of_a_submission_never_reach_nbgrader(course: Course, marked: Graded) -> None:
    submission = hand_in(course, "ann", solved(small(course)), late="2026-01-01 12:00:00 UTC")
    os.mkfifo(submission.folder / "pipe.txt")
    (submission.folder / "secret.txt").symlink_to("/etc/hostname")
    (submission.folder / "folder").mkdir()
    (submission.folder / "folder" / "helper.py").write_text("x = 1")
    record(course, "ann", marked)
    assert sorted(p.name for p in submission.autograded.parent.iterdir()) == [
        "01_small.ipynb",
        "timestamp.txt",
    ]
