"""Verifying shows that right answers score in full and wrong ones fail, and says where they do not."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder.authoring import entry, together
from autograder.authoring.answers import solved_cells
from autograder.authoring.costs import Costs
from autograder.authoring.verify import Proof, _Verification, appearances, explanations, idle_rules, prove
from autograder.cli import main
from autograder.course.course import Course, load_course
from autograder.course.exercise import Exercise
from autograder.course.settings import Limits
from autograder.diagnosis.misconceptions import load_catalogue
from autograder.diagnosis.wrong import Answers
from autograder.grading.grader import Grader
from autograder.report.report import QuestionReport, Report, Status, Verdict
from autograder.sandbox.zygote import Zygote
from autograder.testing.suite import Suite
from autograder.tests.classroom import SECRET, real_course, small, write_answer
from autograder.tests.course.test_folder import leave
from autograder.tests.grading.test_carried import ROW, ROW_TESTS

HALVES = '    expect_close(student.double(x), x + x, hint="Twice: add it to itself, or multiply by two.")'
BOTH = f"{HALVES}\n    expect_close(student.row_sums(x), x.sum(dim=1))"
MISTAKE = '\n# %% mistake="double" name="other"\n"""Is that twice?"""\n\n\ndef double(x):\n    return {}\n'
ACCEPTED = MISTAKE.replace('mistake="double" name', "accepted")
FAILS = 'must get full marks, but double, "Every element becomes twice as large." fails: '


def findings(course: Course, zygote: Zygote) -> str:
    (proof,) = prove(course, course.chosen([]), zygote, sets=1)
    return "\n".join(proof.findings)


def change(course: Course, file: str, old: str, new: str) -> str:
    """Write other text into a file of the exercise, and return what was there."""
    path = small(course).folder / file
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    assert old in text
    path.write_text(text.replace(old, new, 1) if old else f"{text}{new}" if "%%" in new else new, "utf-8")
    return text


def test_the_small_exercise_stands(course: Course, zygote: Zygote) -> None:
    (proof,) = prove(course, course.chosen([]), zygote)
    assert proof.findings == ()
    assert (proof.accepted, proof.mistakes) == (1, 3)


@pytest.mark.parametrize(
    ("file", "old", "new", "found"),
    [
        ("mistakes.py", "", MISTAKE.format("x + x"), "gets full marks; add a hidden test of"),
        ("test_hidden.py", HALVES, BOTH, "Make the test of double independent of row_sums"),
        ("accepted.py", "", ACCEPTED.format("x"), 'must get full marks, but double, "Every element'),
        (
            "mistakes.py",
            "",
            MISTAKE.replace("(x)", "(x, by)").format("x"),
            "double takes (x, by), but the solution takes (x: torch.Tensor); change one of the two",
        ),
        (
            "accepted.py",
            "",
            ACCEPTED.replace("(x)", "()").format("2"),
            "double takes (), but the solution takes (x: torch.Tensor); change one of the two",
        ),
        (
            "mistakes.py",
            "",
            MISTAKE.replace("(x)", "(x, by)").format("x"),
            "fails before it returns a result: TypeError: double() missing 1 ",
        ),
        (
            "mistakes.py",
            "",
            MISTAKE.format("y"),
            "fails before it returns a result: NameError: name 'y' is not defined; ",
        ),
        (
            "mistakes.py",
            "",
            MISTAKE.replace('other"', 'other" error="NameError"').format("x"),
            'NameError does not describe how this answer fails; delete error="NameError"',
        ),
        ("notes.txt", "", "", "is not used in an exercise; move any answers in it to accepted.py or"),
        ("test_hidden.py", "", "", 'question "double" has no hidden test; add one with @question("double")'),
        ("test_hidden.py", HALVES, "    assert x.dim() == 2", "test_hidden.py:8 fail without an answer"),
        (
            "01_small.py",
            "return x.sum(dim=along_each_row)",
            "return double(x).sum(dim=along_each_row) / 2",
            "row_sums calls double: write `builds_on: {row_sums: [double]}` in course.yaml",
        ),
    ],
)
def test_what_does_not_hold_is_found_with_its_place_and_fix(
    course: Course, zygote: Zygote, file: str, old: str, new: str, found: str
) -> None:
    change(course, file, old, new)
    (first, *_) = [line for line in findings(course, zygote).splitlines() if found in line]
    assert str(small(course).folder) in first


@pytest.mark.parametrize(
    ("new", "seen"),
    [
        ("    assert (student.double(x) > 99).all()", "assert (student.double(x) > 99).all() does not hold"),
        (
            "    assert student.double(x) is x, 'No.'",
            "assert student.double(x) is x, 'No.' does not hold: No.",
        ),
        ("    student.duoble(x)", "the name duoble is not defined"),
        ("    student.double(x).shpe", "AttributeError: 'Tensor' object has no attribute 'shpe'"),
        ("    expect_close(\n        student.double(x),\n        x)", "The result has the right shape"),
        ("    assert x[0, 0] > 0, 'Odd.'", "assert x[0, 0] > 0, 'Odd.' does not hold: Odd."),
    ],
)
def test_a_test_that_the_solution_fails_is_found_with_its_line_and_nothing_that_follows_from_it(
    course: Course, zygote: Zygote, new: str, seen: str
) -> None:
    change(course, "test_hidden.py", HALVES, new)
    (finding,) = findings(course, zygote).splitlines()
    exercise = small(course)
    assert finding.startswith(f"{exercise.source}: {FAILS}")
    assert f"{exercise.suite}:12: {seen}" in finding


FIRST = """
    first = [number for number in value_of(student.row) if number > 0][0]
    expect(first == 6, "The row begins with another number.")
