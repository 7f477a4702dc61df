"""A question's check is called in one way everywhere, and known by it again."""

import re

import pytest

from autograder.course.names import NAME, check_id, checked_question, suggestion
from autograder.course.source import Cell, Role


def test_the_check_of_a_question_is_known_by_its_id_and_no_other_cell_is() -> None:
    for question in ("double", check_id("double")):
        assert checked_question(Cell(Role.CHECK, "", question).grade_id) == question
    assert checked_question(Cell(Role.SOLUTION, "", "double").grade_id) is None
    assert checked_question("") is None


def test_a_name_is_one_that_a_folder_may_have_everywhere() -> None:
    assert all(re.fullmatch(NAME, name) for name in ("01_small", "a", "A-b", "0"))
    assert not any(re.fullmatch(NAME, name) for name in ("", "_a", "-a", "a b", "a/b", "..", "é"))


@pytest.mark.parametrize(
    ("name", "known", "words"),
    [
        ("doubles", ("double", "row_sums"), 'did you mean "double"?'),
        ("DOUBLES", ("double", "row_sums"), 'did you mean "double"?'),
        ("softmax", ("double", "row_sums"), "use one of double, row_sums"),
        ("01", ("01_dot_products", "02_heads"), 'did you mean "01_dot_products"?'),
        ("0", ("01_small", "02_big"), "use one of 01_small, 02_big"),
    ],
)
def test_a_name_like_a_known_one_is_suggested_and_otherwise_all_are_listed(
    name: str, known: tuple[str, ...], words: str
) -> None:
    assert suggestion(name, known) == words
