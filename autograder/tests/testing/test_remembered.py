"""What a solution has answered is not computed again, unless a test asks something else."""

import pytest
import torch

from autograder.testing.exchange import Exchange, Reply, Request
from autograder.testing.remembered import FromMemory, remember
from autograder.worker.protocol import Header, Parts


class Adding:
    """A backend that adds up what it has got since the last fresh start, and notes what it is asked."""

    def __init__(self) -> None:
        self.asked: list[Header] = []
        self._sum = torch.zeros(2)

    def ask(self, header: Header, tensors: Parts) -> Reply:
        self.asked.append(header)
        self._sum = (torch.zeros(2) if "fresh" in header else self._sum) + sum(tensors)
        return {"value": {"tensor": 0}}, [self._sum.clone()]


FIRST, SECOND, THIRD = {"op": "call", "fresh": 3}, {"op": "call", "number": 1}, {"op": "call"}
ONES = torch.ones(2)


def told(reply: Reply) -> list[float]:
    values: list[float] = reply[1][0].tolist()
    return values


def exchanges(requests: list[Request]) -> list[Exchange]:
    backend = Adding()
    return [Exchange(one, backend.ask(*one)) for one in requests]


def test_what_was_asked_before_is_answered_without_asking_and_cannot_be_spoilt() -> None:
    before = exchanges([(FIRST, [ONES.clone()]), (SECOND, [ONES.clone()])])
    memory = remember(before)
    for exchange in before:  # a test may change what it has sent and got
        exchange.request[1][0].zero_()
        exchange.reply[1][0].zero_()
    for _ in range(2):
        backend = Adding()
        remembering = FromMemory(backend, memory)
        replies = [remembering.ask(FIRST, [ONES]), remembering.ask(SECOND, [ONES])]
        assert [told(reply) for reply in replies] == [[1, 1], [2, 2]]
        assert backend.asked == []
        replies[1][1][0].zero_()
        assert told(remembering.ask(THIRD, [ONES])) == [3, 3]
        assert backend.asked == [FIRST, SECOND, THIRD]


@pytest.mark.parametrize(
    ("header", "tensor"),
    [
        (SECOND, torch.tensor([1.0, 2.0])),
        (SECOND, torch.ones(2, dtype=torch.float64)),
        (SECOND, torch.ones(2, requires_grad=True)),
        (SECOND, torch.ones(1).expand(2)),
        ({**SECOND, "number": 1.0}, ONES),
        ({**SECOND, "number": True}, ONES),
        (SECOND, None),
    ],
)
def test_what_differs_in_anything_is_asked_after_all_that_came_before(
    header: Header, tensor: torch.Tensor | None
) -> None:
    memory = remember(exchanges([(FIRST, [ONES]), (SECOND, [ONES])]))
    backend, alone = Adding(), Adding()
    remembering = FromMemory(backend, memory)
    sent = [] if tensor is None else [tensor]
    for request in ((FIRST, [ONES]), (header, sent), (SECOND, [ONES])):
        assert told(remembering.ask(*request)) == told(alone.ask(*request))
    assert repr(backend.asked) == repr(alone.asked)  # 1, 1.0 and True are equal


def test_noughts_of_two_signs_differ_and_what_is_no_number_is_the_same() -> None:
    odd = torch.tensor([0.0, float("nan")])
    memory = remember(exchanges([(FIRST, [odd])]))
    assert memory.has(0, (FIRST, [odd.clone()]))
    assert not memory.has(0, (FIRST, [torch.tensor([-0.0, float("nan")])]))
