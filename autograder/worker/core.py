"""The parts of torch's core on which a worker relies, as they were before the first cell.

A cell may replace attributes of torch's modules and of its classes in Python, or enter a mode of torch and
never leave it. What is read here once stays as it was. The class of tensors in the core is immutable.
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
    without_functions: Any  # ignores __torch_function__ and its modes in a `with` block
    without_dispatch: Any  # the same for __torch_dispatch__
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
    own: Any = torch._C
    state, experimental = own._profiler.ProfilerState.CPU, own._profiler._ExperimentalConfig()
    neither = (False,) * 5  # shapes, memory, stacks, floating-point operations, modules
    return Core(
        own.TensorBase, (torch.Tensor, torch.nn.Parameter),
        own.DisableTorchFunction, own._DisableTorchDispatch, torch.contiguous_format, torch.strided,
        torch.autograd.backward,
        own._autograd._enable_profiler_legacy, own._autograd._disable_profiler_legacy,
        own._autograd.ProfilerEvent.kind, own._autograd.ProfilerEvent.name,
        own._profiler.ProfilerConfig(state, *neither, experimental),
    )  # fmt: skip


def prepare() -> None:
    """Read the core, if there is torch, and remove the functions that switch its recording off and on."""
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
    if sys.modules.get("torch") is None:  # it is None where it was kept from being loaded
        yield
        return
    with core().without_functions(), core().without_dispatch():
        yield
