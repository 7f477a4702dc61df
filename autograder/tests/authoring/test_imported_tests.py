"""Hidden tests made of test cells: what they fetch, what they rewrite, and what they have to leave out."""

import pytest

from autograder.authoring.imported_tests import Draft, Names, hidden_test

GIVEN = """
import numpy as np
RATE = 2
def rate():
    return RATE
def double(x):
    return 2 * x
"""
ANSWER = "total = 3\nfig, ax = plt.subplots()\nrow, axes = plt.subplots(1, 2)"


def drafted(code: str, question: str = "total") -> Draft:
    names = Names()
    names.add_cell(GIVEN, "")
    names.add_cell(ANSWER, "total")
    return hidden_test("cell-1", question, "A title", code, names)


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("assert total == RATE", ["RATE = value_of(reference.RATE)", "total = value_of(student.total)"]),
        ("assert double(1) == 2", ["double = student.double"]),
        ("assert np.isclose(total, 3)", ["import numpy as np", "total = value_of(student.total)"]),
        ("assert axes[1].lines", ["axes = value_of(student.row).axes"]),
        ("x = double\nassert x(1) == 2", ["double = student.double"]),
        ("assert all(double(x) for x in [1])", ["double = student.double"]),
    ],
)
def test_a_hidden_test_fetches_what_it_uses(code: str, lines: list[str]) -> None:
    made = drafted(code)
    assert made.notes == ()
    assert made.body.split("\n")[: len(lines) + 1] == ['"""A title"""', *lines]


def test_variables_of_other_answers_come_from_the_reference() -> None:
    made = drafted("assert double(total) == 6", "other")
    assert "total = value_of(reference.total)" in made.body


@pytest.mark.parametrize(
    ("code", "last"),
    [
        ("assert ax.get_title() == 'A'", "assert ax.axes[0].title == 'A'"),
        ("assert ax.title.get_text() == 'A'", "assert ax.axes[0].title == 'A'"),
        ("assert len(ax.lines) == 1", "assert len(ax.axes[0].lines) == 1"),
        ("assert ax.get_legend() is not None", "assert (ax.axes[0].legend or None) is not None"),
        ("assert fig.axes[0].get_xlabel()", "assert fig.axes[0].xlabel"),
        ("assert fig.get_suptitle()", "assert fig.title"),
        ("assert axes[0].get_ylabel()", "assert axes[0].ylabel"),
        ("assert [l.get_ydata() for l in ax.get_lines()]", "assert [l.y for l in ax.axes[0].lines]"),
        ("line = ax.lines[0]\nassert len(line.get_xdata()) == 3", "assert len(line.x) == 3"),
        ("with pytest.raises(ValueError):\n    double(1)", "expect_raises('ValueError', double, 1)"),
        (
            "try:\n    double(1)\nexcept (KeyError, TypeError):\n    pass\nelse:\n    raise AssertionError",
            "expect_raises(('KeyError', 'TypeError'), double, 1)",
        ),
        ("assert total == 3; assert total != 4", "assert total != 4"),
        ("assert total == '''a\nb'''", "assert total == 'a\\nb'"),
    ],
)
def test_statements_are_written_for_a_hidden_test(code: str, last: str) -> None:
    made = drafted(code)
    assert (made.notes, made.body.split("\n")[-1]) == ((), last)


@pytest.mark.parametrize(
    ("lost", "why"),
    [
        (
            "RATE = 5\nassert rate() == 5",
            "`assert rate() == 5` is left out of its hidden test: it calls a function that reads",
        ),
        ("del double", "`del double` is left out of its hidden test: it changes double"),
        (
            "double = max\nassert double(1, 2) == 2",
            "`double = max` is left out of its hidden test: it changes double",
        ),
        ("assert ax.get_xlim()[0] == 0", "hidden tests cannot use `ax.get_xlim`"),
        (
            "assert len(ax.patches) == 3",
            "hidden tests cannot use `ax.patches`. If the patches are bars, write "
            "`assert len([bar for group in ax.axes[0].bars for bar in group.y]) == 3`.",
        ),
        (
            "assert len(axes[1].patches) == 3 and axes[1].get_title() == 'A'",
            "`assert len([bar for group in axes[1].bars for bar in group.y]) == 3 and axes[1].title == 'A'`.",
        ),
        (
            "assert len(ax.patches) == 3 and ax.get_xlim()[0] == 0",
            "hidden tests cannot use `ax.patches`.",
        ),
        ("assert ax.patches[0].get_height() == 3", "hidden tests cannot use `ax.patches`."),
        ("assert isinstance(ax, object)", "hidden tests cannot use `isinstance(ax, object)`"),
        (
            "line = ax.lines[0]\nassert line.get_color() == 'b'",
            "hidden tests cannot use `line.get_color`",
        ),
        ("assert nowhere == 1", "nothing above defines nowhere"),
    ],
)
def test_a_statement_that_cannot_run_outside_leaves_the_other_asserts(lost: str, why: str) -> None:
    made = drafted(f"assert total == 3\n{lost}\nassert total == 4")
    assert made.body.startswith('"""A title"""')
    assert made.body.count("assert total") == 2
    assert any(why in note for note in made.notes), made.notes
    if "double = max" in lost:
        assert "`assert double(1, 2) == 2` is left out of its hidden test: double comes from" in made.notes[1]


def test_a_variable_that_the_test_restores_is_as_it_was() -> None:
    made = drafted("old = RATE\nRATE = 5\nassert rate() == 5\nRATE = old\nassert rate() == 2")
    assert "assert rate() == 2" in made.body
    assert "assert rate() == 5" not in made.body
    assert len(made.notes) == 1


def test_a_replaced_variable_that_is_only_an_argument_stays() -> None:
    made = drafted("RATE = 5\nassert double(RATE) == 10")
    assert (made.notes, made.body.split("\n")[-2:]) == ((), ["RATE = 5", "assert double(RATE) == 10"])


@pytest.mark.parametrize(
    ("code", "why"),
    [("", "it is not plain Python"), ("x = 1", "it asserts nothing"), ("total = 4", "it asserts nothing")],
)
def test_a_test_of_which_nothing_is_left_is_named(code: str, why: str) -> None:
    assert drafted(code) == Draft(notes=(f"cell-1 has no hidden test: {why}.",))


def test_later_tests_get_what_earlier_ones_bind() -> None:
    names = Names()
    names.add_cell(GIVEN, "")
    hidden_test("cell-1", "double", "A", "import math\nhalf = RATE / 2\nassert double(half) == 2", names)
    made = hidden_test("cell-2", "double", "B", "assert double(math.floor(half)) == 2", names)
    lines = ["double = student.double", "RATE = value_of(reference.RATE)", "half = RATE / 2", "import math"]
    assert made.body.split("\n")[1:-1] == lines
