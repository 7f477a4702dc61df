"""What a graded submission becomes in the gradebook: scores, comments, and the notebook as it was graded."""

import base64
import json
import struct
from typing import Any

import pytest

from autograder.course.course import Course
from autograder.grading.graded import CellResult, Graded
from autograder.report.outputs import Output
from autograder.report.report import Report, Status, Verdict
from autograder.submission.notebook import read_notebook
from autograder.testing.student_error import StudentError
from autograder.tests.classroom import ANSWER, cell_of, hand_in, small, solved
from autograder.tests.gradebook.rows import (
    UNREADABLE,
    autograded,
    by_hand,
    full_marks,
    gradebook_entry,
    gradebook_submission,
    record,
)


def png(side: int) -> str:
    """Return the beginning of a picture, which says how large it is."""
    head = b"\x89PNG\r\n\x1a\n" + struct.pack("!I4sII", 13, b"IHDR", side, side)
    return base64.b64encode(head).decode()


def test_a_right_answer_gets_its_points(graded_class: Course) -> None:
    entries = gradebook_submission(graded_class, "solved").entries
    seen = {e.question: (e.auto_score, e.needs_person) for e in entries}
    assert seen == {"double": (2.0, False), "row_sums": (3.0, False), "why": (None, True)}


def test_an_untouched_release_gets_nothing_and_nobody_needs_to_look(graded_class: Course) -> None:
    entries = gradebook_submission(graded_class, "released").entries
    seen = {e.question: (e.auto_score, e.needs_person) for e in entries}
    assert seen == {"double": (0.0, False), "row_sums": (0.0, False), "why": (0.0, False)}
    assert gradebook_entry(graded_class, "released", "why").comment == "No response."


def test_a_wrong_answer_gets_a_comment_with_the_mistakes_hint_and_the_failed_tests(
    graded_class: Course,
) -> None:
    mistake = next(m for m in small(graded_class).mistakes if m.name == "row_sums__columns")
    comment = gradebook_entry(graded_class, "wrong", "row_sums").comment
    assert comment.startswith("Failed.")
    assert mistake.hint in comment
    assert "- failed: Each number is the sum of its own row." in comment


def test_all_metadata_stripped_scores_in_full_and_is_put_back(graded_class: Course) -> None:
    expected = gradebook_submission(graded_class, "solved").score
    assert gradebook_submission(graded_class, "stripped").score == expected
    names = [
        c["metadata"]["nbgrader"]["grade_id"]
        for c in autograded(graded_class, "stripped")["cells"]
        if c["metadata"]
    ]
    assert names == ["double", "check-double", "row_sums", "check-row_sums", "why"]


def test_a_broken_rule_waits_for_a_person(graded_class: Course) -> None:
    seen = gradebook_entry(graded_class, "forbidden", "row_sums")
    assert (seen.auto_score, seen.needs_person) == (0.0, True)
    assert seen.comment.startswith("Review.")


@pytest.mark.parametrize(("number", "kind"), list(enumerate(UNREADABLE)))
def test_a_file_that_is_no_notebook_gets_zeros_that_are_not_silent(
    graded_class: Course, number: int, kind: str
) -> None:
    student = f"unreadable{number}"
    seen = gradebook_submission(graded_class, student).entries
    assert [(e.auto_score, e.needs_person) for e in seen] == [(0.0, True)] * 3, kind
    assert all("could not be read" in e.comment for e in seen)
    first, *rest = autograded(graded_class, student)["cells"]
    assert "could not be read" in "".join(first["source"])
    assert len(rest) == len(autograded(graded_class, "released")["cells"])


def test_the_autograded_notebook_shows_what_the_cells_showed(graded_class: Course) -> None:
    outputs = cell_of(autograded(graded_class, "solved"), "check-double")["outputs"]
    assert "".join(outputs[0]["text"]) == "double: this check passes\n"
    failed = cell_of(autograded(graded_class, "released"), "check-double")["outputs"]
    assert [output["ename"] for output in failed] == ["NotImplementedError"]


def test_the_report_is_kept_for_people_and_in_the_notebook(ready: Course) -> None:
    hand_in(ready, "ann", solved(small(ready)))
    submission = record(ready, "ann")
    expected = full_marks(small(ready)).report
    assert submission.report.read_text(encoding="utf-8") == expected.to_json() + "\n"
    assert Report.from_dict(autograded(ready, "ann")["metadata"]["autograder"]["report"]) == expected


