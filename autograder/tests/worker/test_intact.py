"""What carries arguments and answers is looked at, and nothing that torch does by itself changes it."""

import builtins
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import torch
from torch._C import _autograd

from autograder.worker import child, intact, namespace, operators
from autograder.worker.intact import guard, is_intact


@contextmanager
def put(owner: object, name: str, value: object) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, value, raising=False)
        yield


def test_whatever_is_put_in_between_is_seen() -> None:
    assert is_intact()
    for owner, name in (
        (torch.Tensor, "detach"),  # replaced
        (torch.Tensor, "nbytes"),  # put in front of what the class inherits
        (torch.nn.Parameter, "shape"),
        (torch, "frombuffer"),
        (socket.socket, "recv"),
    ):
        with put(owner, name, print):
            assert not is_intact(), name


def test_nothing_that_torch_does_by_itself_is_a_change() -> None:
    torch.func.vmap(torch.sin)(torch.ones(2, 2))
    torch.nn.MultiheadAttention(4, 2)(*[torch.ones(1, 2, 4)] * 3)[0].sum().backward()
    torch.autograd.functional.jacobian(torch.exp, torch.ones(2))  # type: ignore[no-untyped-call]
    assert is_intact()


class Ended(BaseException):
    """What the end of the process is here."""


def end(_: int) -> None:
    raise Ended


def others(_: object) -> Iterator[str]:
    yield "mul"


def test_a_change_of_our_own_code_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "_exit", end)
    look = guard()
    for owner, name in (
        (operators.Recorder, "operators"),
        (namespace, "Recorder"),
        (namespace.Namespace, "_answer"),
        (child, "pack"),
        (child, "sorted"),  # in front of Python's own
        (intact, "is_intact"),
        (_autograd, "_disable_profiler_legacy"),
        (threading, "setprofile"),
        (builtins, "sorted"),
    ):
        with put(owner, name, lambda *_: ["mul"]), pytest.raises(Ended):
            look()
    look()
    monkeypatch.setattr(operators._names, "__code__", others.__code__)
    with pytest.raises(Ended):
        look()
