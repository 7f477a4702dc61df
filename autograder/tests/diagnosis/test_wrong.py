"""A catalogue of misconceptions makes wrong answers of right ones."""

import ast
from pathlib import Path

import pytest

from autograder.course.course import Course
from autograder.course.source import SourceError
from autograder.diagnosis.misconceptions import Catalogue, load_catalogue
from autograder.diagnosis.wrong import Answers, with_joined_statements

TEXT = """
from autograder.diagnosis import Misconception

WRITINGS = "X + X => torch.mul(X, 2)"
MISCONCEPTIONS = (
    Misconception("tripled", "It is tripled.", "How often?", "torch.mul(X, 2) => torch.mul(X, 3)"),
    Misconception("rounded", "It is rounded.", "When?", "return X => return X.round()"),
    Misconception("halved", "It is halved.", "Is it?", "X / 2 => X / 4"),
)
"""


def catalogue(folder: Path, text: str) -> Catalogue:
    path = folder / "misconceptions.py"
    path.write_text(text, encoding="utf-8")
    return load_catalogue([path])


def test_each_misconception_is_put_into_right_answers_that_are_in_one_writing(
    course: Course, tmp_path: Path
) -> None:
    answers = Answers(course.exercises["01_small"], catalogue(tmp_path, TEXT), "double")
    assert all(
        "def double" in code and '"""' not in code and "row_sums" not in code for code in answers.right
    )
    assert [one.misconception.name for one in answers.wrong] == ["tripled", "rounded"]
    assert "torch.mul(x, 3)" in answers.wrong[0].code
    assert answers.fitting == {
        "tripled: torch.mul(X, 2) => torch.mul(X, 3)",
        "rounded: return X => return X.round()",
    }


@pytest.mark.parametrize(
    ("changed", "names"),
    [
        (("X.round()", "X.round() + left"), ["tripled"]),  # a name that only a cell may have left behind
        (('"When?",', r'"When?", where=r"\bdouble\b", changes='), ["tripled", "rounded"]),
        (('"When?",', '"When?", where="mask", changes='), ["tripled"]),
    ],
)
def test_a_rule_that_does_not_fit_makes_nothing(
    course: Course, tmp_path: Path, changed: tuple[str, str], names: list[str]
) -> None:
    answers = Answers(course.exercises["01_small"], catalogue(tmp_path, TEXT.replace(*changed)), "double")
    assert [one.misconception.name for one in answers.wrong] == names


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("MISCONCEPTIONS = (", "was never closed"),
        (TEXT.replace("torch.mul(X, 2) => torch.mul(X, 3)", "torch.mul(X, 2)"), "has no =>"),
        (TEXT.replace("X / 2 => X / 4", "X / => X"), "invalid syntax"),
        (TEXT.replace('"halved"', '"rounded"'), '"rounded" is defined twice'),
        (TEXT.replace('"X / 2 => X / 4"', 'crash="("'), "( is not a regular expression"),
    ],
)
def test_a_broken_catalogue_is_told_with_its_file(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(SourceError) as error:
        catalogue(tmp_path, text)
    assert "misconceptions.py" in str(error.value)
    assert problem in str(error.value)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("s = q @ k; w = f(s); return w @ v", "return f(q @ k) @ v"),
        ("s = q @ k; s = g(s, 0); return f(s)", "return f(g(q @ k, 0))"),
        ("s = q @ k; return s + s", "s = q @ k; return s + s"),
        ("s = q @ k; w = f(s); return w @ s", "s = q @ k; return f(s) @ s"),
        ("s = q @ k; b = 1; return s", "s = q @ k; b = 1; return s"),
    ],
)
def test_what_is_used_once_in_the_next_statement_is_written_there(body: str, expected: str) -> None:
    def function(text: str) -> str:
        return "def f(q, k, v):\n" + "".join(f"    {line}\n" for line in text.split("; "))

    assert ast.unparse(with_joined_statements(ast.parse(function(body)))) == function(expected).rstrip()
