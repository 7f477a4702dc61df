"""The recorder sees every operator that torch runs in its thread, and says when it was switched off."""

from collections.abc import Callable
from threading import Event, Thread
from warnings import catch_warnings

import pytest
import torch
from torch.utils._python_dispatch import _disable_current_modes

from autograder.worker.operators import LOST, Recorder, checked_operators


def recorded(run: Callable[[], object]) -> set[str]:
    """Return what `run` runs."""
    with Recorder() as recorder:
        run()
    return set(recorder.operators)


def without_modes(x: torch.Tensor) -> torch.Tensor:
    with _disable_current_modes(), torch._C.DisableTorchFunction():
        return x.dot(x)


class Hidden(torch.autograd.Function):
    @staticmethod
    def forward(context: object, x: torch.Tensor) -> torch.Tensor:
        return x.dot(x)


class Dots(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.dot(x)


X = torch.arange(4.0)
with catch_warnings(action="ignore"):  # it is deprecated, and still there to be used
    # To check the trace would import hundreds of modules.
    TRACED = torch.jit.trace(Dots(), X, check_trace=False)  # type: ignore[no-untyped-call]


@pytest.mark.parametrize(
    ("run", "name"),
    [
        (lambda: X.dot(X), "dot"),
        (lambda: torch.einsum("i,i->", X, X), "einsum"),
        (lambda: torch.conv1d(X[None], X[None, None]), "conv1d"),
        (lambda: torch.linalg.vecdot(X, X), "linalg_vecdot"),
        (lambda: torch._safe_softmax(X, 0), "_safe_softmax"),
        (lambda: torch.distributions.Categorical(logits=X), "logsumexp"),
        (lambda: torch.ops.aten.dot.default(X, X), "dot"),
        (lambda: torch.inference_mode()(X.dot)(X), "dot"),
        (lambda: torch.vmap(torch.dot)(X[None], X[None]), "dot"),
        (lambda: Hidden.apply(X), "dot"),  # type: ignore[no-untyped-call]
        (lambda: TRACED(X), "dot"),
        (lambda: without_modes(X), "dot"),
        (lambda: X.clone().add_(1), "add_"),
    ],
)
def test_an_operator_is_seen_however_it_is_called(run: Callable[[], object], name: str) -> None:
    assert name in recorded(run)


def test_a_loop_shows_what_it_needs_and_no_more() -> None:
    def loop() -> torch.Tensor:
        total = torch.zeros(())
        for x, y in zip(X, X, strict=True):
            total = total + x * y
        return total

    operators = {"zeros", "empty", "zero_", "fill_", "unbind", "select", "as_strided", "mul", "add"}
    assert recorded(loop) <= operators


def test_printing_adds_nothing_up() -> None:
    seen = recorded(lambda: repr(X))
    assert "masked_select" in seen
    assert "sum" not in seen


def test_what_ran_before_and_after_is_not_seen_nor_is_a_number_changed() -> None:
    X.dot(X)
    with Recorder() as recorder:
        seen = (X * 3).tolist()
    X.dot(X)
    assert "dot" not in recorder.operators
    assert seen == [0, 3, 6, 9]


def test_a_recorder_that_was_switched_off_says_so() -> None:
    assert LOST in recorded(torch._C._autograd._disable_profiler_legacy)


def test_what_copies_an_answer_is_left_out_and_what_computes_meanwhile_is_not() -> None:
    with Recorder() as recorder:
        X.clone()
        recorder.ignore_copies()
        torch.ones(2, 3).mT.detach().permute(1, 0).contiguous()
        X.dot(X)
    assert set(recorder.operators) & {"clone", "detach", "permute", "dot"} == {"clone", "dot"}


def test_a_thread_that_computes_meanwhile_is_noticed_and_one_that_waits_is_not() -> None:
    ready, begin, done = (Event() for _ in range(3))

    def compute() -> None:
        ready.set()
        begin.wait()
        X.dot(X)
        done.set()

    def meanwhile() -> None:
        begin.set()
        done.wait()

    (thread := Thread(target=compute, daemon=True)).start()
    ready.wait()
    while LOST in recorded(lambda: X + 1):
        pass  # it does not wait yet
    assert LOST in recorded(meanwhile)
    thread.join()
    assert LOST not in recorded(lambda: X + 1)


def test_what_code_puts_into_torch_does_not_reach_the_recorder(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "dot" in recorded(lambda: X.dot(X))
    monkeypatch.setattr(torch._C._autograd, "_disable_profiler_legacy", list)
    monkeypatch.setattr(torch._C._autograd.ProfilerEvent, "name", lambda _: "aten::mul")
    seen = recorded(lambda: X.dot(X))
    assert "dot" in seen
    assert not {"mul", LOST} & seen


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        (["mul", "add"], {"mul", "add"}),
        ([], set()),
        (None, {LOST}),
        ({"mul": 1}, {LOST}),
        (["mul", 3], {"mul", LOST}),
        (["x" * 1000], {LOST}),
        ([str(number) for number in range(1000)], {LOST}),
    ],
)
def test_what_a_worker_says_is_checked(said: object, taken: set[str]) -> None:
    assert checked_operators(said) == taken
