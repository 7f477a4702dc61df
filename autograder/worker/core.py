"""References to classes and functions of torch, taken before the first cell runs.

A cell may replace attributes of torch's modules and Python classes, or enter a mode of torch and never leave
it. This does not affect the references. Attributes of torch._C.TensorBase, which read tensors, cannot be
replaced.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NamedTuple


class Core(NamedTuple):
    """The classes and functions of torch that read tensors, record operators and differentiate."""

    tensor: Any  # torch._C.TensorBase
    plain: tuple[type, ...]  # the types of tensors that are sent
    without_functions: Any  # a context manager that turns off __torch_function__ and its modes
    without_dispatch: Any  # a context manager that turns off __torch_dispatch__ and its modes
    contiguous: Any
    strided: Any
    backward: Any
    enable_profiler: Any
    disable_profiler: Any
    event_kind: Any
    event_name: Any
    profiler_config: Any


@lru_cache(1)
def core() -> Core:
    """Return the references. They are taken at the first call."""
    torch = sys.modules["torch"]
    native: Any = torch._C
    state, experimental = native._profiler.ProfilerState.CPU, native._profiler._ExperimentalConfig()
    no_details = (False,) * 5  # do not record shapes, memory, stacks, operation counts and modules
    return Core(
        native.TensorBase, (torch.Tensor, torch.nn.Parameter),
        native.DisableTorchFunction, native._DisableTorchDispatch, torch.contiguous_format, torch.strided,
        torch.autograd.backward,
        native._autograd._enable_profiler_legacy, native._autograd._disable_profiler_legacy,
        native._autograd.ProfilerEvent.kind, native._autograd.ProfilerEvent.name,
        native._profiler.ProfilerConfig(state, *no_details, experimental),
    )  # fmt: skip


def prepare() -> None:
    """If torch is loaded, take the references, and remove functions that could stop `operators.Recorder`."""
    if (torch := sys.modules.get("torch")) is None:
        return
    core()
    legacy = sys.modules.get("torch.autograd.profiler_legacy", torch.autograd)
    for module in (torch._C._autograd, torch.autograd, legacy):
        for name in ("_enable_record_function", "_enable_profiler_legacy", "_disable_profiler_legacy"):
            vars(module).pop(name, None)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let torch read and copy tensors in the `with` block without running any code of the submission."""
    if sys.modules.get("torch") is None:  # torch is not loaded, or its import is forbidden
        yield
        return
    with core().without_functions(), core().without_dispatch():
        yield
