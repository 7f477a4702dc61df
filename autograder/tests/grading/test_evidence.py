"""How much a known wrong answer says about a failed test."""

import pytest
import torch

from autograder.grading.evidence import (
    Likeness,
    asks_for_start,
    explained,
    explains,
    fingerprint,
    has_numbers,
    likeness,
    own_affair,
    tells,
)
from autograder.testing.exchange import Exchange
from autograder.testing.expectations import Unmet
from autograder.testing.student_error import StudentError
from autograder.testing.suite import HiddenTest, TestRun

TEST = HiddenTest("double", "Title", 1.0, 0, "test_title")
NUMBERS = torch.tensor([1.0, 2.0, 3.0])


def unmet(numbers: torch.Tensor, words: str = "wrong at [1]", op: str = "call") -> TestRun:
    exchange = Exchange(({"op": op}, []), ({"value": {"tensor": 0}}, [numbers]))
    return TestRun(TEST, Unmet(words), (exchange,))


def crash(kind: str, message: str) -> TestRun:
    error = {"type": kind, "message": message}
    return TestRun(TEST, StudentError(error), (Exchange(({}, []), ({"error": error}, [])),))


OTHER = "mat1 and mat2 shapes cannot be multiplied (4x5 and 4x5)"
SHAPES = "The size of tensor a (4) must match the size of tensor b (5)"


@pytest.mark.parametrize(
    ("known", "seen", "own_numbers", "expected"),
    [
        (unmet(NUMBERS), unmet(NUMBERS.clone()), False, Likeness.VALUE),
        (unmet(NUMBERS), unmet(NUMBERS + 1), False, Likeness.NONE),
        (unmet(NUMBERS), unmet(NUMBERS + 1, "wrong at [2]"), True, Likeness.KIND),
        (unmet(NUMBERS), unmet(NUMBERS + 1, "too small"), True, Likeness.NONE),
        (unmet(NUMBERS), unmet(NUMBERS[:2], "wrong at [1]"), True, Likeness.NONE),
        (crash("RuntimeError", SHAPES), crash("RuntimeError", SHAPES), False, Likeness.CRASH),
        (crash("RuntimeError", SHAPES), crash("RuntimeError", OTHER), False, Likeness.KIND),
        (crash("RuntimeError", SHAPES), unmet(NUMBERS), False, Likeness.NONE),
        (TestRun(TEST, None, ()), unmet(NUMBERS), False, Likeness.NONE),
    ],
)  # fmt: skip
def test_two_runs_are_alike_in_values_in_errors_or_only_in_kind(
    known: TestRun, seen: TestRun, own_numbers: bool, expected: Likeness
) -> None:
    assert likeness(known, seen, own_numbers) is expected


@pytest.mark.parametrize(
    ("likes", "expected"),
    [
        ([Likeness.VALUE, Likeness.CRASH], True),
        ([Likeness.CRASH], True),
        ([Likeness.VALUE, Likeness.KIND], True),
        ([Likeness.CRASH, Likeness.KIND], False),
        ([Likeness.VALUE, Likeness.NONE], False),
        ([], False),
    ],
)
def test_the_kind_of_a_failure_counts_only_beside_a_value(likes: list[Likeness], expected: bool) -> None:
    assert explains(likes) is expected


def test_what_a_run_says() -> None:
    assert asks_for_start(unmet(NUMBERS, op="seed"))
    assert not asks_for_start(unmet(NUMBERS))
    assert tells(unmet(NUMBERS))
    assert not tells(unmet(torch.tensor([1.0, 0.0, torch.nan])))
    assert not tells(crash("RuntimeError", SHAPES))
    yes = Exchange(({}, []), ({"value": {"list": [True, 3, "mask"]}}, []))
    assert not has_numbers(TestRun(TEST, Unmet(""), (yes,)))
    half = Exchange(({}, []), ({"value": {"list": [0.5]}}, []))
    assert has_numbers(TestRun(TEST, Unmet(""), (yes, half)))
    assert has_numbers(unmet(NUMBERS))
    assert fingerprint(unmet(NUMBERS)) == fingerprint(unmet(NUMBERS + 1e-6, "wrong at [2]"))
    assert fingerprint(unmet(NUMBERS)) != fingerprint(unmet(NUMBERS + 1e-2))
    fine = NUMBERS.double()
    assert fingerprint(unmet(fine)) == fingerprint(unmet(fine + 1e-12))
    assert fingerprint(unmet(fine)) != fingerprint(unmet(fine + 1e-6))  # somewhere it was float32


def test_a_wrong_answer_explains_failed_tests_by_its_own_runs() -> None:
    seeded = unmet(NUMBERS + 1, op="seed")
    assert own_affair(frozenset({0, 1}), [seeded]) == {1}
    assert own_affair(frozenset({0, 1}), [unmet(NUMBERS)]) == {0, 1}
    assert explained({0: unmet(NUMBERS)}, [unmet(NUMBERS)], frozenset())
    assert not explained({0: unmet(NUMBERS)}, [unmet(NUMBERS), seeded], frozenset())
    assert explained({0: unmet(NUMBERS)}, [unmet(NUMBERS), unmet(NUMBERS + 1)], frozenset({0}))
