"""What the gradebook and the autograded notebook have of a graded submission."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from nbformat import NotebookNode, from_dict

from autograder.course.course import Course
from autograder.gradebook.grades import Release, comment
from autograder.grading.graded import CellResult, Graded, Output
from autograder.report.report import QuestionReport, Report, Status, Verdict
from autograder.report.report import TestReport as HiddenTest
from autograder.submission.notebook import Notebook as SubmittedNotebook
from autograder.submission.notebook import read_notebook
from autograder.testing.exchange import StudentError
from autograder.tests.classroom import ANSWER, Notebook, cell_of, hand_in, open_course, small, solved
from autograder.tests.gradebook.rows import (
    UNREADABLE,
    autograded,
    dump,
    full_marks,
    gradebook_entry,
    gradebook_submission,
    record,
)
from autograder.tests.report.test_text import png

PASSED = HiddenTest("Holds.", Verdict.PASSED, 1.0, "")
FAILED = HiddenTest("Rows sum to 1.", Verdict.FAILED, 1.0, "Over which dimension?")
SLOW = HiddenTest("Is fast.", Verdict.TIMED_OUT, 1.0, "It took longer than 5 s.")
QUESTION = QuestionReport("double", Verdict.FAILED, 1.0, 2.0, "Look at dim.", None, (PASSED, FAILED, SLOW))
REPORT = Report("01_small", Status.GRADED, "", 1.0, 2.0, (), (QUESTION,))
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
UNREAD = [f"unreadable{number}" for number in range(len(UNREADABLE))]


@pytest.mark.parametrize(
    ("student", "seen", "said"),
    [
        ("solved", [(2.0, False), (3.0, False), (None, True)], ["Passed.", "Passed.", ""]),
        ("released", [(0.0, False)] * 3, ["Not attempted.", "Not attempted.", "No response."]),
        ("forbidden", [(2.0, False), (0.0, True), (None, True)], ["Passed.", "Review.", ""]),
        *(
            (student, [(0.0, True), (0.0, False), (0.0, False)], ["This file cannot be read"] * 3)
            for student in UNREAD
        ),
    ],
)
def test_each_question_has_a_score_a_comment_and_perhaps_somebody_who_has_to_look(
    graded_class: Course, student: str, seen: list[tuple[float | None, bool]], said: list[str]
) -> None:
    entries = gradebook_submission(graded_class, student).entries
    assert [(entry.auto_score, entry.needs_person) for entry in entries] == seen
    assert [entry.comment[: len(start)] for entry, start in zip(entries, said, strict=True)] == said


@pytest.mark.parametrize("student", UNREAD)
def test_instead_of_a_file_that_is_no_notebook_the_release_is_shown(
    graded_class: Course, student: str
) -> None:
    first, *rest = autograded(graded_class, student)["cells"]
    assert "cannot be read" in "".join(first["source"])
    assert len(rest) == len(autograded(graded_class, "released")["cells"])


def test_all_metadata_stripped_scores_in_full_and_is_put_back(graded_class: Course) -> None:
    expected = gradebook_submission(graded_class, "solved").score
    assert gradebook_submission(graded_class, "stripped").score == expected
    names = list(named(from_dict(autograded(graded_class, "stripped"))))
    assert names == ["double", "check-double", "row_sums", "check-row_sums", "why"]


def test_the_autograded_notebook_shows_what_the_cells_showed(graded_class: Course) -> None:
    outputs = cell_of(autograded(graded_class, "solved"), "check-double")["outputs"]
    assert "".join(outputs[0]["text"]) == "double: this check passes\n"
    failed = cell_of(autograded(graded_class, "released"), "check-double")["outputs"]
    assert [output["ename"] for output in failed] == ["NotImplementedError"]


def test_a_grader_error_leaves_no_score_and_asks_for_a_person(ready: Course) -> None:
    hand_in(ready, "ann", solved(small(ready)))
    broken = full_marks(small(ready)).report.as_dict()
    broken["questions"][0].update(verdict=Verdict.GRADER_ERROR, score=None)
    report = Report.from_dict({**broken, "status": Status.GRADER_ERROR, "score": None})
    record(ready, "ann", Graded(report, {}))
    seen = gradebook_entry(ready, "ann", "double")
    assert (seen.auto_score, seen.score, seen.needs_person) == (None, None, True)
    assert gradebook_submission(ready, "ann").score is None


def test_a_written_answer_that_came_later_takes_our_word_back(ready: Course) -> None:
    released = next(cell for cell in small(ready).cells if cell.name == "why").released()
    record(ready, "ann", made=solved(small(ready), why=released))
    assert gradebook_entry(ready, "ann", "why").comment == "No response."
    record(ready, "ann", made=solved(small(ready)))
    seen = gradebook_entry(ready, "ann", "why")
    assert (seen.comment, seen.auto_score, seen.needs_person) == ("", None, True)


def outputs_of(
    course: Course,
    *outputs: Output,
    error: StudentError | None = None,
    made: Notebook | None = None,
    name: str = "double",
) -> list[dict[str, Any]]:
    """Return what the autograded notebook shows of a cell that showed `outputs` and ended with `error`."""
    cells = read_notebook(hand_in(course, "ann", made or solved(small(course))).notebook).cells
    number = next(cell.number for cell in cells if cell.name == name)
    record(course, "ann", Graded(full_marks(small(course)).report, {number: CellResult(outputs, error)}))
    shown: list[dict[str, Any]] = cell_of(autograded(course, "ann"), name)["outputs"]
    return shown


def test_outputs_are_shown_without_what_could_run_or_steer(ready: Course) -> None:
    html = '<b onclick="alert(1)">x</b><script>alert(2)</script>'
    printed, drawn = outputs_of(
        ready,
        Output("a\x1b[2Jb\n", "stderr"),
        Output(data=(("text/plain", "\x07x"), ("text/html", html), ("image/png", png(100, 100)))),
    )
    assert (printed["output_type"], printed["name"], "".join(printed["text"])) == ("stream", "stderr", "ab\n")
    assert drawn["output_type"] == "display_data"
    assert {kind: "".join(text) for kind, text in drawn["data"].items()} == {
        "text/plain": "x",
        "text/html": "<b>x</b>",
        "image/png": png(100, 100),
    }


def test_a_form_that_cannot_be_looked_at_without_harm_is_left_out_and_an_object_without_any_too(
    ready: Course,
) -> None:
    (shown,) = outputs_of(
        ready,
        Output(data=(("text/latex", "$x$"), ("image/png", png(100_000, 9)), ("text/plain", "a picture"))),
        Output(data=(("text/markdown", "*x*"), ("image/png", "no picture"))),
    )
    assert {kind: "".join(text) for kind, text in shown["data"].items()} == {"text/plain": "a picture"}


@pytest.mark.parametrize(("message", "line"), [("no\nyes", "ValueError: no yes"), ("", "ValueError")])
def test_an_error_is_shown_in_one_line(ready: Course, message: str, line: str) -> None:
    (shown,) = outputs_of(ready, error=StudentError({"type": "ValueError", "message": message}))
    assert (shown["output_type"], shown["ename"], shown["traceback"]) == ("error", "ValueError", [line])


def test_what_an_edited_check_showed_is_not_shown_below_the_check_put_back(ready: Course) -> None:
    made = solved(small(ready))
    cell_of(made, "check-double").update(source="print('all passes')")
    assert outputs_of(ready, Output("all passes\n", "stdout"), made=made, name="check-double") == []
    assert "all passes" not in json.dumps(autograded(ready, "ann"))


@pytest.mark.parametrize(
    "hostile",
    ["<script>alert(1)</script>", "[a](javascript:alert(1))", "`code`", "a\x1b[2Jb\x07", "a\u202eb", "a\rb"],
)
def test_a_student_s_words_are_neither_html_nor_a_link_nor_control_characters(hostile: str) -> None:
    seen = replace(QUESTION, hint=hostile, tests=(replace(FAILED, title=hostile),))
    text = comment(REPORT, seen)
    assert not set("<>[]`\x1b\x07\u202e\r") & set(text)
    assert len(text.splitlines()) == 3
    unreadable = replace(REPORT, status=Status.UNREADABLE, message=hostile)
    assert not set("<>[]`\x1b\x07\u202e\r") & set(comment(unreadable, QUESTION))


@pytest.mark.parametrize(
    ("question", "message", "text"),
    [
        (QUESTION, "", "Partly right.\nLook at dim.\n- failed: Rows sum to 1.\n- timed out: Is fast."),
        (replace(QUESTION, score=0.0, tests=()), "", "Failed.\nLook at dim."),
        (replace(QUESTION, hint="Two:\n1. A\n2. B", tests=()), "", "Partly right.\nTwo:\n1. A\n2. B"),
        (replace(QUESTION, verdict=Verdict.PASSED, hint="", tests=(PASSED,)), "", "Passed."),
        (QUESTION, "not JSON", "This file cannot be read: not JSON. Hand it in again."),
    ],
)
def test_a_comment_says_how_it_stands_with_the_hint_and_what_did_not_pass(
    question: QuestionReport, message: str, text: str
) -> None:
    status = Status.UNREADABLE if message else Status.GRADED
    assert comment(replace(REPORT, status=status, message=message), question) == text


def copied(made: Notebook, name: str, text: str, as_name: str) -> dict[str, Any]:
    """Return a copy of a cell with other text, under the name `as_name`."""
    copy: dict[str, Any] = json.loads(json.dumps(cell_of(made, name)))
    copy["metadata"]["nbgrader"]["grade_id"] = as_name
    return {**copy, "source": text}


def restored(course: Course, made: Notebook) -> NotebookNode:
    """Return the notebook made whole by the released one."""
    return Release(small(course)).restored(SubmittedNotebook(json.dumps(made).encode()))


def named(node: NotebookNode) -> dict[str, NotebookNode]:
    """Return the graded cells by name."""
    cells = [cell for cell in node.cells if "nbgrader" in cell.metadata]
    return {cell.metadata.nbgrader.grade_id: cell for cell in cells}


Untouched = tuple[Course, dict[str, list[tuple[object, ...]]], NotebookNode]


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory, blank_gradebook: Path) -> Untouched:
    """Return a course with one submission, the gradebook's rows, and the autograded notebook."""
    course = open_course(tmp_path_factory.mktemp("untouched") / "course")
    shutil.copy(blank_gradebook, course.root)
    record(course, "ann", made=solved(small(course)))
    return course, dump(course.root / "gradebook.db"), from_dict(autograded(course, "ann"))


