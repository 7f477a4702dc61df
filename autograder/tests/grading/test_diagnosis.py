"""A mistake is called by its name where a submission fails as it does."""

import pytest

from autograder.course.course import Course
from autograder.grading.diagnosis import Diagnosis
from autograder.testing.exchange import Local
from autograder.testing.suite import Suite
from autograder.worker.namespace import run_code


def test_a_mistake_that_warns_is_named_without_a_word(course: Course) -> None:
    exercise = course.exercises["01_small"]
    code = (exercise.folder / "mistakes/double__squares.py").read_text(encoding="utf-8")
    warning = code.replace(
        "    return", '    import warnings; warnings.warn("odd", stacklevel=1)\n    return'
    )
    (exercise.folder / "mistakes/double__squares.py").write_text(warning, encoding="utf-8")
    suite = Suite(exercise)
    runs = list(suite.run(Local(run_code(exercise.variant(code))), chosen=suite.of("double")))
    mistake = Diagnosis(suite).name("double", runs)
    assert "warnings.warn" in warning
    assert mistake is not None
    assert mistake.name == "double__squares"


FIXED = "x * torch.full((3, 5), 3.0)"  # wrong numbers where the shape fits, a clash elsewhere
CLASH = "x @ torch.ones(9, 9)"


@pytest.mark.parametrize(
    ("known", "seen", "named"),
    [
        (FIXED, 'torch.einsum("ij,ij->ij", x, torch.full((3, 5), 3.0))', True),
        (FIXED, 'torch.einsum("ij,ij->ij", x, torch.full((3, 5), 4.0))', False),
        (CLASH, "torch.matmul(x, torch.ones(9, 9))", True),
        (CLASH, 'torch.einsum("ij,jk->ik", x, torch.ones(9, 9))', False),
    ],
)
def test_a_clash_of_shapes_is_known_by_its_words_or_by_a_value_beside_it(
    course: Course, known: str, seen: str, named: bool
) -> None:
    """Shapes clash in as many words as there are products, but a clash alone tells too little."""
    exercise = course.exercises["01_small"]
    text = '"""Does every shape fit?"""\n\n\ndef double(x):\n    return {}\n'
    (exercise.folder / "mistakes/double__fixed.py").write_text(text.format(known), encoding="utf-8")
    suite = Suite(exercise)
    runs = list(suite.run(Local(run_code(exercise.variant(text.format(seen)))), chosen=suite.of("double")))
    mistake = Diagnosis(suite).name("double", runs)
    assert (mistake is not None and mistake.name == "double__fixed") is named


WRONG = "def double(x):\n    return x * 3"


@pytest.mark.parametrize(
    ("bank", "named"),
    [
        (["double__by_three.py"], "double__by_three"),
        (["double__by_three.py", "double__by_three__again.py"], "double__by_three"),
        (["double__by_three.py", "double__tripled.py"], None),
        ([], None),
    ],
    ids=["one", "one in two writings", "two", "none"],
)
def test_a_mistake_is_named_only_if_it_is_the_only_one_that_fits(
    course: Course, bank: list[str], named: str | None
) -> None:
    exercise = course.exercises["01_small"]
    for name in bank:
        text = f'"""How often is it added?"""\n\n\n{WRONG}\n'
        (exercise.folder / "mistakes" / name).write_text(text, encoding="utf-8")
    suite = Suite(exercise)
    runs = list(suite.run(Local(run_code(exercise.variant(WRONG))), chosen=suite.of("double")))
    mistake = Diagnosis(suite).name("double", runs)
    assert (mistake and mistake.name) == named


def test_a_question_that_passes_has_no_mistake(course: Course) -> None:
    suite = Suite(course.exercises["01_small"])
    runs = [run for run in suite.reference_runs if run.test.question == "double"]
    assert Diagnosis(suite).name("double", runs) is None
