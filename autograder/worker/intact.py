"""Says whether what carries arguments and answers is still what it was before the submission ran.

A submission that puts a method of its own into torch's tensors, or into the socket, is called while arguments
come in and answers go out. What runs then, no recorder sees.
"""

import socket
from operator import is_

import safetensors.torch
import torch

_USED = (torch.Tensor, torch.nn.Parameter, socket.socket, safetensors.torch)


def _state() -> tuple[object, ...]:
    return (torch.frombuffer, *(value for owner in _USED for value in vars(owner).values()))


_BEFORE = _state()  # the objects themselves, so that no other one can get the identity of one of them


def is_intact() -> bool:
    """Whether nothing was added, taken away or replaced since this module was imported."""
    now = _state()
    return len(now) == len(_BEFORE) and all(map(is_, now, _BEFORE))
