"""Verifying shows that right answers score in full and wrong ones fail, and says where they do not."""

import re
import shutil

import pytest
from click.testing import CliRunner

from autograder.authoring.costs import Costs
from autograder.authoring.verify import Proof, explanations, idle_rules, prove
from autograder.cli import main
from autograder.course.course import Course, load_course
from autograder.sandbox.zygote import Zygote
from autograder.tests.course.test_folder import leave

HALVES = '    expect_close(student.double(x), x + x, hint="Twice: add it to itself, or multiply by two.")'
BOTH = '"""Is that each row?"""\n\n\ndef row_sums(x):\n    return x\n\n\nglobals()["double"] = row_sums\n'
MISTAKE = '"""Is that twice?"""\n\n\ndef double(x):\n    return {}\n'


def findings(course: Course, zygote: Zygote) -> str:
    (proof,) = prove(course, course.chosen([]), zygote)
    return "\n".join(proof.findings)


def test_the_small_exercise_stands(course: Course, zygote: Zygote) -> None:
    (proof,) = prove(course, course.chosen([]), zygote)
    assert proof.findings == ()
    assert (proof.accepted, proof.mistakes) == (1, 3)


@pytest.mark.parametrize(
    ("place", "text", "finding"),
    [
        (
            "mistakes/double__right.py",
            MISTAKE.format("x + x"),
            "gets full marks; add a hidden test to double",
        ),
        ("mistakes/row_sums__both.py", BOTH, "Make that test independent"),
        ("accepted/wrong.py", MISTAKE.format("x"), 'must get full marks, but double, "Every element becomes'),
        ("notes.txt", "", "belongs to no exercise; move it to accepted/, mistakes/ or heldout/, or"),
        ("test_hidden.py", "", 'question "double" has no hidden test; add one with @question("double")'),
    ],
)
def test_what_does_not_hold_is_found_with_its_place_and_fix(
    course: Course, zygote: Zygote, place: str, text: str, finding: str
) -> None:
    folder = course.exercises["01_small"].folder
    (folder / place).write_text(text, encoding="utf-8")
    found = findings(course, zygote)
    assert finding in found
    assert str(folder) in found


@pytest.mark.parametrize(
    ("old", "new", "seen"),
    [
        (
            HALVES,
            "    assert (student.double(x) > 99).all()",
            "12: assert (student.double(x) > 99).all() does not",
        ),
        (
            HALVES,
            "    assert student.double(x) is x, 'Same.'",
            "12: assert student.double(x) is x, 'Same.' does not hold: Same.",
        ),
        (HALVES, "    student.duoble(x)", "12: nothing is called duoble"),
        (HALVES, "    student.double(x).shpe", "12: AttributeError: 'Tensor' object has no attribute 'shpe'"),
        (
            HALVES,
            "    expect_close(\n        student.double(x),\n        x)",
            "12: The result has the right shape",
        ),
        (
            "x = torch.randn(3, 5)",
            "x = torch.randn(3, 5)\n    assert x[0, 0] > 0, 'Odd.'",
            "12: assert x[0, 0] > 0, 'Odd.' does not hold: Odd.",
        ),
    ],
)
def test_a_test_that_the_solution_fails_is_found_with_its_line_and_nothing_that_follows_from_it(
    course: Course, zygote: Zygote, old: str, new: str, seen: str
) -> None:
    exercise = course.exercises["01_small"]
    text = exercise.suite.read_text(encoding="utf-8")
    assert old in text
    exercise.suite.write_text(text.replace(old, new, 1), encoding="utf-8")
    (finding,) = findings(course, zygote).splitlines()
    start = (
        f'{exercise.source}: must get full marks, but double, "Every element becomes twice as large." fails: '
    )
    assert finding.startswith(start)
    assert f"{exercise.suite}:{seen}" in finding


def test_a_test_that_asks_nothing_of_the_answer_is_found_with_its_line(
    course: Course, zygote: Zygote
) -> None:
    exercise = course.exercises["01_small"]
    text = exercise.suite.read_text(encoding="utf-8")
    exercise.suite.write_text(text.replace(HALVES, "    assert x.dim() == 2"), encoding="utf-8")
    found = findings(course, zygote).splitlines()[0]
    assert f"since it passes {exercise.suite}:8; let that ask for more" in found


def test_a_mistake_that_fails_a_question_which_calls_it_asks_for_builds_on(
    course: Course, zygote: Zygote
) -> None:
    exercise = course.exercises["01_small"]
    text = exercise.source.read_text(encoding="utf-8")
    text = text.replace("return x.sum(dim=along_each_row)", "return double(x).sum(dim=along_each_row) / 2")
    exercise.source.write_text(text, encoding="utf-8")
    found = findings(course, zygote)
    assert "double__squares.py: also fails row_sums: " in found
    assert "As row_sums calls double, write `builds_on: {row_sums: [double]}` in course.yaml" in found


def test_misspelt_words_of_rules_are_told_with_their_line(course: Course, zygote: Zygote) -> None:
    path = course.root / "course.yaml"
    text = path.read_text(encoding="utf-8")
    rules = (
        "row_sums: [einsum, matmull, '@', double]\n    by_hand:\n      row_sums: [basics, sumss, prod, sum_]"
    )
    path.write_text(text.replace("row_sums: [einsum]", rules), encoding="utf-8")
    course = load_course(course.root)
    (proof,) = prove(course, course.chosen([]), zygote)
    wrong = "is neither a group nor an operator of torch; did you mean"
    assert proof.findings[:2] == (
        f'{path}:10: by_hand.row_sums: "sumss" {wrong} "sums"?',
        f'{path}:10: by_hand.row_sums: "sum_" {wrong} "sum"?',
    )
    assert proof.notes == (
        f'{path}:8: forbid.row_sums: "matmull" names nothing in torch; did you mean "matmul"?',
    )