"""


def test_a_test_that_breaks_on_an_untouched_notebook_is_found_with_its_line_and_error(
    course: Course, tmp_path: Path, zygote: Zygote
) -> None:
    (folder := tmp_path / "01_row").mkdir()
    code = ROW.replace("row = []", "row = [0]").replace("row.append(total)", "row[0] = total")
    (folder / "01_row.py").write_text(code, encoding="utf-8")
    path, expected = folder / "test_hidden.py", '    expect(value_of(student.row) == [6], "The row has other'
    before, _, _ = ROW_TESTS.partition(expected)
    assert before != ROW_TESTS
    path.write_text(before + FIRST.lstrip("\n"), encoding="utf-8")
    grader = Grader(Exercise(folder), {}, Limits(), zygote, SECRET)
    verification = _Verification(grader.exercise, grader, course.settings, sets=1, whole=False)
    assert verification.right_answers_pass()
    line = before.count("\n") + 1
    problem = f"a hidden test raises an error if row is not answered: {path}:{line}: IndexError: list index"
    (finding,) = (finding for finding in verification.findings if "not answered" in finding)
    end = " out of range; above this line, call expect() "
    assert finding.startswith(f"{folder / '01_row.py'}: {problem}{end}")


def test_a_misspelt_word_of_by_hand_holds_the_reference(course: Course, zygote: Zygote) -> None:
    path = course.root / "course.yaml"
    text = path.read_text(encoding="utf-8")
    rules = "row_sums: [einsum, double]\n    by_hand: {row_sums: [basics, sumss]}"
    path.write_text(text.replace("row_sums: [einsum]", rules), encoding="utf-8")
    assert "must get full marks, but row_sums" in findings(load_course(course.root), zygote)


def test_a_source_that_cannot_be_run_is_found_with_its_line(course: Course, zygote: Zygote) -> None:
    old, new, error = ZERO
    line = change(course, "01_small.py", old, new).partition(old)[0].count("\n") + 1
    assert findings(course, zygote).startswith(f"{small(course).source}:{line}: {error}")


def test_figures_what_students_get_beside_the_notebook_and_what_jupyter_leaves_are_no_finding(
    course: Course, zygote: Zygote
) -> None:
    folder = small(course).folder
    leave(folder)
    (folder / "flow.svg").write_text("<svg/>", encoding="utf-8")
    (folder / "flow.png").write_bytes(b"\x89PNG")
    (folder / "handout").mkdir(exist_ok=True)
    (folder / "handout" / "data.bin").write_bytes(b"\x00\xff")
    assert findings(course, zygote) == ""


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
    text = change(course, "01_small.py", old, new)
    (finding,) = findings(course, zygote).splitlines()
    first = "# Check of double" if "_exit" in new else old  # what ends the program leaves no line behind
    line = text[: text.index(first)].count("\n") + 1
    problem = f"the solution fails the check of double: {error}"
    assert finding.startswith(f"{small(course).source}:{line}: {problem}")


OPEN = ("return torch.mul(x, 2)", "return torch.mul(x, 2", "'(' was never closed; correct the Python code")
ZERO = ("table = torch", "1 / 0\ntable = torch", "ZeroDivisionError: division by zero; all cells except")


@pytest.mark.parametrize(
    ("command", "old", "new", "error"),
    [("verify", *OPEN), ("grade", *OPEN), ("grade", *ZERO), ("run", *ZERO)],
)
def test_an_error_in_the_source_is_told_with_its_line_by_every_command(
    ready: Course, command: str, old: str, new: str, error: str
) -> None:
    text, source = change(ready, "01_small.py", old, new), small(ready).source
    notebook = ready.root / "submitted" / "ann" / "01_small" / "01_small.ipynb"
    notebook.parent.mkdir(parents=True)
    notebook.write_text('{"nbformat": 4, "cells": []}', encoding="utf-8")
    words = {"verify": ["--jobs", "1"], "grade": ["--jobs", "1"], "run": [str(notebook)]}[command]
    done = CliRunner().invoke(main, ["--course", str(ready.root), command, *words])
    line = text[: text.index(old)].count("\n") + 1
    assert done.exit_code == (1 if command == "verify" else 3)  # where it is a finding like others
    assert f"{source}:{line}: {error}" in re.sub(r"\s*\n\s*", " ", done.output)
    assert "autograder failed;" not in done.output


def test_advice_is_below_the_findings_and_is_called_advice(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    proof = Proof("01_small", findings=("a fault", "a second fault"), notes=("a note",))
    monkeypatch.setattr(together, "prove_together", lambda *_, **__: [proof])
    done = CliRunner().invoke(main, ["--course", str(course.root), "verify"])
    _, *lines = done.stdout.splitlines()
    assert lines[:3] == ["  a fault", "  a second fault", "  advice: a note"]


def test_rules_of_the_catalogue_that_fit_nowhere_are_told(course: Course) -> None:
    folder = small(course).folder.parent / "misconceptions"
    folder.mkdir()
    text = """
