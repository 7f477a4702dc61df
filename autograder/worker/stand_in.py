"""Stands in for functions of torch that need what is not there where notebooks are graded."""

import sys
from typing import Any

import torch

_NOT_COMPILED = "torch.compile would start a compiler, so here the code runs as it is written.\n"
_NO_GPU = "There is no GPU where notebooks are graded, so tensors are made on the CPU.\n"


def stand_in() -> None:
    """Let @torch.compile and a default device that is missing change nothing, and say so."""
    torch.compile = _compile
    torch.set_default_device = _set_default_device


def _compile(model: Any = None, **_: object) -> Any:
    """Give back what is to be compiled; torch.compile(mode=...) makes a decorator."""
    sys.stderr.write(_NOT_COMPILED)
    return model if model is not None else lambda decorated: decorated


def _set_default_device(device: Any) -> None:
    if device is None or torch.device(device).type in ("cpu", "meta"):
        _original(device)
    else:
        sys.stderr.write(_NO_GPU)


_original = torch.set_default_device
