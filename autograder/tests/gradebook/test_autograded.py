"""Notebooks that students or their editors have changed where they should not have: made whole again."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from nbformat import NotebookNode

from autograder.course.course import Course
from autograder.gradebook.grades import Release
from autograder.submission.notebook import Notebook as SubmittedNotebook
from autograder.tests.classroom import ANSWER, Notebook, answered, cell_of, hand_in, small, solved
from autograder.tests.gradebook.rows import autograded, dump, gradebook_entry, record

ALL = {"double", "check-double", "row_sums", "check-row_sums", "why"}
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


FOLDED = {"jupyter": {"source_hidden": True}, "cellView": "form", "tags": ["raises-exception"]}


def copied(made: Notebook, name: str, text: str, as_name: str) -> dict[str, Any]:
    """Return a copy of a cell with other text, under the name `as_name`."""
    copy: dict[str, Any] = json.loads(json.dumps(cell_of(made, name)))
    copy["metadata"]["nbgrader"]["grade_id"] = as_name
    return {**copy, "source": text}


def restored(course: Course, made: Notebook) -> NotebookNode:
    """Return the notebook made whole by the released one."""
    return Release(course, small(course)).restored(SubmittedNotebook(json.dumps(made).encode()))


def named(node: NotebookNode) -> dict[str, NotebookNode]:
    """Return the graded cells by name."""
    cells = [cell for cell in node.cells if "nbgrader" in cell.metadata]
    return {cell.metadata.nbgrader.grade_id: cell for cell in cells}


@pytest.mark.parametrize("kind", TAMPERED)
def test_tampering_with_the_notebook_changes_no_row_of_the_gradebook(kind: str, ready: Course) -> None:
    made = solved(small(ready))
    hand_in(ready, "ann", made)
    record(ready, "ann")
    before, expected = dump(ready.root / "gradebook.db"), autograded(ready, "ann")
    TAMPERED[kind](made)
    hand_in(ready, "ann", made)
    record(ready, "ann")
    assert dump(ready.root / "gradebook.db") == before
    cells = {
        c["metadata"]["nbgrader"]["grade_id"]: "".join(c["source"])
        for c in autograded(ready, "ann")["cells"]
        if "nbgrader" in c["metadata"]
    }
    assert cells == {name: "".join(cell_of(expected, name)["source"]) for name in cells}
    assert set(cells) == ALL


@pytest.mark.parametrize("kind", TAMPERED)
def test_tampering_leaves_nothing_of_its_own_in_the_notebook(kind: str, course: Course) -> None:
    made = solved(small(course))
    expected = restored(course, made)
    TAMPERED[kind](made)
    node = restored(course, made)
    assert node.metadata == expected.metadata
    about = {name: cell.metadata.nbgrader for name, cell in named(node).items()}
    assert about == {name: cell.metadata.nbgrader for name, cell in named(expected).items()}
    ours = {"nbgrader", "autograder", "deletable", "editable"}
    others = [(key, cell.metadata[key]) for cell in node.cells for key in set(cell.metadata) - ours]
    assert all(FOLDED[key] == value for key, value in others)
    assert not [cell for cell in node.cells if cell.get("outputs") or cell.get("attachments")]
    assert len({cell.id for cell in node.cells}) == len(node.cells)


def test_the_definition_that_wins_when_run_is_the_one_shown_as_the_answer(ready: Course) -> None:
    made = solved(small(ready))
    made["cells"].append(copied(made, "double", "def double(x):\n    return x + x", "double"))
    hand_in(ready, "ann", made)
    record(ready, "ann")
    assert (
        "".join(cell_of(autograded(ready, "ann"), "double")["source"]) == "def double(x):\n    return x + x"
    )


def test_a_missing_answer_is_put_back_with_a_word(ready: Course) -> None:
    made = solved(small(ready))
    made["cells"].remove(cell_of(made, "double"))
    made["cells"].remove(cell_of(made, "why"))
    hand_in(ready, "ann", made)
    record(ready, "ann")
    shown = autograded(ready, "ann")
    assert "was missing from the submission" in "".join(cell_of(shown, "double")["source"])
    assert gradebook_entry(ready, "ann", "why").comment == "No response."


def test_a_missing_check_is_put_back_without_a_word_since_its_text_is_locked(course: Course) -> None:
    made = solved(small(course))
    check = cell_of(made, "check-double")
    made["cells"].remove(check)
    assert named(restored(course, made))["check-double"].source == "".join(check["source"])


def test_only_a_cell_that_ran_as_it_is_shown_bears_the_number_by_which_its_outputs_are_found(
    course: Course,
) -> None:
    made = solved(small(course))
    cell_of(made, "check-double").update(source="print('all passes')")
    node = restored(course, made)
    assert "autograder" not in named(node)["check-double"].metadata
    number = named(node)["double"].metadata.autograder.number
    assert made["cells"][number]["source"] == cell_of(made, "double")["source"]


def test_a_file_that_is_no_notebook_becomes_the_release_with_a_word_on_it(course: Course) -> None:
    release = Release(course, small(course))
    first, *rest = release.restored(SubmittedNotebook(b"{")).cells
    assert first.cell_type == "markdown"
    assert first.source.startswith("**The submitted file could not be read: not JSON (line 1, column 2)")
    assert "What follows is the exercise as released." in first.source
    assert [cell.source for cell in rest] == [
        "".join(cell["source"]) for cell in answered(small(course))["cells"]
    ]


@pytest.mark.parametrize(
    ("text", "own"), [(ANSWER, True), ("# Small steps\n\nTwo functions", True), (None, False)]
)
def test_text_of_the_student_s_own_differs_from_the_exercise_s(
    course: Course, text: str | None, own: bool
) -> None:
    made = solved(small(course))
    if text is not None:
        made["cells"].append({"cell_type": "markdown", "metadata": {}, "source": text, "id": "mine"})
    release = Release(course, small(course))
    node = release.restored(SubmittedNotebook(json.dumps(made).encode()))
    assert release.has_own_text(node) is own


def test_one_submission_s_notebook_changes_no_other_s(course: Course) -> None:
    release = Release(course, small(course))
    content = json.dumps(answered(small(course))).encode()
    for submitted in (SubmittedNotebook(content), SubmittedNotebook(b"")):
        first = release.restored(submitted)
        expected = json.dumps(first)
        first.metadata["spoilt"] = True
        for cell in first.cells:
            cell.source, cell.metadata["spoilt"] = "spoilt", True
            cell.metadata.get("nbgrader", {}).update(points=99)
        assert json.dumps(release.restored(submitted)) == expected