from autograder.diagnosis import Misconception
MISCONCEPTIONS = (Misconception("one", "Wrong.", "Why?", "X + Y => X || X - Y && Z / X => Z"),)
"""
    (folder / "all.py").write_text(text, encoding="utf-8")
    proofs = [Proof("01_small", costs=Costs(fitting=frozenset({"one: X + Y => X"})))]
    assert idle_rules(course, proofs) == ["one: X + Y => X - Y && Z / X => Z"]


def test_each_sentence_of_the_catalogue_is_listed_with_its_questions(course: Course) -> None:
    folder = small(course).folder.parent / "misconceptions"
    folder.mkdir()
    text = """
from autograder.diagnosis import Misconception, Place
MISCONCEPTIONS = (
    Misconception("halved", "It is halved.", "Why?", "return X => return X / 2"),
    Misconception("unseen", "A mask is wrong.", "Why?", says="mask", where="mask"),
)
PLACES = (Place("sum", "The sum is wrong.", "Which?", "X.sum(dim=P)", where="sum"),)
"""
    (folder / "all.py").write_text(text, encoding="utf-8")
    exercise = small(course)
    catalogue = load_catalogue(exercise.catalogue)
    found = [
        (name, question)
        for question in exercise.points
        for name in Answers(exercise, catalogue, question).sentences
    ]
    proof = Proof("01_small", costs=Costs(sentences=tuple(found)))
    assert list(appearances(course, [proof])) == [
        "halved: It is halved. Why? Appears in double, row_sums.",
        "sum: The sum is wrong. Which? Appears in row_sums.",
    ]


def test_each_mistake_is_listed_with_its_repair(course: Course, zygote: Zygote) -> None:
    folder = small(course).folder.parent / "misconceptions"
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
    listed = [line.partition(": ") for line in lines]
    assert [place.rpartition("/")[2] for place, _, _ in listed] == [
        "mistakes.py:1",
        "mistakes.py:9",
        "mistakes.py:17",
    ]
    assert listed[1][2] == (
        "double__squared: It is squared. Twice? All tests pass after one change in line 2, at `x**2`."
    )


def test_while_an_accepted_answer_fails_exceptions_are_not_called_needless(
    course: Course, zygote: Zygote
) -> None:
    """They may be about what the catalogue makes of this answer."""
    place = write_answer(small(course), 'exception="double"', '"""Why."""\nmisconceptions = ["no_such"]')
    path, _, line = place.rpartition(":")
    problem = "a test catches no_such, or its rules change no right answer"
    needless = f"{path}:{int(line) + 2}: {problem}; delete this exception, which is not needed"
    assert findings(course, zygote) == needless
    write_answer(small(course), 'accepted="other"', '"""Once."""\ndef double(x):\n    return x')
    said = findings(load_course(course.root), zygote)
    assert needless not in said
    assert "is right, but the check of double fails" in said


BUILDS = {"row_sums": ("double",)}
CALLS = '"""The sums of halves, doubled."""\n\n\ndef row_sums(x):\n    return double(x / 2).sum(dim=-1)\n'


def write_caller(course: Course) -> None:
    write_answer(small(course), 'accepted="by_doubling"', CALLS)


def test_a_pair_of_course_yaml_is_proved_by_a_right_answer_that_calls_the_earlier_one(
    course: Course, zygote: Zygote
) -> None:
    file = course.root / "course.yaml"
    file.write_text(file.read_text(encoding="utf-8") + "    builds_on: {row_sums: [double]}\n", "utf-8")
    write_caller(course)
    course = load_course(course.root)
    (proof,) = prove(course, course.chosen([]), zygote)
    assert proof.findings == ()
    assert (
        proof.carried
        == "builds_on: in 1 of 1 pairs of questions, a wrong earlier answer costs no points in the later "
        "question"
    )


def test_a_pair_without_a_right_answer_that_calls_the_earlier_one_is_a_finding(course: Course) -> None:
    exercise = course.exercises["01_small"]
    _, (finding,) = entry.measure(exercise, BUILDS, Suite(exercise), lambda _: pytest.fail("graded"))
    assert finding.endswith(
        "01_small/accepted.py: has no answer to row_sums that builds on double; "
        "write an answer in which row_sums calls double"
    )


@pytest.mark.parametrize(
    ("code", "is_caller"),
    [
        ("row = a(3)", True),
        ("row = []\nfor number in [3]:\n    row.append(a(number))", True),
        ("row = []\nrow.append(6)", False),
        ("def a(x):\n    return x + x", False),
    ],
)
def test_an_answer_that_is_a_variable_builds_on_what_its_cell_calls(
    tmp_path: Path, code: str, is_caller: bool
) -> None:
    (folder := tmp_path / "01_row").mkdir()
    (folder / "01_row.py").write_text(ROW, encoding="utf-8")
    (folder / "test_hidden.py").write_text(ROW_TESTS, encoding="utf-8")
    (folder / "accepted.py").write_text(f'# %% accepted="other"\n"""Other."""\n{code}\n', encoding="utf-8")
    exercise = Exercise(folder)

    def grade(_: Mapping[str, str]) -> Report:
        question = QuestionReport("row", Verdict.PASSED, 1.0, 1.0)
        return Report(exercise.name, Status.GRADED, "", 1.0, 1.0, (), (question,))

    _, found = entry.measure(exercise, {"row": ("a",)}, Suite(exercise), grade)
    assert (found == ()) is is_caller
    assert all("has no answer to row that builds on a" in finding for finding in found)


def test_what_a_wrong_earlier_answer_still_costs_is_a_finding(course: Course) -> None:
    write_caller(course)
    exercise, seen = course.exercises["01_small"], list[Mapping[str, str]]()

    def grade(answers: Mapping[str, str]) -> Report:
        seen.append(answers)
        question = QuestionReport("row_sums", Verdict.FAILED, 1.0, 3.0, "Too small.")
        return Report(exercise.name, Status.GRADED, "", 1.0, 3.0, (), (question,))

    said, (finding,) = entry.measure(exercise, BUILDS, Suite(exercise), grade)
    assert said.startswith("builds_on: in 0 of 1 ")
    assert finding.endswith(
        "accepted.py:15: row_sums must get full marks even if double is wrong, "
        "but row_sums is failed. Too small."
    )
    wrong = dict[str, object]()
    exec(seen[0]["double"], wrong)
    assert callable(wrong["double"])
    assert solved_cells(exercise, seen[0])


def test_nothing_builds_on_a_question_that_answers_it_by_itself(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entry, "MOST", -1.0)
    exercise = course.exercises["01_small"]
    _, (finding,) = entry.measure(exercise, BUILDS, Suite(exercise), lambda _: pytest.fail("graded"))
    assert finding.endswith(
        "as an answer to row_sums, the right answer to double gets 0% of the points; when row_sums is "
        "graded again, with right earlier answers, students' code could call double; change builds_on of "
        "row_sums in course.yaml"
    )


THREE = "".join(
    f'''
# %% solution="{name}"
def {name}(x):
    ### BEGIN SOLUTION
    {body}
    ### END SOLUTION

# %% check="{name}" points=1
{name}(1)
'''
    for name, body in (("a", "return 2 * x"), ("b", "return a(x) + 0"), ("c", "return x + x"))
)
THREE_TESTS = "".join(
    f'''
@question("{name}")
def test_{name}(student):
    """It doubles."""
    expect(student.{name}(3) == 6, "no")
'''
    for name in "abc"
)


def test_no_worker_may_hold_an_answer_that_the_earlier_one_calls_and_that_answers_the_later_one(
    tmp_path: Path,
) -> None:
    (folder := tmp_path / "01_three").mkdir()
    (folder / "01_three.py").write_text(THREE, encoding="utf-8")
    tests = f"from autograder.testing import expect, question\n{THREE_TESTS}"
    (folder / "test_hidden.py").write_text(tests, encoding="utf-8")
    exercise = Exercise(folder)
    _, found = entry.measure(exercise, {"c": ("b",)}, Suite(exercise), lambda _: pytest.fail("graded"))
    message = (
        "01_three: as an answer to c, the right answer to {0} gets 100% of the points; when c is graded "
        "again, with right earlier answers, students' code could call {0}; change builds_on of c in "
        "course.yaml"
    )
    assert [finding.rpartition("/")[2] for finding in found] == [message.format("b"), message.format("a")]


def test_right_answers_to_two_questions_are_named() -> None:
    exercise = real_course().exercises["03_causal_averaging"]
    found = [
        line.rpartition("right answer to ")[2] for line in entry.double_answers(exercise, Suite(exercise))
    ]
    assert "causal_average_weights passes all hidden tests of causal_softmax_weights, too" in found
    assert not any("causal_mask_scores passes" in line for line in found)
