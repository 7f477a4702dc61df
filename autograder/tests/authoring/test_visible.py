"""Visible checks must see most of the mistakes that cost much; verifying counts how many they see."""

import re

import pytest

from autograder.authoring.proof import Proof
from autograder.authoring.verify import prove
from autograder.authoring.visible import Look, check_error, sight
from autograder.course.course import Course, load_course
from autograder.sandbox.zygote import Zygote

CELLS = ("import torch\nx = torch.rand(2)",)


def proof_of(course: Course, zygote: Zygote) -> Proof:
    (proof,) = prove(course, course.chosen([]), zygote)
    return proof


def rewrite(course: Course, old: str, new: str) -> None:
    source = course.exercises["01_small"].source
    text = source.read_text(encoding="utf-8")
    assert old in text
    source.write_text(text.replace(old, new), encoding="utf-8")


def test_verifying_counts_the_costly_mistakes_that_the_checks_see(course: Course, zygote: Zygote) -> None:
    assert str(proof_of(course, zygote).sight) == "visible checks see 2 of 2 costly mistakes, 100 %"


def test_a_blind_check_is_found_with_what_it_misses_unless_the_course_asks_for_less(
    course: Course, zygote: Zygote
) -> None:
    rewrite(course, "expected = torch.tensor([6.0, 15.0])", "expected = sums")
    rewrite(course, "assert sums.shape == (2,),", "assert sums.dim() == 1,")
    proof = proof_of(course, zygote)
    missed = course.exercises["01_small"].folder / "mistakes" / "row_sums__columns.py"
    problem = "costs 100% of row_sums, but the visible check passes; let the check see it"
    assert proof.findings == (f"{missed}: {problem}",)
    settings = course.root / "course.yaml"
    settings.write_text(settings.read_text(encoding="utf-8") + "\nchecks_see: 0.5\n", encoding="utf-8")
    proof = proof_of(load_course(course.root), zygote)
    assert (proof.findings, str(proof.sight)) == ((), "visible checks see 1 of 2 costly mistakes, 50 %")


def test_a_check_that_fails_on_another_right_answer_is_found(course: Course, zygote: Zygote) -> None:
    rewrite(
        course, "# Check of double\n", '# Check of double\nassert "mul" in double.__code__.co_names, "oh"\n'
    )
    (finding,) = proof_of(course, zygote).findings
    assert "by_addition.py: is right, but the check of double fails: AssertionError: oh; mend" in finding


def test_only_mistakes_that_cost_more_than_a_quarter_count(course: Course) -> None:
    mistakes = course.exercises["01_small"].mistakes
    costs, seen = (0.25, 0.26, 1.0), (False, True, False)
    looks = [Look(*one) for one in zip(mistakes, costs, seen, strict=True)]
    found = sight(looks, 0.5)
    assert (found.costly, found.seen, found.findings) == (2, 1, ())
    (finding,) = sight(looks, 0.51).findings
    assert re.search(r"row_sums__columns\.py: costs 100% of row_sums", finding)
    assert str(sight([], 1.0)) == "visible checks see 0 of 0 costly mistakes"


@pytest.mark.parametrize(
    ("check", "error"),
    [
        ("assert x.sum() > 0", type(None)),
        ("assert x.sum() < 0", AssertionError),
        ("y.sum()", NameError),
        ("raise SystemExit", SystemExit),
    ],
)
def test_a_check_fails_by_whatever_it_raises(check: str, error: type) -> None:
    assert isinstance(check_error(check, CELLS), error)


def test_a_check_is_run_quietly_and_with_the_same_numbers_each_time(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = [str(check_error("print('hello')\nassert False, x.tolist()", CELLS)) for _ in range(2)]
    assert said[0] == said[1]
    assert capsys.readouterr().out == ""
