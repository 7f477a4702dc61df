"""What a forked child does: run the notebook's cells, then answer calls until the grader hangs up."""

import resource
import socket
from typing import Any

from autograder.worker.namespace import Namespace
from autograder.worker.protocol import Header, ProtocolError, Tensors, pack, read_frame
from autograder.worker.shell import Shell


def serve(channel: socket.socket, shell: Shell) -> None:
    """Answer requests on `channel`, each under the number it came with, until it closes."""
    header, _ = read_frame(lambda count: _receive(channel, count))
    _confine(header["limits"])
    channel.sendall(pack({"id": header["id"], "value": None}, []))
    namespace = Namespace(shell.variables)
    while True:
        header, tensors = read_frame(lambda count: _receive(channel, count))
        reply, tensors = _answer(header, tensors, shell, namespace)
        channel.sendall(_packed({"id": header["id"], **reply}, tensors))


def _answer(header: Header, tensors: Tensors, shell: Shell, namespace: Namespace) -> tuple[Header, Tensors]:
    if header["op"] == "cell":
        return shell.run(header["number"], header["code"]), []
    return namespace.handle(header, tensors)


def _packed(header: Header, tensors: Tensors) -> bytes:
    try:
        return pack(header, tensors)
    except (ProtocolError, RecursionError, MemoryError, RuntimeError, ValueError) as error:
        described = {"type": "ResultError", "message": f"the result cannot be sent: {error}"[:200]}
        return pack({"id": header["id"], "error": described}, [])


def _confine(limits: dict[str, Any]) -> None:
    """Lower this process's own limits; it cannot raise them again."""
    memory = _size() + (int(limits["memory_mb"]) << 20)
    for kind, limit in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, int(limits["cpu_seconds"])),
        (resource.RLIMIT_FSIZE, 64 << 20),
        (resource.RLIMIT_NOFILE, 256),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (limit, limit))


def _size() -> int:
    """Return the bytes of address space that this process has already."""
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - before any wall stands
        return int(file.read().split()[0]) * resource.getpagesize()


def _receive(channel: socket.socket, count: int) -> bytes:
    chunks = bytearray()
    while len(chunks) < count:
        chunk = channel.recv(min(count - len(chunks), 1 << 20))
        if not chunk:
            raise EOFError
        chunks += chunk
    return bytes(chunks)
