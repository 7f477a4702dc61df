"""A catalogue of misconceptions makes wrong answers of all right ones."""

from pathlib import Path

import pytest

from autograder.course.course import Course
from autograder.course.source import SourceError
from autograder.grading.misconceptions import Catalogue, load_catalogue
from autograder.grading.wrong_answers import WrongAnswer, WrongAnswers

TEXT = """
from autograder.grading import Misconception

WRITINGS = "X + X => torch.mul(X, 2)"
MISCONCEPTIONS = (
    Misconception("tripled", "It is tripled.", "How often?", "torch.mul(X, 2) => torch.mul(X, 3)", "", True),
    Misconception("rounded", "It is rounded.", "When?", "return X => return X.round()", common=True),
    Misconception("halved", "It is halved.", "Is it?", "X / 2 => X / 4"),
)
"""


def catalogue(folder: Path, text: str) -> Catalogue:
    path = folder / "misconceptions.py"
    path.write_text(text, encoding="utf-8")
    return load_catalogue([path])


def test_each_misconception_is_put_into_right_answers_alone_and_in_pairs(
    course: Course, tmp_path: Path
) -> None:
    exercise = course.exercises["01_small"]
    answers = WrongAnswers(exercise, catalogue(tmp_path, TEXT), "double")
    assert all(
        "def double" in code and '"""' not in code and "row_sums" not in code for code in answers.right
    )
    by_hand, made = answers.single[:2], answers.single[2:]
    assert [answer.names for answer in by_hand] == [("double__in_place",), ("double__squares",)]
    assert [answer.names for answer in made] == [("double__tripled",), ("double__rounded",)]
    tripled = made[0]
    assert tripled.hints == ("It is tripled. How often?",)
    assert "torch.mul(x, 3)" in tripled.code
    (both,) = answers.composed(made)
    assert both.names == ("double__tripled", "double__rounded")
    assert "torch.mul(x, 3).round()" in both.code
    by_hand_too = {pair.names for pair in answers.composed(answers.single)}
    assert ("double__squares", "double__rounded") in by_hand_too
    assert answers.fitting == {
        "tripled: torch.mul(X, 2) => torch.mul(X, 3)",
        "rounded: return X => return X.round()",
    }
    assert isinstance(both, WrongAnswer)


def test_what_is_rare_or_reads_what_is_not_there_is_put_beside_nothing(
    course: Course, tmp_path: Path
) -> None:
    exercise = course.exercises["01_small"]
    rare = catalogue(tmp_path, TEXT.replace("common=True", "alone=True"))
    answers = WrongAnswers(exercise, rare, "double")
    assert ("double__rounded",) in {answer.names for answer in answers.single}
    assert all("double__rounded" not in pair.names for pair in answers.composed(answers.single))
    leftover = catalogue(tmp_path, TEXT.replace("X.round()", "X.round() + left"))
    names = {answer.names for answer in WrongAnswers(exercise, leftover, "double").single}
    assert ("double__tripled",) in names
    assert ("double__rounded",) not in names


def test_words_are_said_only_where_right_answers_hold_what_they_speak_of(
    course: Course, tmp_path: Path
) -> None:
    exercise = course.exercises["01_small"]
    for where, names in (
        (r"\bdouble\b", {"double__tripled", "double__rounded"}),
        ("mask", {"double__tripled"}),
    ):
        of_weights = catalogue(tmp_path, TEXT.replace("common=True", f'where=r"{where}"'))
        made = [
            answer for answer in WrongAnswers(exercise, of_weights, "double").single if not answer.written
        ]
        assert {answer.names[0] for answer in made} == names


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("(X, 3)", "(X, 3", "was never closed"),
        (" => torch.mul(X, 3)", "", "has no =>"),
        ('"rounded"', '"tripled"', '"tripled" is there twice'),
        ("MISCONCEPTIONS = (", "MISCONCEPTIONS = ((", "was never closed"),
        ("common=True", 'where="(x"', '"rounded": the pattern (x is none: missing )'),
    ],
)
def test_what_is_no_catalogue_is_said_with_its_place(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(SourceError, match=r"misconceptions\.py") as error:
        catalogue(tmp_path, TEXT.replace(old, new))
    assert said in str(error.value)


def test_a_rule_that_makes_no_python_makes_nothing(course: Course, tmp_path: Path) -> None:
    exercise = course.exercises["01_small"]
    code = (
        '"""By slices."""\n\n\ndef double(x):\n    y = x.clone()\n    y[:1, :] = 2 * x[:1, :]\n    return y\n'
    )
    (exercise.folder / "accepted" / "slices.py").write_text(code)
    text = TEXT.replace("X / 2 => X / 4", "S[I, J] = X => S[I, J] = X * (I != J)")
    answers = WrongAnswers(course.exercises["01_small"], catalogue(tmp_path, text), "double")
    assert "double__halved" not in {answer.names[0] for answer in answers.single}
