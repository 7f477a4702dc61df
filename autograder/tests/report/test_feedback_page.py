"""The feedback page: what it says of scores, verdicts, tests and lateness, and how it shows a notebook."""

import re
from dataclasses import replace
from typing import Any

import pytest
from nbformat import NotebookNode, from_dict

from autograder.report.feedback_page import REST, Part, render_feedback, show_notebook
from autograder.report.report import (
    GradebookEntry,
    GradebookSubmission,
    Place,
    QuestionReport,
    Report,
    ShownAttempt,
    Status,
    Verdict,
)
from autograder.report.report import TestReport as HiddenTest
from autograder.report.safe_html import LEFT_OUT, MAX_PART, TOO_LARGE, Allowance
from autograder.tests.report.test_text import png

HOLDS = HiddenTest("It holds.", Verdict.PASSED, 1.0, "")
FAILS = HiddenTest("Rows sum to 1.", Verdict.FAILED, 1.0, "Over which dimension?")
QUESTION = QuestionReport("double", Verdict.FAILED, 1.0, 2.0, "Look again.", None, (HOLDS, FAILS))
REPORT = Report("01_small", Status.GRADED, "", 1.0, 2.0, (), (QUESTION,))
ENTRY = GradebookEntry("ann", "double", False, 1.0, None, None, 2.0, False, "", "")
SUBMISSION = GradebookSubmission("ann", 0.0, 0.0, (ENTRY,))


def page(
    report: Report = REPORT, submission: GradebookSubmission = SUBMISSION, cells: tuple[Any, ...] = ()
) -> str:
    return render_feedback(report, submission, cells)


def page_with(*tests: HiddenTest, hint: str = "Look again.") -> str:
    return page(replace(REPORT, questions=(replace(QUESTION, tests=tests, hint=hint),)))


def with_output(**output: Any) -> str:
    return page(cells=(from_dict({"cell_type": "code", "source": "", "outputs": [output]}),))


def test_the_first_screen_says_who_what_and_how_many_points() -> None:
    text = render_feedback(REPORT, SUBMISSION, (), title="Dot <products>", student="Ann Other")
    assert "<h1>Dot &lt;products&gt;</h1>" in text
    assert "<p class=about>Ann Other · 01_small</p>" in text
    assert "<title>01_small: feedback for Ann Other</title>" in text
    again = [ShownAttempt("", 1.0, 2.0, False), ShownAttempt("2026-03-01 18:00", 1.0, 2.0, True)]
    text = render_feedback(REPORT, SUBMISSION, (), attempts=again)
    assert "· attempt 2 of 2, 2026-03-01 18:00</p>" in text


@pytest.mark.parametrize(
    ("entry", "score", "points"),
    [
        (ENTRY, "1 of 2", "1 of 2"),
        (replace(ENTRY, manual_score=1.5), "1.5 of 2", "1.5 of 2"),
        (replace(ENTRY, auto_score=None), "This submission has no score yet.", "worth 2"),
    ],
)
def test_the_score_is_that_of_the_gradebook(entry: GradebookEntry, score: str, points: str) -> None:
    text = page(submission=replace(SUBMISSION, entries=(entry,)))
    assert f"<p class=score>{score}</p>" in text
    assert f"<td class=points>{points}</td>" in text


def test_a_question_that_is_not_in_the_gradebook_has_the_report_s_score() -> None:
    assert "<td class=points>1 of 2</td>" in page(submission=replace(SUBMISSION, entries=()))


def test_failures_stand_before_what_passed_and_the_notebook_is_folded() -> None:
    right = QuestionReport("halve", Verdict.PASSED, 2.0, 2.0, tests=(HOLDS,))
    text = page(replace(REPORT, questions=(right, QUESTION)), replace(SUBMISSION, entries=()))
    places = [
        text.index(found)
        for found in ("<section class=question", "<details class=done", "<details class=notebook>")
    ]
    assert places == sorted(places)
    assert text.count("<section") == 1
    assert '<code>halve</code> <span class="state passed">passed</span>, 2 of 2 points</summary>' in text


def test_each_question_has_a_bar_and_a_link_to_what_is_said_of_it() -> None:
    text = page()
    assert '<a href="#question-1"><code>double</code></a>' in text
    assert '<span class=bar><span style="--length: 0.5"></span></span>' in text
    assert '<a href="#question-1">See what is wrong</a>' in text
    assert '<section class=question id="question-1">' in text


