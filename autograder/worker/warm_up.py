"""Lets the zygote do once, for all its children, what is slow at first; each child begins where it ends.

Python makes code faster that has run a few times, and torch makes much of what it needs at its first use.
So the zygote runs a cell and answers requests as they will come. No trace of it is left: no name, and no
random number has been drawn.
"""

import io

import torch

from autograder.worker.namespace import Namespace
from autograder.worker.protocol import Header, pack, read_frame
from autograder.worker.shell import Shell
from autograder.worker.walls import prepare

_TIMES = 12  # after eight, Python has made a function's code faster
_CELL = '''
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
_PART: Header = {"args": {"tuple": [{"tensor": 0}]}, "kwargs": {"dict": []}}
_REQUESTS: tuple[Header, ...] = (
    {"op": "call", "of": {"name": "_attention"}, "fresh": 0, **_PART},
    {"op": "call", "of": {"name": "_attention"}, "record": True, **_PART},
    {"op": "call", "of": {"name": "_Head"}, "args": {"tuple": []}, "kwargs": {"dict": []}},
    {"op": "inspect", "of": {"name": "_attention"}, "weight": {"tensor": 0}, **_PART},
    {"op": "define", "source": "def given(x):\n    return x", "name": "given"},
)


def warm_up(shell: Shell) -> None:
    """Run a cell and answer requests, several times over; and look up what the walls need to know."""
    prepare()
    before = dict(shell.variables)
    state = torch.get_rng_state()
    for _ in range(_TIMES):
        shell.run(0, _CELL)
        namespace = Namespace(shell.variables)
        for request in _REQUESTS:
            _answer(namespace, request)
    for name in shell.variables.keys() - before.keys():
        del shell.variables[name]
    shell.variables.update(before)
    torch.set_rng_state(state)


def _answer(namespace: Namespace, request: Header) -> None:
    sent = [torch.ones(2, 2)] if "tensor" in str(request) else []
    stream = io.BytesIO(pack({"id": "warm", **request}, sent))
    header, tensors = read_frame(stream.read)
    reply, tensors = namespace.handle(header, tensors)
    pack({"id": "warm", **reply}, tensors)