def test_what_a_person_gave_survives_grading_again(ready: Course) -> None:
    hand_in(ready, "ann", solved(small(ready)))
    record(ready, "ann")
    by_hand(ready, "ann", "why", 1.5, "Say why it is linear.")
    by_hand(ready, "ann", "check-double", 0.5)
    record(ready, "ann")
    why, double = gradebook_entry(ready, "ann", "why"), gradebook_entry(ready, "ann", "double")
    assert (why.manual_score, why.remark, why.score) == (1.5, "Say why it is linear.", 1.5)
    assert (double.auto_score, double.manual_score, double.score) == (2.0, 0.5, 0.5)
    assert not double.needs_person  # the answer is the one that a person has seen


def test_a_grader_error_leaves_no_score_and_asks_for_a_person(ready: Course) -> None:
    hand_in(ready, "ann", solved(small(ready)))
    broken = full_marks(small(ready)).report.as_dict()
    broken["questions"][0].update(verdict=Verdict.GRADER_ERROR, score=None)
    report = Report.from_dict({**broken, "status": Status.GRADER_ERROR, "score": None})
    record(ready, "ann", Graded(report, {}))
    seen = gradebook_entry(ready, "ann", "double")
    assert (seen.auto_score, seen.score, seen.needs_person) == (None, None, True)
    assert gradebook_submission(ready, "ann").score is None


def unanswered(course: Course) -> str:
    """Return the written question's cell as it was released."""
    return next(cell for cell in small(course).cells if cell.name == "why").released()


def test_text_beside_an_empty_answer_is_left_for_a_person(ready: Course) -> None:
    made = solved(small(ready), why=unanswered(ready))
    made["cells"].append({"cell_type": "markdown", "metadata": {}, "source": ANSWER, "id": "mine"})
    hand_in(ready, "ann", made)
    record(ready, "ann")
    assert gradebook_entry(ready, "ann", "why").needs_person


def test_a_written_answer_that_came_later_takes_our_word_back(ready: Course) -> None:
    hand_in(ready, "ann", solved(small(ready), why=unanswered(ready)))
    record(ready, "ann")
    assert gradebook_entry(ready, "ann", "why").comment == "No response."
    hand_in(ready, "ann", solved(small(ready)))
    record(ready, "ann")
    seen = gradebook_entry(ready, "ann", "why")
    assert (seen.comment, seen.auto_score, seen.needs_person) == ("", None, True)


def outputs_of(course: Course, *outputs: Output, error: StudentError | None = None) -> list[dict[str, Any]]:
    """Return what the autograded notebook shows of a cell that showed `outputs` and ended with `error`."""
    submission = hand_in(course, "ann", solved(small(course)))
    cells = read_notebook(submission.notebook).cells
    number = next(cell.number for cell in cells if cell.name == "double")
    graded = Graded(full_marks(small(course)).report, {number: CellResult(outputs, error)})
    record(course, "ann", graded)
    shown: list[dict[str, Any]] = cell_of(autograded(course, "ann"), "double")["outputs"]
    return shown


def test_outputs_are_shown_without_what_could_run_or_steer(ready: Course) -> None:
    html = '<b onclick="alert(1)">x</b><script>alert(2)</script>'
    printed, drawn = outputs_of(
        ready,
        Output("a\x1b[2Jb\n", "stderr"),
        Output(data=(("text/plain", "\x07x"), ("text/html", html), ("image/png", png(100)))),
    )
    assert (printed["output_type"], printed["name"], "".join(printed["text"])) == ("stream", "stderr", "ab\n")
    assert drawn["output_type"] == "display_data"
    assert {kind: "".join(text) for kind, text in drawn["data"].items()} == {
        "text/plain": "x",
        "text/html": "<b>x</b>",
        "image/png": png(100),
    }


def test_a_form_that_cannot_be_looked_at_without_harm_is_left_out_and_an_object_without_any_too(
    ready: Course,
) -> None:
    (shown,) = outputs_of(
        ready,
        Output(data=(("text/latex", "$x$"), ("image/png", png(100_000)), ("text/plain", "a picture"))),
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
    cells = read_notebook(hand_in(ready, "ann", made).notebook).cells
    number = next(cell.number for cell in cells if cell.name == "check-double")
    shown = CellResult((Output("all passes\n", "stdout"),), None)
    record(ready, "ann", Graded(full_marks(small(ready)).report, {number: shown}))
    assert cell_of(autograded(ready, "ann"), "check-double")["outputs"] == []
    assert "all passes" not in json.dumps(autograded(ready, "ann"))
