"""An answer is found in whatever form it stands among what students get, and common phrases are none."""

import pytest

from autograder.course.course import Course
from autograder.course.hints import secrets
from autograder.tests.classroom import real_course, small

COURSE = real_course()
TOTAL = "return x.sum(dim=along_each_row)"
LAID_OUT = """
    total = torch.einsum(
        "ij->i",
        x,
    )
    return total
"""


def answered(course: Course, answer: str) -> set[str]:
    """Return what is secret of the small course's second answer, with another one in its place."""
    source = small(course).source
    text = source.read_text(encoding="utf-8")
    source.write_text(
        text.replace("    along_each_row = -1\n    return x.sum(dim=along_each_row)", answer),
        encoding="utf-8",
    )
    return {secret.text for secret in secrets(small(course)) if secret.name == "row_sums"}


def test_what_computes_is_secret_and_so_is_a_line_of_a_written_answer(course: Course) -> None:
    assert [secret.text for secret in secrets(small(course))] == [
        "return torch.mul(x, 2)",
        TOTAL,
        "# Both are linear: a factor common to all terms can be taken out of the sum.".removeprefix("# "),
    ]


@pytest.mark.parametrize(
    ("answer", "secret"),
    [
        ("    return x", set()),
        ("    return double(x)", {"return double(x)"}),
        ("    y = double(x)\n    return y", set()),
        ("    pass\n    y = x.shape[0]\n    with torch.no_grad():\n        return y, None", set()),
        ("    y = x / 2\n    return y", {"y = x / 2"}),
        ("    table = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])\n    return table", set()),
        (LAID_OUT, {'total = torch.einsum( "ij->i", x, )'}),
    ],
)
def test_a_statement_is_secret_if_it_computes_or_is_the_whole_answer_and_is_given_nowhere(
    course: Course, answer: str, secret: set[str]
) -> None:
    assert answered(course, answer) == secret


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (TOTAL, 0),
        ("Look:\n\n#    return  x.sum( dim = along_each_row )  # so", 2),
        ("say `return x.sum(dim=along_each_row)`.", 0),
        ('"""Return x.\n\n    return x.sum(dim=\n#   along_each_row)"""', 2),
        ("return x.sum(dim=along_each_row_too)", None),
        ("never return x.sum(dim=along)", None),
        ("return x.sum(dim=along_each_row).abs()", None),
    ],
)
def test_an_answer_is_found_with_other_white_space_and_as_a_comment(
    course: Course, text: str, line: int | None
) -> None:
    (secret,) = (secret for secret in secrets(small(course)) if secret.text == TOTAL)
    assert secret.line(text) == line


@pytest.mark.parametrize("name", list(COURSE.exercises))
def test_every_exercise_has_answers_that_can_be_found(name: str) -> None:
    assert len(secrets(COURSE.exercises[name])) > 10
