"""Copies are found however they are dressed up; independent answers are left in peace."""

import ast
from collections.abc import Callable

import pytest

from autograder.authoring.answers import right_answers, stubs
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.plugins.similarity import Likeness, clusters, likenesses, normalised, write_similar
from autograder.publishing import graded_work
from autograder.report.report import GradebookSubmission
from autograder.tests.classroom import real_course, small

COURSE = real_course()
EXERCISES = [COURSE.exercises["04_scaled_dot_product"], COURSE.exercises["08_multi_head_attention"]]
LOOPED = """\
def row_sums(x):
    # one by one
    found = []
    for row in range(x.shape[0]):
        amount = x.new_zeros(())
        for column in range(x.shape[1]):
            amount = amount + x[row, column]
        found.append(amount)
    return torch.stack(found)
"""
DISGUISED = '''\
def row_sums( matrix : "torch.Tensor" ) -> torch.Tensor:
    """Sum the rows."""
    results = [ ]
    for i in range( matrix.shape[ 0 ] ):
        s = matrix.new_zeros( () )   # start
        for j in range(matrix.shape[1]): s = s + matrix[ i , j ]
        results.append( s )
    return torch.stack(
        results
    )
'''


def disguised(code: str) -> str:
    """Return code with other names of its own, formatted anew, without comments and annotations."""
    tree = ast.parse(code)
    tops = {getattr(node, "name", "") for node in tree.body}
    stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own = (stored | {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}) - tops
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in own:
            node.id = f"my_{node.id}"
        elif isinstance(node, ast.arg):
            node.arg, node.annotation = f"my_{node.arg}", None
    return ast.unparse(tree)


def test_names_formatting_and_comments_do_not_count() -> None:
    assert normalised(LOOPED) == normalised(DISGUISED) != ()


@pytest.mark.parametrize("code", ["def f(:", "(" * 5000, "x = 1\n" * 9000, "\0", "if x:\n\ty\n        z"])
def test_what_cannot_be_compared_is_passed_over(code: str) -> None:
    assert normalised(code) is None
    assert not list(likenesses("f", {"a": code, "b": code}, ()))


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: str(exercise.name))
def test_independent_right_answers_raise_no_alarm_and_copies_of_them_do(exercise: Exercise) -> None:
    stub, reference = stubs(exercise), right_answers(exercise)
    for question in exercise.points:
        variants = {v.name: exercise.replaced(v.code).get(question, "") for v in exercise.accepted}
        answers = {name: code for name, code in variants.items() if code}
        own = [stub[question], reference[question]]
        assert not list(likenesses(question, answers, own)), question
        for name, code in answers.items():
            found = list(likenesses(question, {**answers, "copy": disguised(code)}, own))
            assert {(pair.first, pair.second) for pair in found} == {tuple(sorted((name, "copy")))}


def test_what_the_course_itself_writes_or_many_write_is_natural() -> None:
    assert list(likenesses("row_sums", {"a": LOOPED, "b": DISGUISED}, ()))
    assert not list(likenesses("row_sums", {"a": LOOPED, "b": DISGUISED}, [DISGUISED]))
    assert not list(likenesses("row_sums", {f"s{n}": LOOPED for n in range(12)}, ()))


def test_pairs_that_share_a_student_are_one_cluster() -> None:
    pairs = [Likeness("q", *names, 1.0, 20) for names in (("a", "b"), ("b", "c"), ("x", "y"))]
    assert [len(group) for group in clusters(pairs)] == [2, 1]


def test_the_page_shows_both_and_runs_nothing(
    course: Course, monkeypatch: pytest.MonkeyPatch, golden: Callable[[str, str], None]
) -> None:
    codes = {
        "ann": LOOPED,
        "bob": DISGUISED + "# <script>alert(1)</script>\n",
        "cy": "def row_sums(x):\n    pass\n",
        "dee": "def row_sums(x:",
    }

    def notebook(submission: object) -> dict[str, object]:
        code = codes[getattr(submission, "student", "")]
        about = {"grade_id": "row_sums", "solution": True}
        return {"cells": [{"cell_type": "code", "source": code, "metadata": {"nbgrader": about}}]}

    (course.root / "students.csv").write_text("id,name\nann,Ann Lee\nbob,\ndee,Dee Day\n", encoding="utf-8")
    graded = tuple(GradebookSubmission(student, 0.0, 0.0, ()) for student in codes)
    monkeypatch.setattr(graded_work, "read_gradebook", lambda course, exercise, **_: graded)
    monkeypatch.setattr(graded_work, "read_graded", notebook)
    path, found, left_out = write_similar(course, [small(course)])
    assert [cluster.students for cluster in found] == [["ann", "bob"]]
    assert left_out == [
        "01_small dee (Dee Day): row_sums is not compared: it is too long, nested too deeply, or not Python"
    ]
    text = path.read_text(encoding="utf-8")
    assert "<script>" not in text
    assert "<h2>01_small: ann (Ann Lee), bob</h2>" in text
    assert "<h3>ann (Ann Lee)</h3>" in text
    assert "cy" not in text.split("</h1>")[1].replace("policy", "")
    golden("similar.html", text)
