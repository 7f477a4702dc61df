"""Which written answers count as equal, and which as nearly equal."""

import pytest

from autograder.gradebook.similar_answers import cluster, differences, normal_form


@pytest.mark.parametrize(
    ("first", "second", "is_equal"),
    [
        ("It is linear.", "it is  *linear*\n", True),
        ("Because: the rows, “sum” to 1!", "because the rows sum to 1!", True),
        ("`x` is **big**", "x is big", True),
        ("it's", "its", True),
        ("0.5", "05", False),
        ("a < b", "a > b", False),
        ("2**3", "23", False),
        ("2*3", "23", False),
        ("It is linear", "It is not linear", False),
    ],
)
def test_case_space_punctuation_and_emphasis_do_not_matter(first: str, second: str, is_equal: bool) -> None:
    assert (normal_form(first) == normal_form(second)) is is_equal


def test_nearly_equal_answers_have_the_number_of_the_first() -> None:
    long = "softmax divides each row by its own sum so mirrored entries differ"
    texts = [long, "no idea", f"{long} really", "", long.replace("so", "and so"), "no", "", "no idea"]
    assert cluster(texts) == [0, 1, 0, 3, 0, 5, 3, 1]


def test_very_long_answers_are_only_compared_for_being_equal() -> None:
    long = "word " * 100_000
    assert cluster([long, long + "x", long]) == [0, 1, 0]


def test_differences_are_the_words_that_only_the_other_lacks() -> None:
    assert differences("it is not linear here", "it is linear there") == ("not … here", "there")
    assert differences("same", "same") == ("", "")