@pytest.mark.parametrize("kind", TAMPERED)
def test_tampering_changes_no_row_and_leaves_nothing_of_its_own(kind: str, untouched: Untouched) -> None:
    course, rows, expected = untouched
    made = solved(small(course))
    TAMPERED[kind](made)
    record(course, "ann", made=made)
    assert dump(course.root / "gradebook.db") == rows
    node = from_dict(autograded(course, "ann"))
    assert {**node.metadata, "autograder": None} == {**expected.metadata, "autograder": None}
    ours, theirs = (
        {name: (cell.source, cell.metadata.nbgrader) for name, cell in named(shown).items()}
        for shown in (node, expected)
    )
    assert ours == theirs
    own = {"nbgrader", "autograder", "deletable", "editable"}
    others = [(key, cell.metadata[key]) for cell in node.cells for key in set(cell.metadata) - own]
    assert all(FOLDED[key] == value for key, value in others)
    assert not [cell for cell in node.cells if cell.get("outputs") or cell.get("attachments")]
    assert len({cell.id for cell in node.cells}) == len(node.cells)


def test_the_definition_that_wins_when_run_is_the_one_shown_as_the_answer(ready: Course) -> None:
    made = solved(small(ready))
    last = "def double(x):\n    return x + x"
    made["cells"].append(copied(made, "double", last, "double"))
    record(ready, "ann", made=made)
    assert "".join(cell_of(autograded(ready, "ann"), "double")["source"]) == last


