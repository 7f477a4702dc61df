"""Finds calls on which two right answers disagree: there the exercise says less than it means.

Each hidden test's requests are sent once more to every accepted answer, with other sizes or other values
than the test has. Where it differs from the reference, a word is missing in the stub or a test in the suite.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from warnings import catch_warnings

import torch

from autograder.course.exercise import Exercise
from autograder.grading.same_answer import same_exchanges
from autograder.testing.exchange import Backend, Exchange, Local, Reply, Request
from autograder.testing.suite import HiddenTest, Suite
from autograder.worker.namespace import run_code
from autograder.worker.protocol import Tensors

_NOISE = 1e-3  # of the largest number
_SMALLEST = 3  # of sizes that are changed: smaller numbers may stand for a dimension, or for a few heads
_Change = Callable[[torch.Tensor], torch.Tensor]
VALUES: dict[str, _Change] = {
    "all numbers are 0": torch.zeros_like,
    "all numbers are equal": lambda tensor: torch.full_like(tensor, 1.5),
    "all numbers are 50 times as large": lambda tensor: tensor * 50,
    "all numbers are float64": lambda tensor: tensor.double(),
}


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A call to which another right answer gives something else than the reference."""

    question: str
    answer: str  # the name of its file in accepted/
    case: str
    call: str
    right: str
    other: str

    def __str__(self) -> str:
        asked = f"{self.question} of accepted/{self.answer}.py, where {self.case}"
        return f"{asked}: {self.call} gives {self.other}, and the reference {self.right}"


def disagreements(exercise: Exercise, suite: Suite) -> list[Disagreement]:
    """Return the smallest call of each question, accepted answer and case on which the two disagree."""
    found: dict[tuple[str, str, str], tuple[int, Disagreement]] = {}
    runs = [run for run in suite.reference_runs if run.error is None]
    right = {(test, case): _replies(exercise.reference, r) for test, case, r in _cases(runs)}
    for variant in exercise.accepted:
        answered = exercise.replaced(variant.code)
        cells = exercise.variant(variant.code)
        own = [run for run in runs if run.test.question in answered]
        plain = {run.test for run in own if not _alike(exercise.reference, cells, _requests(run.exchanges))}
        for test, case, requests in _cases([run for run in own if run.test not in plain]):
            replies = _replies(cells, requests)
            place = _first_difference(right[test, case], replies)
            if place is not None:
                one, other = right[test, case][place], replies[place]
                size = sum(tensor.numel() for tensor in requests[place][1])
                seen = Disagreement(
                    test.question, variant.name, case, _call(requests[place]), _told(one), _told(other)
                )
                key = (test.question, variant.name, case)
                if key not in found or size < found[key][0]:
                    found[key] = size, seen
    return [seen for _, seen in found.values()]


def _cases(runs: Sequence[Any]) -> Iterator[tuple[HiddenTest, str, list[Request]]]:
    """Yield the requests of each test with other values, and with other sizes."""
    for run in runs:
        requests = _requests(run.exchanges)
        for case, change in VALUES.items():
            yield run.test, case, [(header, [_changed(t, change) for t in ts]) for header, ts in requests]
        sizes = sorted({size for _, ts in requests for tensor in ts for size in tensor.shape})
        for size in (size for size in sizes if size >= _SMALLEST):
            resized = [_resized(one, size) for one in requests]
            if not any(map(_hides_all, resized)):
                yield run.test, f"1 stands for {size}", resized


def _requests(exchanges: Sequence[Exchange]) -> list[Request]:
    return [exchange.request for exchange in exchanges]


def _changed(tensor: torch.Tensor, change: _Change) -> torch.Tensor:
    if not tensor.is_floating_point():
        return tensor
    return change(tensor.detach()).requires_grad_(tensor.requires_grad)


def _resized(request: Request, size: int) -> Request:
    """Return a request in which each dimension of this size, and each such number, is 1."""
    header, tensors = request
    parts = {
        name: _number(header[name], size) if name in ("args", "kwargs") else header[name] for name in header
    }
    return parts, [_cut(tensor, size) for tensor in tensors]


