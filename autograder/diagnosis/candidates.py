"""Candidates for a repair: edited code with its cached answers to the requests of tests."""

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
    """Runs candidates, in a worker that has never received a hidden input."""

    def define(self, code: str) -> bool:
        """Run the code of a candidate, and return whether it succeeded."""


@dataclass(frozen=True, slots=True)
class Repair:
    """Edits, and the code after them, which passes every test or still has a known mistake."""

    edits: tuple[Edit, ...]
    code: Code
    # The known mistakes with the same results as the code after the edits; none if it passes every test.
    remaining: tuple[Mistake, ...] = ()
    # For each of two edits, the known mistakes with the same results as the code after the other edit alone.
    repaired: tuple[tuple[Mistake, ...], ...] = ()


@dataclass
class Candidate:
    """Edited code and its cached answers. If a test makes another request, the worker runs the code."""

    runner: CandidateRunner
    code: Code
    edits: tuple[Edit, ...] = ()
    is_code: bool = True
    is_proven: bool = False  # whether it has passed all tests, on both sets of inputs
    failure: Run | None = None  # the run of the test that it fails
    live_request_count: int = 0  # requests that the worker answered; before the first, it runs the code
    # A test's requests with the candidate's answers, and these answers as bytes.
    cached_exchanges: dict[tuple[HiddenTest, Inputs], tuple[list[Exchange], bytes]] = field(
        default_factory=dict
    )

    def ask(self, header: Header, tensors: Parts, answer: Answer | None = None) -> Reply:
        """Return the worker's answer to a request."""
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
        """Cache the answers to the requests of tests. Raise ValueError if their form is invalid."""
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
                        raise ValueError("an answer has an invalid form")
            self.cached_exchanges[test, inputs] = exchanges, pack({"value": replies}, sent)
