"""What a forked child does: raise its walls, run the notebook's cells, then answer calls.

Python makes code faster that has run a few times, and torch makes much of what it needs at its first use. So
the zygote warms up before it forks children: it runs a cell and answers requests as they will come. No trace
of it is left: no name, and no random number has been drawn.
"""

import io
import socket
import sys

from autograder.worker.namespace import Namespace
from autograder.worker.protocol import Header, Parts, ProtocolError, pack, read_frame, reader
from autograder.worker.shell import Shell
from autograder.worker.walls import confine, die_with_parent

_TIMES = 12  # after eight, Python has made a function's code faster
_CELL = '''
def _counts(words: list, least: int = 1) -> dict:
    """Return how often each of several words occurs."""
    return {word: words.count(word) for word in words if words.count(word) >= least}
class _Words:
    def __init__(self):
        self.words = ["a", "b", "a"]
    def counts(self):
        return _counts(self.words)
def _check():
    seen = _Words().counts()
    assert isinstance(seen, dict), f"return a dict, not a {type(seen).__name__}"
    assert seen == {"a": 2, "b": 1}, f"it is {seen}"
    print("this check passes")
_check()
'''
_TORCH_CELL = '''
import torch
from torch import Tensor, nn
def _attention(x: Tensor, scale: float = 2.0) -> Tensor:
    """Return something like attention."""
    return torch.softmax(x @ x.transpose(-2, -1) / scale, dim=-1) @ x
class _Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2, 2))
    def forward(self, x):
        return _attention(x @ self.weight)
def _check():
    seen = _attention(torch.tensor([[1.0, 2.0], [0.0, 3.0]]))
    assert isinstance(seen, torch.Tensor), f"return a tensor, not a {type(seen).__name__}"
    assert seen.shape == (2, 2), f"its shape is {tuple(seen.shape)}"
    assert torch.allclose(seen, seen, atol=1e-4, rtol=0), f"it is {seen}"
    double = torch.tensor([[1.0, 2.0], [0.0, 3.0]]).double().requires_grad_()
    _attention(double)[0, 0].backward()
    assert double.grad.tolist() and torch.no_grad()
    print("this check passes")
_check()
'''
_REQUESTS: tuple[Header, ...] = (
    {
        "op": "call", "of": {"name": "_counts"}, "fresh": 0,
        "args": {"tuple": [{"list": ["a", "b"]}]}, "kwargs": {"dict": [["least", 2]]},
    },
    {"op": "call", "of": {"name": "_Words"}, "args": {"tuple": []}, "kwargs": {"dict": []}},
    {"op": "define", "source": "def given(x):\n    return x", "name": "given"},
)  # fmt: skip
_PART: Header = {"args": {"tuple": [{"tensor": 0}]}, "kwargs": {"dict": []}}
_TORCH_REQUESTS: tuple[Header, ...] = (
    {"op": "call", "of": {"name": "_attention"}, "fresh": 0, **_PART},
    {"op": "call", "of": {"name": "_attention"}, "record": True, **_PART},
    {"op": "call", "of": {"name": "_Head"}, "args": {"tuple": []}, "kwargs": {"dict": []}},
    {"op": "inspect", "of": {"name": "_attention"}, "weight": {"tensor": 0}, **_PART},
)


def serve(channel: socket.socket, shell: Shell) -> None:
    """Answer the requests on `channel`, each under its own number, until the grader closes it.

    The first request brings the limits; the walls stand before anything of the submission arrives.
    """
    die_with_parent()
    requests = reader(channel)
    header, _ = read_frame(requests)
    walls = confine(header["limits"])
    channel.sendall(pack({"id": header["id"], "walls": walls}, []))
    namespace = Namespace(shell.variables, shell.explained)
    while True:
        header, parts = read_frame(requests)
        if header["op"] == "cell":
            reply, parts = shell.run(header["number"], header["code"]), []
        else:
            reply, parts = namespace.handle(header, parts)
        shell.variables.update(namespace.right)  # whatever the notebook has defined since
        channel.sendall(_packed({"id": header["id"], **reply}, parts))


def _packed(header: Header, parts: Parts) -> bytes:
    """Return the frame of an answer, or that of an error where the answer cannot be sent."""
    try:
        return pack(header, parts)
    except Exception as error:  # a submission's objects may fail in any way
        why = str(error)[:200] if isinstance(error, ProtocolError) else type(error).__name__[:100]
        described = {"type": "ResultError", "message": f"the result cannot be sent: {why}"}
        return pack({"id": header["id"], "error": described}, [])


def warm_up(shell: Shell) -> None:
    """Run a cell and answer requests, several times over."""
    before = dict(shell.variables)
    torch = sys.modules.get("torch")
    state = torch.get_rng_state() if torch is not None else None
    for _ in range(_TIMES):
        namespace = Namespace(shell.variables)
        for cell, requests in ((_CELL, _REQUESTS), (_TORCH_CELL, _TORCH_REQUESTS))[: 1 + (torch is not None)]:
            shell.run(0, cell)
            for request in requests:
                _answer_as_packed(namespace, request)
    for name in shell.variables.keys() - before.keys():
        del shell.variables[name]
    shell.variables.update(before)
    if torch is not None:
        torch.set_rng_state(state)


def _answer_as_packed(namespace: Namespace, request: Header) -> None:
    sent = [sys.modules["torch"].ones(2, 2)] if "tensor" in str(request) else []
    stream = io.BytesIO(pack({"id": "warm", **request}, sent))
    header, parts = read_frame(stream.read)
    reply, answered = namespace.handle(header, parts)
    pack({"id": "warm", **reply}, answered)
