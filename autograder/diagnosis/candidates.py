"""Candidates for a repair: edited code, with the worker's cached replies to the requests of tests."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

from autograder.diagnosis.code import Code
from autograder.diagnosis.fragments import Edit
from autograder.diagnosis.known_results import Mistake
from autograder.testing.exchange import Backend, Exchange, Reply, Request
from autograder.testing.inputs import Inputs
from autograder.testing.suite import HiddenTest, Run
from autograder.worker.protocol import Header, Parts, pack
from autograder.worker.remote_function import Answer


class CandidateRunner(Backend, Protocol):
    """Runs candidates in a worker that gets only disclosed inputs, which students may see."""

    def define(self, code: str) -> bool:
        """Run the code of a candidate. Return False if it raised an error."""


@dataclass(frozen=True, slots=True)
class Repair:
    """Edits and the edited code.

    If no mistakes remain, the edited code passes every test. Else it has the results of known wrong answers.
    """

    edits: tuple[Edit, ...]  # empty for the student's code itself
    code: Code
    remaining: tuple[Mistake, ...] = ()  # the mistakes of the known wrong answers; empty if every test passes
    # If there are two edits: the known mistakes that each of them repairs. Empty if this was not determined.
    repaired: tuple[tuple[Mistake, ...], ...] = ()


@dataclass
class Candidate:
    """Edited code and its cached replies. A request that is not cached goes to the worker."""

    runner: CandidateRunner
    code: Code
    edits: tuple[Edit, ...] = ()
    is_code: bool = True
    is_proven: bool = False  # whether the code has passed all tests on both sets of disclosed inputs
    failure: Run | None = None  # the run of a test that the code fails
    live_request_count: int = 0  # the number of requests so far that had no cached reply
    # By test and inputs: the requests with their replies, and all these replies packed into bytes.
    cached_exchanges: dict[tuple[HiddenTest, Inputs], tuple[list[Exchange], bytes]] = field(
        default_factory=dict
    )

    def ask(self, header: Header, tensors: Parts, answer: Answer | None = None) -> Reply:
        """Return the worker's reply to a request. The worker runs the code before the first request."""
        if not self.live_request_count:
            self.runner.define(self.code.text)
        self.live_request_count += 1
        return self.runner.ask(header, tensors, answer)

    def take(
        self,
        answers: object,
        requests_of: Mapping[HiddenTest, Sequence[Request]],
        inputs: Inputs,
        parts: Iterator[Any],
    ) -> None:
        """Cache the worker's replies to the requests of each test. Raise ValueError if a reply is invalid.

        `answers` has the replies without their tensors, or is None if the code raised an error. `parts`
        yields the tensors.
        """
        self.is_code = isinstance(answers, list)
        for (test, requests), replies in zip(
            requests_of.items(), answers if isinstance(answers, list) else [], strict=False
        ):
            exchanges, sent = list[Exchange](), Parts()
            for request, answer in zip(requests, replies, strict=False):
                match answer:
                    case [dict() as header, int(count)]:
                        exchanges.append(Exchange(request, (header, [*islice(parts, count)])))
                        sent += exchanges[-1].reply[1]
                    case _:
                        raise ValueError("the worker's reply to a request has an invalid form")
            self.cached_exchanges[test, inputs] = exchanges, pack({"value": replies}, sent)
