"""What a forked child does: raise its walls, run the notebook's cells, then answer calls."""

import socket

from autograder.worker.namespace import Namespace
from autograder.worker.protocol import Header, ProtocolError, Tensors, pack, read_frame
from autograder.worker.shell import Shell
from autograder.worker.walls import confine, die_with_parent


def serve(channel: socket.socket, shell: Shell) -> None:
    """Answer the requests on `channel`, each under its own number, until the grader closes it.

    The first request brings the limits; the walls stand before anything of the submission arrives.
    """
    die_with_parent()
    header, _ = read_frame(lambda count: _receive(channel, count))
    walls = confine(header["limits"])
    channel.sendall(pack({"id": header["id"], "walls": walls}, []))
    namespace = Namespace(shell.variables)
    while True:
        header, tensors = read_frame(lambda count: _receive(channel, count))
        reply, tensors = _answer(header, tensors, shell, namespace)
        channel.sendall(_packed({"id": header["id"], **reply}, tensors))


def _answer(header: Header, tensors: Tensors, shell: Shell, namespace: Namespace) -> tuple[Header, Tensors]:
    if header["op"] == "cell":
        return shell.run(header["number"], header["code"]), []
    reply, tensors = namespace.handle(header, tensors)
    return ({**reply, "error": shell.explained(reply["error"])} if "error" in reply else reply), tensors


def _packed(header: Header, tensors: Tensors) -> bytes:
    """Return the frame of an answer, or that of an error where the answer cannot be sent."""
    try:
        return pack(header, tensors)
    except Exception as error:  # a submission's objects may fail in any way
        why = str(error)[:200] if isinstance(error, ProtocolError) else type(error).__name__[:100]
        described = {"type": "ResultError", "message": f"the result cannot be sent: {why}"}
        return pack({"id": header["id"], "error": described}, [])


def _receive(channel: socket.socket, count: int) -> bytes:
    """Return exactly `count` bytes; EOFError at the end of the connection ends the child."""
    chunks = bytearray()
    while len(chunks) < count:
        if not (chunk := channel.recv(min(count - len(chunks), 1 << 20))):
            raise EOFError
        chunks += chunk
    return bytes(chunks)
