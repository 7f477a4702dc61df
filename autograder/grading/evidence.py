"""Compares what a failed test got from a submission with what it got from a known wrong answer."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum

import torch

from autograder.grading.same_answer import same_exchanges, same_shapes
from autograder.testing.exchange import Exchange
from autograder.testing.student_error import StudentError
from autograder.testing.suite import TestRun

# These come of a change that fits the code badly, and not of what the change is about.
_ACCIDENTS = {"NameError", "UnboundLocalError", "AttributeError", "TypeError", "ValueError"}
_PARTS = 1e3  # of 1 that a digest tells apart
_FINE_PARTS = 1e8  # and in float64, where nothing but precision may be what is wrong


class Likeness(IntEnum):
    """How much a known wrong answer says about a failed test."""

    NONE = 0
    KIND = 1  # the same failure, in numbers or words that the writing of the code decides
    CRASH = 2  # the same error, word for word
    VALUE = 3  # the same answers


def likeness(known: TestRun, seen: TestRun, own_numbers: bool) -> Likeness:
    """Compare two runs of one test.

    `own_numbers` says that a right answer's numbers in this test depend on the seed: where a module was given
    no weights, another writing starts with other numbers.
    """
    if known.error is None or seen.error is None or not seen.exchanges:
        return Likeness.NONE
    crashed = isinstance(seen.error, StudentError)
    if same_exchanges(known.exchanges, seen.exchanges):
        return Likeness.CRASH if crashed else Likeness.VALUE
    if same_exchanges(known.exchanges, seen.exchanges, ignore_shape_wording=True):
        return Likeness.KIND
    if own_numbers and not crashed and _words(known.error) == _words(seen.error):
        return Likeness.KIND if same_shapes(known.exchanges, seen.exchanges) else Likeness.NONE
    return Likeness.NONE


def explains(found: Sequence[Likeness]) -> bool:
    """Whether one wrong answer explains all these failed tests.

    The same kind of failure tells little, so it counts only beside a test that got the same answers.
    """
    exact = all(like >= Likeness.CRASH for like in found)
    return bool(found) and (exact or (Likeness.VALUE in found and Likeness.NONE not in found))


def explained(known: Mapping[int, TestRun], failed: Iterable[TestRun], own_numbers: frozenset[int]) -> bool:
    """Whether a known wrong answer explains all these failed tests; its runs are `known` by their numbers."""
    found = list[Likeness]()
    for run in failed:
        number = run.test.number
        found.append(likeness(known[number], run, number in own_numbers))
        if found[-1] is Likeness.NONE:
            return False
    return explains(found)


def own_affair(own_numbers: frozenset[int], failed: Iterable[TestRun]) -> frozenset[int]:
    """Return those of the tests of own numbers in which they are the submission's own affair."""
    return own_numbers - {run.test.number for run in failed if asks_for_start(run)}


def asks_for_start(run: TestRun) -> bool:
    """Whether a test seeds the submission itself: then the numbers it starts with are what is asked for."""
    return any(exchange.request[0].get("op") == "seed" for exchange in run.exchanges)


def tells(run: TestRun) -> bool:
    """Whether a failed test got numbers that say something: at least three different finite ones."""
    return not isinstance(run.error, StudentError) and any(map(_speaks, run.exchanges))


def is_accident(run: TestRun) -> bool:
    """Whether a test met an error that a change only made because it fits the code badly."""
    return isinstance(run.error, StudentError) and run.error.type in _ACCIDENTS


def fingerprint(run: TestRun) -> str:
    """Return a digest of what a failed test got, so that answers that get the same are seen at once."""
    digest = hashlib.sha256(_words(run.error).encode() if run.error else b"")
    for exchange in run.exchanges:
        header, tensors = exchange.reply
        digest.update(repr([(key, value) for key, value in header.items() if key != "error"]).encode())
        for tensor in tensors:
            numbers = tensor.detach().double().nan_to_num(-7e5, 8e5, -9e5).clamp(-1e6, 1e6)
            digest.update(str((tensor.dtype, tensor.shape)).encode())
            parts = _FINE_PARTS if tensor.dtype == torch.float64 else _PARTS
            digest.update((numbers * parts).round().long().numpy().tobytes())
    return digest.hexdigest()


def has_numbers(run: TestRun) -> bool:
    """Whether a test got tensors or fractions, which two different mistakes hardly share."""
    return any(
        exchange.reply[1] or _has_fraction(exchange.reply[0].get("value")) for exchange in run.exchanges
    )


def _has_fraction(code: object) -> bool:
    match code:
        case dict():
            return any(map(_has_fraction, code.values()))
        case list():
            return any(map(_has_fraction, code))
    return isinstance(code, float)


def _speaks(exchange: Exchange) -> bool:
    header, tensors = exchange.reply
    floats = (tensor[tensor.isfinite()] for tensor in tensors if tensor.is_floating_point())
    return "value" in header and any(len(set(numbers.flatten()[:64].tolist())) >= 3 for numbers in floats)


def _words(error: BaseException) -> str:
    return "".join(letter for letter in str(error) if not letter.isdigit())