def test_what_jupyter_leaves_in_the_folder_is_no_finding(course: Course, zygote: Zygote) -> None:
    leave(course.exercises["01_small"].folder)
    assert findings(course, zygote) == ""


def test_figures_and_what_students_get_beside_the_notebook_are_no_finding(
    course: Course, zygote: Zygote
) -> None:
    folder = course.exercises["01_small"].folder
    (folder / "flow.svg").write_text("<svg/>", encoding="utf-8")
    (folder / "flow.png").write_bytes(b"\x89PNG")
    (folder / "handout").mkdir()
    (folder / "handout" / "data.bin").write_bytes(b"\x00\xff")
    assert findings(course, zygote) == ""


@pytest.mark.parametrize(
    ("folder", "finding"),
    [
        ("accepted", "accepted: holds no other right answer; write at least one"),
        ("mistakes", "mistakes: holds no known mistake; write at least one"),
    ],
)
def test_an_exercise_without_any_answer_of_a_kind_is_not_proved(
    course: Course, zygote: Zygote, folder: str, finding: str
) -> None:
    shutil.rmtree(course.exercises["01_small"].folder / folder)
    assert finding in findings(course, zygote)


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("assert doubled.shape == (2, 3)", "assert doubled.shape = (2, 3)", "SyntaxError: "),
        ("assert doubled.shape == (2, 3)", "assert doubled.shape == (3, 2)", "AssertionError: double keeps"),
        ("doubled = double(table)", "import os; os._exit(0)", "it ended the program or ran too long"),
    ],
)
def test_a_visible_check_that_fails_on_the_reference_is_found_with_its_line(
    course: Course, zygote: Zygote, old: str, new: str, error: str
) -> None:
    source = course.exercises["01_small"].source
    text = source.read_text(encoding="utf-8")
    source.write_text(text.replace(old, new), encoding="utf-8")
    (finding,) = findings(course, zygote).splitlines()
    first = "# Check of double" if "_exit" in new else old  # what ends the program leaves no line behind
    line = text[: text.index(first)].count("\n") + 1
    assert finding.startswith(f"{source}:{line}: the check of double fails on the reference: {error}")


@pytest.mark.parametrize("command", ["verify", "grade", "run"])
@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("return torch.mul(x, 2)", "return torch.mul(x, 2", "'(' was never closed; it must be Python"),
        ("table = torch", "1 / 0\ntable = torch", "ZeroDivisionError: division by zero; all cells but"),
    ],
)
def test_an_error_in_the_source_is_told_with_its_line_by_every_command(
    ready: Course, command: str, old: str, new: str, error: str
) -> None:
    source = ready.exercises["01_small"].source
    text = source.read_text(encoding="utf-8")
    source.write_text(text.replace(old, new), encoding="utf-8")
    notebook = ready.root / "submitted" / "ann" / "01_small" / "01_small.ipynb"
    notebook.parent.mkdir(parents=True)
    notebook.write_text('{"nbformat": 4, "cells": []}', encoding="utf-8")
    words = {"verify": ["--jobs", "1"], "grade": ["--jobs", "1"], "run": [str(notebook)]}[command]
    done = CliRunner().invoke(main, ["--course", str(ready.root), command, *words])
    line = text[: text.index(old)].count("\n") + 1
    assert done.exit_code == 3
    assert f"{source}:{line}: {error}" in re.sub(r"\s*\n\s*", " ", done.output)
    assert "autograder failed;" not in done.output


def test_rules_of_the_catalogue_that_fit_nowhere_are_told(course: Course) -> None:
    folder = course.exercises["01_small"].folder.parent / "misconceptions"
    folder.mkdir()
    text = """
from autograder.diagnosis import Misconception
MISCONCEPTIONS = (Misconception("one", "Wrong.", "Why?", "X + Y => X || X - Y && Z / X => Z"),)
"""
    (folder / "all.py").write_text(text, encoding="utf-8")
    proofs = [Proof("01_small", costs=Costs(fitting=frozenset({"one: X + Y => X"})))]
    assert idle_rules(course, proofs) == ["one: X + Y => X - Y && Z / X => Z"]


def test_each_wrong_answer_is_listed_with_its_repair_and_then_what_none_of_them_needs(
    course: Course, zygote: Zygote
) -> None:
    folder = course.exercises["01_small"].folder.parent / "misconceptions"
    folder.mkdir()
    text = """
from autograder.diagnosis import Misconception
WRITINGS = "X * Y => torch.mul(X, Y)"
MISCONCEPTIONS = (
    Misconception("squared", "It is squared.", "Twice?", "return torch.mul(X, 2) => return X ** 2"),
    Misconception("cubed", "It is cubed.", "Why?", "torch.mul(X, 2) => X ** 3"),
)
"""
    (folder / "all.py").write_text(text, encoding="utf-8")
    lines = list(explanations(course, [*course.exercises.values()], zygote))
    listed = [line.partition(": ") for line in lines if ".py: " in line]
    assert [place.rpartition("/")[2] for place, _, _ in listed] == [
        "double__in_place.py",
        "double__squares.py",
        "row_sums__columns.py",
    ]
    assert listed[1][2] == (
        "double__squared: It is squared. Twice? One change in line 5, at `x**2`, makes all tests pass. "
        "All else is right."
    )
    assert lines[len(listed) :] == [
        "No wrong answer in mistakes/ or heldout/ needs this misconception: cubed",
    ]
