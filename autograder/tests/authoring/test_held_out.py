"""Wrong answers that the bank does not hold measure the diagnosis: by their own name, or by none."""

from pathlib import Path

import pytest

from autograder.authoring.held_out import NamedAnswer, Tally, pairs, tally
from autograder.authoring.proof import Proof
from autograder.authoring.verify import prove
from autograder.course.course import Course
from autograder.course.exercise import Heldout
from autograder.sandbox.zygote import Zygote

SQUARES = '"""By the library."""\n\n\ndef double(x):\n    return torch.square(x)\n'
COLUMNS = '"""By einsum."""\n\n\ndef row_sums(x):\n    return torch.einsum("nd->d", x)\n'
CUBES = '"""One power higher."""\n\n\ndef double(x):\n    return x**3\n'
RIGHT = '"""By adding."""\n\n\ndef double(x):\n    return x + x\n'


def proof(course: Course, zygote: Zygote, texts: dict[str, str]) -> Proof:
    folder = course.exercises["01_small"].folder
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (found,) = prove(course, course.chosen([]), zygote)
    return found


def test_other_writings_are_called_by_their_mistakes_alone_and_together(
    course: Course, zygote: Zygote
) -> None:
    texts = {
        "heldout/double__squares.py": SQUARES,
        "heldout/row_sums__columns.py": COLUMNS,
        "heldout/double__unknown_cubes.py": CUBES,
    }
    found = proof(course, zygote, texts)
    assert found.findings == ()
    assert str(found.heldout) == "heldout: 5 of 5 named, none wrong"  # row_sums meets both others


def test_an_exercise_without_held_out_answers_says_nothing_of_them(course: Course, zygote: Zygote) -> None:
    found = proof(course, zygote, {})
    assert (found.heldout, found.findings) == (None, ())


@pytest.mark.parametrize(
    ("name", "text", "counts", "finding"),
    [
        ("double__unknown_cubes", SQUARES, "0 of 0 named, 1 wrong", "is taken for double__squares; let"),
        ("double__squares", CUBES, "0 of 1 named, none wrong", "is called by no name; say in the catalogue"),
        (
            "double__unknown_cubes",
            RIGHT,
            "0 of 0 named, none wrong",
            "scores in full, but is no right answer",
        ),
        ("double__cubes", CUBES, None, '"double__cubes" is no known mistake; name it after one in mistakes/'),
    ],
)
def test_what_does_not_hold_is_found_with_its_place_and_fix(
    course: Course, zygote: Zygote, name: str, text: str, counts: str | None, finding: str
) -> None:
    found = proof(course, zygote, {f"heldout/{name}.py": text})
    (said,) = found.findings
    assert f"{name}.py: {finding}" in said
    assert (found.heldout and str(found.heldout)) == (counts and f"heldout: {counts}")


TWO = "of 10 with two things wrong"


def counted(name: str, found: str | None) -> Tally:
    return tally([NamedAnswer(Heldout(Path(f"{name}.py"), "", ""), found)] * 10)


@pytest.mark.parametrize(
    ("name", "found", "counts"),
    [
        (
            "a__b+c",
            "a__c+b",
            f"10 of 10 named, none wrong; {TWO} 10 wholly, 0 by one of them",
        ),
        (
            "a__b+c",
            "a__c",
            f"10 of 10 named, none wrong; {TWO} 0 wholly, 10 by one of them",
        ),
        (
            "a__b+c",
            "a__d+b",
            f"0 of 10 named, 10 wrong; {TWO} 0 wholly, 0 by one of them",
        ),
        ("a__b+c", None, f"0 of 10 named, none wrong; {TWO} 0 wholly, 0 by one of them"),
        ("a__b", "a__b+c", "0 of 10 named, 10 wrong"),
        ("a__unknown_b", "a__b", "0 of 0 named, 10 wrong"),
    ],
)
def test_of_two_things_wrong_one_is_enough_and_any_other_is_wrong(
    name: str, found: str | None, counts: str
) -> None:
    assert str(counted(name, found)) == f"heldout: {counts}"


def test_two_writings_of_one_mistake_have_one_name(course: Course, zygote: Zygote) -> None:
    """Both explain the answer, and neither keeps the other from being named."""
    texts = {"mistakes/double__squares__by_product.py": SQUARES, "heldout/double__squares.py": SQUARES}
    found = proof(course, zygote, texts)
    assert found.findings == ()
    assert (found.mistakes, found.named) == (4, 4)
    assert str(found.heldout) == "heldout: 1 of 1 named, none wrong"


def answers(*names: str) -> list[Heldout]:
    return [Heldout(Path(f"{name}.py"), "", "") for name in names]


def test_each_answer_is_paired_with_one_of_another_question() -> None:
    heldout = answers("a__1", "a__2", "a__3", "b__1", "b__2", "c__1", "c__2")
    found = list(pairs(heldout))
    assert len(found) == 4
    assert all(one.question != other.question for one, other in found)
    assert {answer for pair in found for answer in pair} == set(heldout)


def test_answers_to_one_question_alone_have_no_pairs() -> None:
    assert list(pairs(answers("a__1", "a__2"))) == []


def test_an_answer_is_not_paired_with_one_that_it_calls() -> None:
    calls = Heldout(Path("a__1.py"), "def a(x):\n    return b(x)", "")
    named = Heldout(Path("c__1.py"), "def c(x):\n    return x.b(1)", "")
    (b,) = answers("b__1")
    assert [(one.name, other.name) for one, other in pairs([calls, b, named])] == [
        ("a__1", "c__1"),
        ("b__1", "c__1"),
    ]
