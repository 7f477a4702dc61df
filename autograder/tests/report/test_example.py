"""A small wrong call on a page: tables, colours that mean something, and words for who cannot see them."""

from collections.abc import Callable
from dataclasses import replace

from autograder.report.example import Example, Grid, Number, show_example
from autograder.tests.report.test_feedback_page import QUESTION, REPORT, page

GIVEN = (Grid("scores", (2, 2), (1.0, -2.5, 0.0, 0.0)), Grid("d_k", (), (4.0,)))
SHOWN = Example(
    GIVEN, Grid("result", (2, 2), (0.8, 0.2, 0.5, "nan")), Grid("result", (2, 2), (0.8, 0.2, 0.25, 0.75))
)


def grids(shape: tuple[int, ...], got: tuple[Number, ...], asked: tuple[Number, ...]) -> Example:
    return Example((), Grid("result", shape, got), Grid("result", shape, asked))


def test_what_a_student_sees_of_a_wrong_call(golden: Callable[[str, str], None]) -> None:
    text = page(replace(REPORT, questions=(replace(QUESTION, name="softmax", shown=SHOWN),)))
    golden("example.html", text[text.index("<section") : text.index("</section>")] + "</section>\n")
    assert "Framed numbers differ between your result and the expected result." in text
    assert "<figure class=example" not in page()
    made = replace(SHOWN, made="Head(d_in=2, d_out=2)")
    text = page(replace(REPORT, questions=(replace(QUESTION, name="softmax", shown=made),)))
    assert "<p>Created as <code>Head(d_in=2, d_out=2)</code>, with the weights below</p>" in text


def test_words_say_what_the_colours_say() -> None:
    assert show_example(SHOWN).words == (
        "Row 1, column 0 is 0.5 and should be 0.25; row 1, column 1 is nan and should be 0.75."
    )
    assert show_example(grids((), (7.885,), (15.77,))).words == "Your result is 7.885 and should be 15.77."
    one = show_example(grids((5,), (1.0,) * 5, (0.0,) * 5))
    assert one.words.startswith("Element 0 is 1 and should be 0; element 1 is")
    assert one.words.endswith("element 3 is 1 and should be 0. 1 more is wrong.")
    deep = show_example(grids((1, 2, 1), (0.0, 1.0), (0.0, 2.0)))
    assert deep.words == "Element [0, 1, 0] is 1 and should be 2."


def test_another_shape_is_said_and_no_number_is_framed() -> None:
    shown = show_example(Example((), Grid("result", (2,), (1.0, 2.0)), Grid("result", (1, 1), (3.0,))))
    assert shown.words == "Your result has the shape (2,) and should have the shape (1, 1)."
    assert not any(cell.wrong for table in (*shown.got, *shown.asked) for row in table.rows for cell in row)
    other = grids((2,), (1.0, 2.0), (3.0,))
    other = replace(other, asked=Grid("result", (1,), (3.0,)))
    text = page(replace(REPORT, questions=(replace(QUESTION, shown=other),)))
    assert "Indices start at 0" in text
    assert "ramed numbers" not in text


def test_more_than_two_dimensions_take_several_tables() -> None:
    shown = show_example(grids((2, 1, 3), (0.0,) * 6, (0.0,) * 5 + (1.0,)))
    assert [table.caption for table in shown.asked] == ["result[0]", "result[1]"]
    assert [len(table.rows[0]) for table in shown.asked] == [3, 3]
    assert [cell.wrong for cell in shown.got[1].rows[0]] == [False, False, True]


def test_both_answers_share_one_scale_and_what_has_no_end_stays_without_colour() -> None:
    shown = show_example(grids((4,), (1.0, -4.0, "inf", "1.798e+308"), (0.1, 8.0, "nan", 0.0)))
    assert [cell.shade for cell in shown.got[0].rows[0]] == ["plus-1", "minus-2", "none", "none"]
    assert [cell.shade for cell in shown.asked[0].rows[0]] == ["plus-1", "plus-4", "none", "none"]
    truth = show_example(grids((2,), ("True", "False"), ("False", "True")))
    assert [cell.shade for cell in truth.got[0].rows[0]] == ["plus-4", "none"]
    assert truth.words == "Element 0 is True and should be False; element 1 is False and should be True."