def test_the_student_s_own_lines_are_shown_with_the_place_marked() -> None:
    source = "\n".join(["def double(x):", *(f"    x{n} = <b>" for n in range(2, 20))])
    cell = from_dict({"cell_type": "code", "source": source, "outputs": [], "metadata": {"nbgrader": {
        "grade_id": "double", "solution": True}}})  # fmt: skip
    hint = "With another order in line 9, at `x9 = <b>`, all tests pass. All else is right."
    text = page(
        replace(REPORT, questions=(replace(QUESTION, hint=hint, place=Place("double", 9)),)), cells=(cell,)
    )
    assert "<tr class=marked><td>9</td><td>    x9 = &lt;b&gt; <b>← here</b></td></tr>" in text
    assert re.findall(r"<td>(\d+)</td><td> ", text) == [str(n) for n in range(6, 13)]
    assert "Look at line 9" in text
    assert (
        "<p class=lead>With another order in line 9, at <code>x9 = &lt;b&gt;</code>, all tests pass.</p>"
        in text
    )
    assert "<details class=hint><summary>Hint</summary><p>All else is right.</p></details>" in text


def test_questions_that_one_error_broke_are_told_together() -> None:
    hint = "NameError: name 'y' is not defined (the cell of double, line 1)"
    tests = tuple(HiddenTest(f"Test {n}.", Verdict.CRASHED, 1.0, hint) for n in range(14))
    broken = [
        QuestionReport(name, Verdict.CRASHED, 0.0, 2.0, hint, None, tests) for name in ("double", "halve")
    ]
    text = page(replace(REPORT, questions=tuple(broken)), replace(SUBMISSION, entries=()))
    assert text.count("<section") == 1
    assert '<code>double</code><span id="question-2">, </span><code>halve</code>' in text
    assert "NameError: name &#x27;y&#x27; is not defined (the cell of double, line 1) (in 14 tests)" in text
    assert text.count("(14 tests):") == 2


def test_a_figure_that_may_not_be_shown_is_told_in_its_words() -> None:
    cell = {"cell_type": "markdown", "source": "![Three <moves>](data:image/svg+xml;base64,PHN2Zz4=)"}
    text = page(cells=(from_dict(cell),))
    assert "<em>Three &lt;moves&gt;</em>" in text
    assert "<img" not in text


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


def test_an_unreadable_file_is_named_as_such_and_no_question_is_judged() -> None:
    text = page(replace(REPORT, status=Status.UNREADABLE, message="not <JSON>"))
    assert "<p class=message>The file could not be read: not &lt;JSON&gt;.</p>" in text
    assert '<span class="state unreadable">unreadable</span>' in text
    assert "Some tests failed" not in text


def test_a_message_on_the_whole_submission_stands_above_the_questions() -> None:
    text = page(replace(REPORT, message="Two\nlines"))
    assert text.index("<p class=message>Two<br>lines</p>") < text.index("<table class=overview>")


def test_tests_that_end_alike_are_one_row_those_that_failed_first() -> None:
    text = page_with(FAILS, HOLDS, FAILS)
    failed = '<li><span class="state failed">failed</span> (2 tests): Over which dimension?'
    assert text.index(failed) < text.index('<li><span class="state passed">passed</span>:')
    assert text.count("Rows sum to 1.") == 1
    assert "<summary>1 of 3 tests passed</summary>" in text


def test_a_test_does_not_repeat_the_question_s_hint() -> None:
    assert page_with(FAILS, hint=FAILS.hint).count(FAILS.hint) == 1


def test_a_verdict_of_two_words_has_a_class_of_one() -> None:
    slow = replace(REPORT, questions=(replace(QUESTION, verdict=Verdict.TIMED_OUT, score=0.0),))
    assert '<span class="state timed-out">timed out</span>' in page(slow, replace(SUBMISSION, entries=()))


def test_a_person_s_remark_is_shown_with_its_markdown_and_without_its_tags() -> None:
    remarked = replace(SUBMISSION, entries=(replace(ENTRY, remark="<b>Well</b> *put*:\n$a < b$"),))
    text = page(submission=remarked)
    assert "<div class=remark><p>Your instructor writes:</p>" in text
    assert (
        '<p>&lt;b&gt;Well&lt;/b&gt; <em>put</em>:<br>\n<span class="math inline">a &lt; b</span></p>' in text
    )


def test_cells_are_shown_by_their_kind() -> None:
    cells = [NotebookNode(cell_type=kind, source="*x* = 1") for kind in ("markdown", "code", "raw")]
    text = page(cells=tuple(cells))
    assert text.count("<div class=text>") == 1
    assert "<em>x</em>" in text
    assert text.count("<div class=code>") == 2


