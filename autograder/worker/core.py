"""The parts of torch's core that a worker uses, read before the first cell runs.

A cell may replace attributes of torch's modules and Python classes, or enter a mode of torch and never leave
it. This does not change references that were read before. The core's class of tensors is immutable.
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
    """Return the parts of torch's core, as they are at the first call."""
    torch = sys.modules["torch"]
    native: Any = torch._C
    state, experimental = native._profiler.ProfilerState.CPU, native._profiler._ExperimentalConfig()
    no_details = (False,) * 5  # shapes, memory, stacks, floating-point operations, modules
    return Core(
        native.TensorBase, (torch.Tensor, torch.nn.Parameter),
        native.DisableTorchFunction, native._DisableTorchDispatch, torch.contiguous_format, torch.strided,
        torch.autograd.backward,
        native._autograd._enable_profiler_legacy, native._autograd._disable_profiler_legacy,
        native._autograd.ProfilerEvent.kind, native._autograd.ProfilerEvent.name,
        native._profiler.ProfilerConfig(state, *no_details, experimental),
    )  # fmt: skip


def prepare() -> None:
    """If torch is loaded, read its core and remove the functions that switch its recording on and off."""
    if (torch := sys.modules.get("torch")) is None:
        return
    core()
    legacy = sys.modules.get("torch.autograd.profiler_legacy", torch.autograd)
    for module in (torch._C._autograd, torch.autograd, legacy):
        for name in ("_enable_record_function", "_enable_profiler_legacy", "_disable_profiler_legacy"):
            vars(module).pop(name, None)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Read and copy tensors in the `with` block without any code of a submission."""
    if sys.modules.get("torch") is None:  # torch is not loaded, or None in sys.modules blocks its import
        yield
        return
    with core().without_functions(), core().without_dispatch():
        yield
