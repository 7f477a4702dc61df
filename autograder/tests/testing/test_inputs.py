"""A submission's file and the course's secret choose its hidden inputs; disclosed ones depend on neither."""

from autograder.testing.inputs import DISCLOSED, SETS, hidden_inputs, numbered_inputs

DIGESTS = [f"{number:064x}" for number in range(40 * SETS)]


def test_the_same_file_meets_the_same_inputs_and_another_one_mostly_others() -> None:
    chosen = [hidden_inputs(b"secret", "01_small", digest) for digest in DIGESTS]
    assert chosen == [hidden_inputs(b"secret", "01_small", digest) for digest in DIGESTS]
    assert len(set(chosen)) == SETS


def test_there_are_no_sets_but_the_numbered_ones() -> None:
    every = {numbered_inputs(b"secret", "01_small", number) for number in range(SETS)}
    assert {hidden_inputs(b"secret", "01_small", digest) for digest in DIGESTS} == every


def test_another_secret_or_exercise_has_other_inputs() -> None:
    kinds = [(b"secret", "01_small"), (b"other", "01_small"), (b"secret", "02_small")]
    sets = [numbered_inputs(*kind, number) for kind in kinds for number in range(SETS)]
    assert len({inputs.seed(0) for inputs in sets}) == 3 * SETS


def test_each_test_draws_from_a_seed_of_its_own() -> None:
    assert len({DISCLOSED.seed(test) for test in range(100)}) == 100
