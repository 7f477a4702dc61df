"""The recorder sees every operator that torch runs in its thread, and says when it may have missed some."""

import threading
from collections.abc import Callable
from warnings import catch_warnings

import pytest
import torch
from torch.utils._python_dispatch import _disable_current_modes

from autograder.worker.operators import LOST, MANY, MAX_NAME, MAX_OPERATORS, THREAD, Recorder


def recorded(run: Callable[[], object]) -> set[str]:
    """Return what `run` runs; that the test itself may run beside other threads does not count."""
    with Recorder() as recorder:
        run()
    return set(recorder.operators) - {THREAD}


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
    assert "sum" not in recorded(lambda: repr(X))
    assert "masked_select" in recorded(lambda: repr(X))


def test_what_ran_before_and_after_is_not_seen_nor_is_a_number_changed() -> None:
    X.dot(X)
    with Recorder() as recorder:
        seen = (X * 3).tolist()
    X.dot(X)
    assert "dot" not in recorder.operators
    assert seen == [0, 3, 6, 9]


def test_an_error_ends_the_recording() -> None:
    recorder = Recorder()
    with pytest.raises(RuntimeError), recorder:
        X.dot(torch.ones(3))
    assert "dot" in recorder.operators
    assert recorded(lambda: X + X) == {"add"}


def test_another_thread_is_noted() -> None:
    with Recorder() as recorder:
        thread = threading.Thread(target=lambda: X.dot(X))
        thread.start()
        thread.join()
    assert THREAD in recorder.operators


def test_a_recorder_that_was_switched_off_says_so() -> None:
    assert LOST in recorded(torch._C._autograd._disable_profiler_legacy)


def test_a_long_loop_is_emptied_again_and_again() -> None:
    recorder = Recorder()
    with recorder:
        X.dot(X)
        recorder._empty()  # as the alarm does
        X.mul(X)
        assert set(recorder.operators) - {THREAD} == {"dot", "empty", "fill_"}
    assert "mul" in recorder.operators
    recorder._empty()  # an alarm that comes late does nothing
    assert recorded(lambda: X + X) == {"add"}


def test_what_is_said_is_bounded() -> None:
    recorder = Recorder()
    recorder._names = {"aten::" + "x" * 1000} | {f"a::{number}" for number in range(5000)}
    assert len(recorder.operators) == MAX_OPERATORS
    assert MANY in recorder.operators
    assert max(map(len, recorder.operators)) <= MAX_NAME
