"""The feedback page: what it says of scores, verdicts, tests and lateness, and how it shows a notebook."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from nbformat import NotebookNode, from_dict

from autograder.report.feedback_page import REST, Part, render_feedback, show_notebook
from autograder.report.report import (
    AnswerLine,
    Entry,
    GradebookSubmission,
    QuestionReport,
    Report,
    Status,
    Verdict,
    written,
)
from autograder.report.report import TestReport as HiddenTest
from autograder.report.safe_html import MAX_PART, TOO_LARGE, Allowance
from autograder.tests.report.test_text import png

HOLDS = HiddenTest("It holds.", Verdict.PASSED, 1.0, "")
FAILS = HiddenTest("Rows sum to 1.", Verdict.FAILED, 1.0, "Over which dimension?")
QUESTION = QuestionReport("double", Verdict.FAILED, 1.0, 2.0, "Look again.", None, (HOLDS, FAILS))
REPORT = Report("01_small", Status.GRADED, "", 1.0, 2.0, (), (QUESTION,))
ENTRY = Entry("ann", "double", False, 1.0, None, None, 2.0, False, "", "")
SUBMISSION = GradebookSubmission("ann", 0.0, 0.0, (ENTRY,))


def page(
    report: Report = REPORT, submission: GradebookSubmission = SUBMISSION, cells: tuple[Any, ...] = ()
) -> str:
    return render_feedback(report, submission, cells)


def cell(source: str, *outputs: dict[str, Any], kind: str = "code", **about: object) -> NotebookNode:
    metadata = {"nbgrader": about} if about else {}
    return from_dict(
        {"cell_type": kind, "source": source, "outputs": list(outputs), "metadata": metadata, "id": "cell-0"}
    )


def text(source: str) -> NotebookNode:
    return cell(source, kind="markdown")


def displayed(**data: str) -> dict[str, Any]:
    return {
        "output_type": "display_data",
        "data": {name.replace("_", "/"): form for name, form in data.items()},
    }


def printed(text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": text}


def test_a_page_is_as_it_was(golden: Callable[[str, str], None]) -> None:
    """On it is something wrong in each way, and in the notebook something of each kind."""
    hint = "With another order in line 9, at `x9 = <b>`, all tests pass. All else is right."
    name_error = "NameError: name 'y' is not defined (the cell of third, line 1)"
    errors = (name_error, "IndexError: 3", "IndexError: 3", name_error, "ValueError: odd")
    crashes = tuple(HiddenTest(f"Test {n}.", Verdict.CRASHED, 1.0, error) for n, error in enumerate(errors))
    two_things = "Two things are wrong:\n1. This. (1. no)\n2. That."
    questions = (
        QuestionReport("halve", Verdict.PASSED, 2.0, 2.0, tests=(HOLDS,)),
        replace(QUESTION, hint=hint, place=AnswerLine("double", 9), tests=(HOLDS, FAILS, FAILS)),
        QuestionReport("third", Verdict.CRASHED, 0.0, 2.0, name_error, None, crashes),
        QuestionReport("quarter", Verdict.CRASHED, 0.0, 2.0, name_error, None, crashes),
        QuestionReport("slow", Verdict.TIMED_OUT, 0.0, 2.0, two_things, None, (FAILS,)),
        QuestionReport("fifth", Verdict.FAILED, 0.0, 2.0, FAILS.hint, None, (FAILS,)),
        written("why", 2.0),
    )
    remarked = replace(ENTRY, remark="<b>Well</b> *put*:\n$a < b$")
    submission = replace(SUBMISSION, seconds_late=7200.0, penalty=0.5, entries=(remarked,))
    forms = {"text_plain": "<plain>", "text_html": "<b>bold</b><script>alert(1)</script>"}
    source = "\n".join(["def double(x):", *(f"    x{n} = <b>" for n in range(2, 14))])
    cells = (
        text("# One\n\n```\n# no heading\n```\n\n## `Two` <b onclick=x>&</b>"),
        text("### Small\n![Three <moves>](data:image/svg+xml;base64,PHN2Zz4=)"),
        cell("x = 1", printed("<b>\n"), grade_id="double", solution=True),
        cell("raise E", {"output_type": "error", "traceback": ["E: <b>"]}),
        cell("show()", displayed(**forms), displayed(**forms, image_png=f"{png(4, 4)}\n")),
        cell("show()", displayed(text_plain="<plain>", image_png=png(100_000, 4)), displayed()),
        from_dict({"cell_type": "code", "source": "draw()", "outputs": [], "id": "cell-3"}),
        cell("*x* = 1", kind="raw"),
        text("# Three"),
        cell(source, grade_id="double", solution=True),
    )
    attempts = ["at an unknown time: <1> of 2 points from tests", "2026-03-01 18:00; this one counts"]
    shown = render_feedback(
        replace(REPORT, questions=questions, message="Two\nlines"), submission, cells,
        {"cell-3": (png(4, 4),), "cell-4": (png(4, 4),)},
        attempts=attempts, attempt="attempt 2 of 2, 2026-03-01 18:00", note="This is <early>.",
        title="Dot <products>", student="Ann Other",
    )  # fmt: skip
    golden(
        "feedback.html",
        shown[shown.index("<title>") : shown.index("<style>")] + shown[shown.index("<main>") :],
    )


@pytest.mark.parametrize(
    ("entry", "score", "points"),
    [
        (ENTRY, "1 of 2", "1 of 2"),
        (replace(ENTRY, manual_score=1.5), "1.5 of 2", "1.5 of 2"),
        (replace(ENTRY, auto_score=None), "This submission has no score yet.", "worth 2"),
    ],
)
def test_the_score_is_that_of_the_gradebook(entry: Entry, score: str, points: str) -> None:
    text = page(submission=replace(SUBMISSION, entries=(entry,)))
    assert f"<p class=score>{score}</p>" in text
    assert f"<td class=points>{points}</td>" in text


def test_a_question_that_is_not_in_the_gradebook_has_the_report_s_score() -> None:
    assert "<td class=points>1 of 2</td>" in page(submission=replace(SUBMISSION, entries=()))


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(1, "less than a minute"), (60, "1 minute"), (7199, "1 hour"), (7200, "2 hours"), (200_000, "2 days")],
)
def test_late_work_is_said_to_be_late_in_the_largest_unit(seconds: float, said: str) -> None:
    late = replace(SUBMISSION, seconds_late=seconds)
    assert f"<p>Handed in {said} late.</p>" in page(submission=late)
    assert f"<p>Handed in {said} late, which costs 0.5 points.</p>" in page(
        submission=replace(late, penalty=0.5)
    )
    assert "Handed in" not in page(submission=replace(late, seconds_late=-seconds))


def test_the_page_on_an_unreadable_file_says_that_alone() -> None:
    unreadable = replace(REPORT, status=Status.UNREADABLE, message="not <JSON>; open it in Jupyter")
    waiting = replace(SUBMISSION, entries=(replace(SUBMISSION.entries[0], needs_person=True),))
    text = page(unreadable, submission=waiting)
    message = "This file cannot be read: not &lt;JSON&gt;. Open it in Jupyter. Hand it in again."
    assert f"<p class=message>{message}</p>" in text
    for left_out in ("Some tests failed", "<table", "grader", "points", "<details", "class=question"):
        assert left_out not in text.partition("<main>")[2]
    decided = replace(SUBMISSION, entries=(replace(SUBMISSION.entries[0], remark="Sent by mail."),))
    text = page(unreadable, submission=decided)
    assert "Sent by mail." in text
    assert "<p class=score>" in text


def test_an_endless_hint_is_cut() -> None:
    question = replace(QUESTION, tests=(replace(FAILS, hint="x" * 3_000_000),), hint="y" * 3_000_000)
    text = page(replace(REPORT, questions=(question,)))
    assert len(text) < 40_000
    assert "xxx […]" in text


def shown(*cells: NotebookNode) -> list[Part]:
    return list(show_notebook(cells, {}, Allowance(), {}))


def test_a_part_that_is_too_large_is_left_out_and_the_others_are_shown() -> None:
    parts = shown(cell("1", printed("x" * (MAX_PART + 1)), printed("y")), cell("2"))
    assert [part.kind for part in parts] == ["code", "note", "output", "code"]
    assert parts[1].content == TOO_LARGE
    assert parts[2].content == "y"


def test_a_page_ends_with_a_word_when_it_is_full() -> None:
    cells = [cell("1" * (i % 9), *[printed("x" * 1000)] * 3, printed("y")) for i in range(10)]
    parts = list(show_notebook(cells, {}, Allowance(letters=1200), {}))
    assert parts[-1] == Part("note", REST)
    assert sum(len(part.content) for part in parts) <= 1200