def test_an_output_is_shown_in_the_best_form_that_is_harmless() -> None:
    forms = {"text/plain": "<plain>", "text/html": "<b>bold</b><script>alert(1)</script>"}
    assert "<pre class=output>&lt;b&gt;\n</pre>" in with_output(
        output_type="stream", name="stdout", text="<b>\n"
    )
    assert "<pre class=error>E: &lt;b&gt;</pre>" in with_output(output_type="error", traceback=["E: <b>"])
    assert "<div class=output><b>bold</b></div>" in with_output(output_type="display_data", data=forms)
    drawn = with_output(output_type="display_data", data={**forms, "image/png": f"{png(4, 4)}\n"})
    assert f'src="data:image/png;base64,{png(4, 4)}"></p>' in drawn
    assert "output of the cell above" in drawn
    huge = {"text/plain": "<plain>", "image/png": png(100_000, 4)}
    assert "<pre class=output>&lt;plain&gt;</pre>" in with_output(output_type="display_data", data=huge)
    assert "<pre class=output></pre>" in with_output(output_type="display_data", data={})


def test_a_saved_picture_stands_below_the_cell_that_grading_does_not_run() -> None:
    cell = from_dict({"cell_type": "code", "source": "draw()", "outputs": [], "id": "cell-3"})
    text = render_feedback(REPORT, SUBMISSION, [cell], {"cell-3": (png(4, 4),)})
    assert f'src="data:image/png;base64,{png(4, 4)}">\n<figcaption>Grading does not run this cell.' in text
    assert "<figcaption>" not in render_feedback(REPORT, SUBMISSION, [cell], {"cell-4": (png(4, 4),)})


def test_an_endless_hint_is_cut() -> None:
    text = page_with(replace(FAILS, hint="x" * 3_000_000), hint="y" * 3_000_000)
    assert len(text) < 40_000
    assert "xxx […]" in text


def test_a_question_leads_to_its_part_of_the_lesson() -> None:
    def text(source: str, **about: object) -> NotebookNode:
        metadata = {"nbgrader": about} if about else {}
        return from_dict({"cell_type": "markdown", "source": source, "id": "a", "metadata": metadata})

    name = REPORT.questions[0].name
    above = [text("# One\n\n```\n# no heading\n```\n\n## `Two` <b onclick=x>&</b>"), text("### Small")]
    answer = text("x", grade_id=name, solution=True)
    shown = page(REPORT, cells=(*above, answer, text("# Three"), answer))
    assert '<p class=quiet>In the lesson: <a href="#lesson-2">Two &amp;</a></p>' in shown
    assert shown.count('<h2 id="lesson-2">') == shown.count('<h1 id="lesson-1">One</h1>') == 1
    assert "In the lesson" not in page(REPORT, cells=(answer, *above))
    endless = page(REPORT, cells=(text("# " + "a" * 3000), answer))
    assert f">{'a' * 200}</a>" in endless


def code(source: str, *outputs: dict[str, Any]) -> NotebookNode:
    return from_dict({"cell_type": "code", "source": source, "outputs": list(outputs), "id": "cell-0"})


def printed(text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": text}


def shown(*cells: NotebookNode) -> list[Part]:
    return list(show_notebook(cells, {}, Allowance(), {}))


def test_a_part_that_is_too_large_is_left_out_and_the_others_are_shown() -> None:
    parts = shown(code("1", printed("x" * (MAX_PART + 1)), printed("y")), code("2"))
    assert [part.kind for part in parts] == ["code", "note", "output", "code"]
    assert parts[1].content == TOO_LARGE
    assert parts[2].content == "y"


def test_a_page_ends_with_a_word_when_it_is_full() -> None:
    cells = [code("1" * (i % 9), *[printed("x" * 1000)] * 3, printed("y")) for i in range(10)]
    parts = list(show_notebook(cells, {}, Allowance(letters=1200), {}))
    assert parts[-1] == Part("note", REST)
    assert sum(len(part.content) for part in parts) <= 1200


def test_an_attack_on_parsers_costs_its_own_part() -> None:
    html = {"output_type": "display_data", "data": {"text/html": "<b>" * 6000}}
    text = NotebookNode(cell_type="markdown", source="<ul><li>" * 6000)
    picture = {"output_type": "display_data", "data": {"image/png": png(4, 4)}}
    parts = shown(code("1", html, picture), text, NotebookNode(cell_type="markdown", source="*a*"))
    contents = [str(part.content) for part in parts]
    assert contents[1:] == [f"<p>{LEFT_OUT}</p>", png(4, 4), f"<p>{LEFT_OUT}</p>", "<p><em>a</em></p>\n"]
