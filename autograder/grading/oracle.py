"""Answers what a submission asks of earlier questions' functions, by the reference, in a process of its own.

The process is forked from the grader's and stands on the grader's side: a worker sees arguments go out and
results come back, and nothing else. What a submission sends is anybody's bytes, so the process has limits on
memory and time, takes plain values alone, and remembers nothing from one call to the next. It dies alone; the
calls that follow are then refused.
"""

import os
import resource
import signal
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import torch

from autograder.course.settings import Limits
from autograder.sandbox.process import DeadlineError, DiedError, Worker
from autograder.worker.callback import refuse, tensors_in
from autograder.worker.protocol import (
    Decoder,
    Encoder,
    Header,
    ProtocolError,
    Tensors,
    pack,
    read_frame,
    reader,
)
from autograder.worker.walls import die_with_parent

MAX_CALLS = 20_000
MAX_BYTES = 64 << 20  # of all arguments together
_PARTS = ("calls", "args", "kwargs", "grad", "weights")  # of a call, all else is left out
_REFUSED: Header = {"error": "RuntimeError"}
_MAX_DESCRIPTOR = 65536
Functions = Mapping[str, Callable[..., Any]]
Reply = tuple[Header, Tensors]


class Oracle:
    """The grader's end of the process that answers calls of some of the reference's functions."""

    def __init__(self, process: Worker, names: frozenset[str]) -> None:
        self.names = names
        self._process = process
        self._left, self._bytes = MAX_CALLS, MAX_BYTES
        self._lives = True

    @property
    def seconds(self) -> float:
        """How long the process has computed so far."""
        return self._process.seconds

    def answer(self, header: Header, tensors: Tensors, seconds: float) -> Reply:
        """Return the answer to one call; a ProtocolError where a submission asks for more than it may."""
        name = header.get("calls")
        self._left -= 1
        self._bytes -= sum(tensor.nbytes for tensor in tensors)
        if not isinstance(name, str) or name not in self.names or self._left < 0 or self._bytes < 0:
            raise ProtocolError("a submission asks for what no answer is given to")
        if not self._lives:
            return _REFUSED, []
        try:
            asked = {part: header[part] for part in _PARTS if part in header}
            return self._process.ask(asked, tensors, seconds)
        except (DiedError, DeadlineError) as error:
            self._lives = False
            if isinstance(error, DeadlineError):
                raise
            return _REFUSED, []
        except ValueError:  # a number such as 1e999 can be read, but not be written again
            raise ProtocolError("a call holds a number that is none") from None


@contextmanager
def oracle(functions: Functions, limits: Limits) -> Iterator[Oracle]:
    """Start a process that answers calls of these functions of the reference; it ends with the block."""
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        with suppress(BaseException):  # the child must never go on as a second grader
            _enter(theirs, limits)
            _serve(theirs, functions)
        os._exit(0)
    theirs.close()
    process = Worker(ours, os.pidfd_open(child), lambda: os.waitpid(child, 0)[1])
    try:
        yield Oracle(process, frozenset(functions))
    finally:
        process.close()


def _enter(channel: socket.socket, limits: Limits) -> None:
    """Give the forked process limits, and let it hold no file of the grader's."""
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started all this
    os.closerange(3, channel.fileno())
    os.closerange(channel.fileno() + 1, _MAX_DESCRIPTOR)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    memory = pages * resource.getpagesize() + (limits.memory_mb << 20)
    for kind, bound in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, int(limits.total_seconds) + 1),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError):  # the hard limit is lower already
            resource.setrlimit(kind, (bound, bound))


def _serve(channel: socket.socket, functions: Functions) -> None:
    """Answer calls, one after another, until the grader closes the channel."""
    requests = reader(channel)
    while True:
        header, tensors = read_frame(requests)
        number = {"id": header["id"]}
        try:
            reply, answered = answer(functions, header, tensors)
            frame = pack({**number, **reply}, answered)
        except Exception as error:  # its words would quote the reference
            frame = pack({**number, "error": type(error).__name__}, [])
        channel.sendall(frame)


def answer(functions: Functions, header: Header, tensors: Tensors) -> Reply:
    """Return what the function gives that is called; or, if there are weights, its inputs' gradients."""
    torch.default_generator.manual_seed(0)
    decoder = Decoder(tensors, refuse)
    args, kwargs = decoder.decode(header["args"]), decoder.decode(header["kwargs"])
    with torch.set_grad_enabled(header["grad"] is True):
        value = functions[header["calls"]](*args, **kwargs)
    if "weights" not in header:
        encoder = Encoder(refuse)
        return {"value": encoder.encode(value)}, encoder.tensors
    weights = [None if index is None else tensors[index] for index in header["weights"]]
    pairs = [
        (output, weight)
        for output, weight in zip(tensors_in(value), weights, strict=True)
        if weight is not None and output.requires_grad
    ]
    inputs = [one for one in tensors_in((args, kwargs)) if one.requires_grad]
    # Outputs with weights of their own would do, too, but for those torch first imports all of sympy.
    weighed = torch.stack([(output * weight).sum() for output, weight in pairs]).sum()
    gradients = torch.autograd.grad(weighed, inputs, allow_unused=True)
    there = [gradient.contiguous() for gradient in gradients if gradient is not None]
    places = iter(range(len(there)))
    return {"gradients": [None if one is None else next(places) for one in gradients]}, there