def _hides_all(request: Request) -> bool:
    """Whether a row of a mask is all True, so that an answer would have nothing left to go by."""
    masks = (tensor for tensor in request[1] if tensor.dtype == torch.bool and tensor.dim() > 0)
    return any(bool(mask.all(dim=-1).any()) for mask in masks)


def _cut(tensor: torch.Tensor, size: int) -> torch.Tensor:
    for dim in range(tensor.dim()):
        if tensor.shape[dim] == size:
            tensor = tensor.narrow(dim, 0, 1)
    return tensor.detach().clone().requires_grad_(tensor.requires_grad)


def _number(code: Any, size: int) -> Any:
    """Return an argument's code with 1 in the place of the number `size`."""
    match code:
        case {"tuple": list(items)}:
            return {"tuple": [_number(item, size) for item in items]}
        case {"list": list(items)}:
            return {"list": [_number(item, size) for item in items]}
        case {"dict": list(pairs)}:
            return {"dict": [[key, _number(value, size)] for key, value in pairs]}
    return 1 if type(code) is int and code == size else code


def _replies(cells: tuple[str, ...], requests: Sequence[Request]) -> list[Exchange]:
    """Send requests to trusted code, up to the first that it cannot answer."""
    with catch_warnings(action="ignore"):
        backend = Local(run_code(cells))
        return list(_asked(backend, requests))


def _asked(backend: Backend, requests: Sequence[Request]) -> Iterator[Exchange]:
    for header, tensors in requests:
        reply: Reply = backend.ask(header, tensors)
        yield Exchange((header, tensors), reply)
        if "value" not in reply[0]:
            return


def _alike(cells: tuple[str, ...], others: tuple[str, ...], requests: Sequence[Request]) -> bool:
    """Whether two answers agree on a test as it is; where not, a right answer's numbers are its own."""
    return same_exchanges(_replies(cells, requests), _replies(others, requests))


def _first_difference(right: Sequence[Exchange], other: Sequence[Exchange]) -> int | None:
    """Return the place of the first request that the reference answers, and the other otherwise."""
    for place, one in enumerate(right):
        if "value" not in one.reply[0]:
            return None
        if place >= len(other) or not _same(one, other[place]):
            return min(place, len(other) - 1)
    return None


def _same(one: Exchange, other: Exchange) -> bool:
    """Whether two answers are the same, save for what the order of steps makes of large numbers."""
    (header, tensors), (others, those) = one.reply, other.reply
    close = header == others and len(tensors) == len(those) and all(map(_close, tensors, those))
    return close or same_exchanges([one], [other])


def _close(one: torch.Tensor, other: torch.Tensor) -> bool:
    if (one.shape, one.dtype) != (other.shape, other.dtype):
        return False
    one, other = one.detach().double(), other.detach().double()
    largest = one.nan_to_num(0, 0, 0).abs().amax().item() if one.numel() else 0.0
    return torch.allclose(one, other, rtol=_NOISE, atol=_NOISE * max(1.0, largest), equal_nan=True)


def _call(request: Request) -> str:
    header, tensors = request
    shapes = ", ".join(_sizes(tensors))
    return f"{header['op']} with {shapes}" if shapes else str(header["op"])


def _sizes(tensors: Tensors) -> list[str]:
    return [f"{str(tensor.dtype).removeprefix('torch.')} {tuple(tensor.shape)}" for tensor in tensors]


def _told(exchange: Exchange) -> str:
    """Return a few words on an answer."""
    header, tensors = exchange.reply
    if "value" not in header:
        error = header.get("error")
        return f"{error.get('type')}: {error.get('message')}" if isinstance(error, dict) else "no answer"
    numbers = [round(number, 4) for tensor in tensors[:1] for number in tensor.flatten()[:4].tolist()]
    return f"{', '.join(_sizes(tensors)) or header['value']} {numbers}"
