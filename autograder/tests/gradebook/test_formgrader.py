"""What graders see in the formgrader, and what is kept of what they save."""

import re
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from math import nan
from types import SimpleNamespace

import pytest
from nbformat import NotebookNode, v4

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.source import Role
from autograder.gradebook import formgrader
from autograder.gradebook.book import ExerciseGradebook
from autograder.gradebook.formgrader import CleanMarkdown, GradebookAnswer, ManualQuestion, _lines, text_above
from autograder.gradebook.pages import read_graders, update_scores
from autograder.grading.graded import Graded
from autograder.records.audit import audit_lines
from autograder.records.reports import read_report
from autograder.report.report import Status
from autograder.report.safe_html import MAX_SECONDS, Allowance, Rendered, Renderer
from autograder.submission.submission import Submission
from autograder.tests.classroom import cell_of, real_course, small, solved
from autograder.tests.gradebook import rows
from autograder.tests.gradebook.rows import (
    SCRIPT,
    Formgrader,
    formgrader_page,
    full_marks,
    gradebook_submission,
    record,
    take_in,
)

COURSE = real_course()
WRITTEN = [(exercise, name) for exercise in COURSE.exercises.values() for name in exercise.written]


def cleaned(cell: NotebookNode) -> NotebookNode:
    node, _ = CleanMarkdown().preprocess(v4.new_notebook(cells=[cell]), {})
    return node.cells[0]


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        (v4.new_markdown_cell("one\n\ntwo"), "<div><p>one</p>&#10;<p>two</p>&#10;</div>"),
        (v4.new_markdown_cell(f"**one** {SCRIPT}"), "<div><p><strong>one</strong> </p>&#10;</div>"),
        (v4.new_raw_cell(SCRIPT), ""),
        (v4.new_code_cell("x = '<b>'  # **x**"), "x = '<b>'  # **x**"),
    ],
    ids=["markdown is one line", "scripts are gone", "raw is empty", "code stays"],
)
def test_each_kind_of_cell_is_shown_without_harm(cell: NotebookNode, shown: str) -> None:
    assert cleaned(cell).source == shown


