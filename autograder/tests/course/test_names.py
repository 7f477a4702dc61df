"""A question's check is called in one way everywhere, and known by it again."""

import re

import pytest

from autograder.course.names import NAME, check_id, checked_question, suggestion
from autograder.course.source import Cell, Role


def test_the_check_of_a_question_is_known_by_its_id() -> None:
    assert checked_question(check_id("double")) == "double"
    assert Cell(Role.CHECK, "", "double").grade_id == check_id("double")


def test_other_cells_check_nothing() -> None:
    assert checked_question(Cell(Role.SOLUTION, "", "double").grade_id) is None
    assert checked_question("") is None


def test_a_question_may_be_called_as_a_check_is() -> None:
    assert checked_question(check_id(check_id("double"))) == check_id("double")


@pytest.mark.parametrize("name", ["01_small", "a", "A-b", "0"])
def test_names_are_letters_digits_and_two_signs(name: str) -> None:
    assert re.fullmatch(NAME, name)


@pytest.mark.parametrize("name", ["", "_a", "-a", "a b", "a/b", "..", "é"])
def test_what_is_no_folder_s_name_everywhere_is_no_name(name: str) -> None:
    assert not re.fullmatch(NAME, name)


def test_a_name_like_a_known_one_is_suggested_and_otherwise_all_are_listed() -> None:
    assert suggestion("doubles", ("double", "row_sums")) == 'did you mean "double"?'
    assert suggestion("softmax", ("double", "row_sums")) == "use one of double, row_sums"
    assert suggestion("DOUBLES", ("double", "row_sums")) == 'did you mean "double"?'
    assert suggestion("01", ("01_dot_products", "02_heads")) == 'did you mean "01_dot_products"?'
    assert suggestion("0", ("01_small", "02_big")) == "use one of 01_small, 02_big"
    assert suggestion("ROW_SUM", ("double", "row_sums")) == 'did you mean "row_sums"?'