@pytest.mark.parametrize("kind", ["code", "raw"])
def test_a_cell_whose_type_was_changed_is_shown_and_judged_as_the_exercise_has_it(
    ready: Course, kind: str
) -> None:
    made = solved(small(ready))
    types = {"why": kind, "double": "markdown", "check-double": "raw", "row_sums": "raw"}
    for name, changed in types.items():
        cell_of(made, name).update(cell_type=changed)
    record(ready, "ann", made=made)
    shown = autograded(ready, "ann")
    for name in types:
        cell = cell_of(shown, name)
        assert cell["cell_type"] == ("markdown" if name == "why" else "code")
        assert "was missing" not in "".join(cell["source"])
    assert "".join(cell_of(shown, "why")["source"]) == ANSWER
    entry = gradebook_entry(ready, "ann", "why")
    assert (entry.auto_score, entry.needs_person, entry.comment) == (None, True, "")


def test_a_missing_answer_is_put_back_with_a_word(ready: Course) -> None:
    made = solved(small(ready))
    made["cells"].remove(cell_of(made, "double"))
    made["cells"].remove(cell_of(made, "why"))
    record(ready, "ann", made=made)
    shown = autograded(ready, "ann")
    assert "was missing from the submission" in "".join(cell_of(shown, "double")["source"])
    assert gradebook_entry(ready, "ann", "why").comment == "No response."


def test_only_a_cell_that_ran_as_it_is_shown_bears_the_number_by_which_its_outputs_are_found(
    course: Course,
) -> None:
    made = solved(small(course))
    cell_of(made, "check-double").update(source="print('all passes')")
    node = restored(course, made)
    assert "autograder" not in named(node)["check-double"].metadata
    number = named(node)["double"].metadata.autograder.number
    assert made["cells"][number]["source"] == cell_of(made, "double")["source"]


@pytest.mark.parametrize(
    ("text", "own"), [(ANSWER, True), ("# Small steps\n\nTwo functions", True), (None, False)]
)
def test_text_of_the_student_s_own_differs_from_the_exercise_s(
    course: Course, text: str | None, own: bool
) -> None:
    made = solved(small(course))
    if text is not None:
        made["cells"].append({"cell_type": "markdown", "metadata": {}, "source": text, "id": "mine"})
    release = Release(small(course))
    node = release.restored(SubmittedNotebook(json.dumps(made).encode()))
    assert release.has_own_text(node) is own