@pytest.mark.parametrize("text", [
    "[" * 12_000 + "x" * 50, "*a **a " * 7000, "<div>" * 6000, "$\\frac{" * 999,
])  # fmt: skip
def test_all_text_cells_of_a_page_share_one_allowance_of_time(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spent: list[float] = []
    rendering = Renderer.render

    def counted(self: Renderer, kind: str, source: str, seconds: float = MAX_SECONDS) -> Rendered:
        rendered = rendering(self, kind, source, seconds)
        spent.append(rendered.seconds)
        return rendered

    monkeypatch.setattr(Renderer, "render", counted)
    cells = [v4.new_markdown_cell(f"{text} {number}") for number in range(300)]
    cells.append(v4.new_markdown_cell("*the <b>end*"))
    node, _ = CleanMarkdown().preprocess(v4.new_notebook(cells=cells), {})
    assert sum(spent) < Allowance().seconds + MAX_SECONDS
    assert len(spent) < 300
    assert node.cells[-1].source == "<div><pre>*the &lt;b&gt;end*</pre></div>"


@pytest.mark.parametrize(("exercise", "name"), WRITTEN, ids=[name for _, name in WRITTEN])
def test_each_written_question_of_the_course_has_its_text_a_model_answer_and_a_rubric(
    exercise: Exercise, name: str
) -> None:
    place, cell = next(
        (n, c) for n, c in enumerate(exercise.cells) if (c.role, c.name) == (Role.MANUAL, name)
    )
    asked = ManualQuestion(cell, text_above(exercise.cells[:place]), [0])
    assert asked.wording.startswith("### Question")
    assert "points" in asked.wording.split("\n")[0]
    assert len(asked.model) > 100
    points = [re.search(r": (0\.5|1) points?$", thing) for thing in cell.rubric]
    assert sum(float(found[1]) if found else nan for found in points) == cell.points
    assert not set(asked.rubric.split("\n")) & set(asked.model.split("\n"))


def test_an_answer_stands_beside_model_answer_and_comments_and_the_rest_is_folded(ready: Course) -> None:
    bank = f"units: Say in which {SCRIPT}.\n01_small: {{why: {{factor: Which one}}, double: {{other: x}}}}\n"
    (ready.root / "comments.yaml").write_text(bank)
    record(ready, "ann", made=solved(small(ready), why=f"My *own* $x<1$ {SCRIPT}"))
    html = formgrader_page(ready, "ann")
    assert html.count('<details class="folded">') == html.count("</details>") == 1
    assert "<em>own</em>" in html
    assert "Both are linear" in html
    assert 'data-words="Say in which &lt;script&gt;alert(1)&lt;/script&gt;."' in html
    assert html.count("data-words=") == 2
    assert "alert(1)</script>" not in html
    assert "mathjax" not in html.replace("window.MathJax", "").lower().replace("for mathjax", "")
    assert "http" not in html.replace("http://www.w3.org", "").replace("http://stackoverflow.com", "")
    (ready.root / "comments.yaml").write_text("a: [1]\n")
    assert "comments.yaml:1: a is not a comment" in formgrader_page(ready, "ann")


def test_answers_can_be_read_while_the_exercise_is_broken(ready: Course) -> None:
    record(ready, "ann", made=solved(small(ready), why="My own words."))
    with small(ready).source.open("a") as source:
        source.write("\n# %% solution='other'\ndef broken(:\n")
    html = formgrader_page(ready, "ann")
    assert "The question and the model answer cannot be shown" in html
    assert "My own words." in html


def test_text_in_cells_of_the_student_s_own_is_never_folded_and_never_counts_as_equal(ready: Course) -> None:
    made = solved(small(ready), why="YOUR ANSWER HERE")
    own = {"cell_type": "markdown", "source": "My answer, below", "metadata": {}, "id": "own"}
    for student in ("ann", "ben"):
        record(ready, student, made={**made, "cells": [*made["cells"], own]})
    html = formgrader_page(ready, "ann")
    assert "wrote text in other cells" in html
    assert html.rindex("</details>") < html.index("My answer, below")
    assert "students wrote this" not in html


def test_who_wrote_the_same_is_found_by_the_letters_of_the_answer_alone(ready: Course) -> None:
    for student, why in (("ann", "Same."), ("ben", "Same."), ("cy", "same."), ("di", "Same.")):
        record(ready, student, made=solved(small(ready), why=why))
    rows.by_hand(ready, "ben", "why", 1.5)
    html = formgrader_page(ready, "ann")
    assert "3 students wrote this" in html
    assert "this student, ben (1.5), di<" in html
    assert "Include students who already have a grade (1)" in html
    assert "students wrote this" not in formgrader_page(ready, "cy")
    made = solved(small(ready), why="![p](attachment:p.png)")
    for student in ("eve", "fay"):
        picture = v4.new_markdown_cell().id + student
        cell_of(made, "why")["attachments"] = {"p.png": {"image/png": picture}}
        record(ready, student, made=made)
    assert "students wrote this" not in formgrader_page(ready, "eve")


def test_the_next_answer_that_waits_comes_in_the_formgrader_s_order_and_begins_anew() -> None:
    answers = [GradebookAnswer(f"g{n}", None, f"s{n}", f"u{n}", None, None, n != 2) for n in (3, 1, 2, 4)]
    cell = next(cell for cell in WRITTEN[0][0].cells if cell.role is Role.MANUAL)
    asked = [ManualQuestion(cell, "", [0], answers=answers, answer=own) for own in sorted(answers)]
    assert [one.next_waiting for one in asked] == ["s3", "s3", "s4", "s1"]
    assert asked[0].waiting == 3
    assert replace(asked[0], answers=[answers[1]]).next_waiting == ""


@pytest.mark.parametrize(
    ("hint", "places"),
    [
        ('without "dot". A', ["3, 3"]), ('without "torch.dot". A', ["3, 3"]), ('without "@". A', ["3, 4"]),
        ('without "the module numpy itself". A', ["3, 2"]), ("called dot, which", ["3, 3"]),
        ('without "eval". A', ["2, 2"]), ("beside another thread", []),
    ],
)  # fmt: skip
def test_lines_in_question_are_those_for_it_that_spell_what_the_report_names(
    hint: str, places: list[str]
) -> None:
    """No check or given cell is listed, and what another question uses only if nothing else is."""
    codes = [
        "import os\ndef others(a, b): return numpy.dot(a, eval(b)), a @ b",
        "def asked(a, b):\n    c = numpy.abs(a)\n    'dot'; y = torch.dot(a, c)\n    return c + (y @\n d)",
    ]
    exercise = WRITTEN[0][0]
    given = [cell.text for cell in exercise.cells if cell.role in (Role.CODE, Role.CHECK)]
    cells = [v4.new_code_cell(text) for text in (*codes, *given)]
    node = v4.new_notebook(cells=[v4.new_markdown_cell("dot"), *cells])
    found = _lines(exercise, node, "asked", hint)
    assert [place for place, _ in found] == [f"cell {place.replace(', ', ', line ')}" for place in places]


@pytest.fixture
def desk(ready: Course) -> Iterator[Formgrader]:
    record(ready, "ann", made=solved(small(ready)))
    record(ready, "ben", made=solved(small(ready)))
    desk = Formgrader(ready)
    yield desk
    desk.gradebook.close()


def by_hand(course: Course) -> list[tuple[object, ...]]:
    return [
        (line["student"], line.get("by"), line["questions"]["why"][1], line["score"], line["time"])
        for line in audit_lines(course)
        if line["why"] == "by hand"
    ]


def test_the_audit_has_a_line_for_each_save_at_once_with_its_grader(ready: Course, desk: Formgrader) -> None:
    for grader, student, score in (("tom", "ann", 1.0), ("uma", "ben", 2.0), ("uma", "ann", 0.5)):
        desk.grade(student, "why", score, by=grader)
    lines = by_hand(ready)
    assert [line[:4] for line in lines] == [
        ("ann", "tom", 1.0, 6.0), ("ben", "uma", 2.0, 7.0), ("ann", "uma", 0.5, 5.5),
    ]  # fmt: skip
    update_scores(ready, small(ready))
    assert by_hand(ready) == lines
    assert read_graders(ready, [small(ready)]) == {("uma", "01_small"): 2}
    desk.grade("ann", "why", 1.5, by="tom")
    record(ready, "ann", full_marks(small(ready)))
    update_scores(ready, small(ready))
    assert gradebook_submission(ready, "ann").score == 6.5
    assert by_hand(ready)[-1][:4] == ("ann", "tom", 1.5, 6.5)
    assert read_graders(ready, [small(ready)]) == {("tom", "01_small"): 1, ("uma", "01_small"): 1}


def test_a_save_while_a_class_is_graded_has_a_line_too(ready: Course, desk: Formgrader) -> None:
    with ExerciseGradebook(ready, small(ready)) as book:
        desk.grade("ann", "why", 1.5)
        desk.grade("ann", "why", "1.5")  # type: ignore[arg-type]
        submission = Submission(ready.root, "ann", "01_small")
        take_in(book, submission, full_marks(small(ready)))
    assert [line[:4] for line in by_hand(ready)] == [("ann", "tom", 1.5, 6.5)]


def test_a_save_that_fails_leaves_neither_score_nor_name(ready: Course, desk: Formgrader) -> None:
    with pytest.raises(ValueError, match="much"):
        desk.grade("ann", "why", "much")  # type: ignore[arg-type]
    desk.grade("ben", "why", 1.0)
    assert gradebook_submission(ready, "ann").score == 5.0
    assert read_graders(ready, [small(ready)]) == {("tom", "01_small"): 1}


def test_a_grader_is_who_the_hub_says_or_else_who_is_logged_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formgrader, "getuser", lambda: "login")
    monkeypatch.delenv("JUPYTERHUB_USER", raising=False)
    uma = SimpleNamespace(username="uma", name="Uma")
    anonymous = SimpleNamespace(username="0f3a", name="Anonymous Kore")
    assert formgrader.grader_name(uma) == "uma"
    assert formgrader.grader_name(anonymous) == "login"
    assert formgrader.grader_name(None) == "login"
    monkeypatch.setenv("JUPYTERHUB_USER", "hub")
    assert formgrader.grader_name(anonymous) == "hub"


def test_an_unreadable_file_is_one_item(ready: Course) -> None:
    report = full_marks(small(ready)).report
    questions = tuple(replace(question, score=0.0) for question in report.questions)
    message = "not JSON; open it in Jupyter"
    unreadable = replace(report, status=Status.UNREADABLE, message=message, score=0.0, questions=questions)
    record(ready, "ann", Graded(unreadable), made="not a notebook")
    entries = gradebook_submission(ready, "ann").entries
    assert [entry.question for entry in entries if entry.waits] == ["double"]
    assert [entry.score for entry in entries] == [0.0] * 3
    html = formgrader_page(ready, "ann")
    assert html.count('<section class="asked"') == 1
    assert (
        "This student's file cannot be read: not JSON. Open it in Jupyter. "
        "All questions score 0. To confirm this, save 0 as the score."
    ) in html
    rows.by_hand(ready, "ann", "check-double", 0.0)
    assert not gradebook_submission(ready, "ann").is_provisional


def test_a_held_answer_shows_its_whole_report_and_offers_the_score_of_the_tests(graded_class: Course) -> None:
    html = formgrader_page(graded_class, "forbidden")
    reason = 'Line 2 uses "einsum", which this question does not allow.'
    assert f"<strong>Why you have to look at this answer:</strong> {reason}" in html
    assert "All tests, score by tests: 3 of 3 points" in html
    report = read_report(Submission(graded_class.root, "forbidden", "01_small"))
    assert report is not None
    titles = [test.title for test in report.questions[1].tests]
    assert len(titles) > 2
    assert [title for title in titles if escape(title, quote=False) not in html] == []
    assert 'data-offer="3.0" type="button">Give 3 points, the score from the tests</button>' in html
    assert "data-offer=" not in formgrader_page(graded_class, "solved")
