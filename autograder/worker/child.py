"""What a forked child does: raise its walls, run the notebook's cells, then answer calls."""

import marshal
import socket
from base64 import b64decode
from collections.abc import Sequence
from typing import Any

from autograder.worker.namespace import Namespace
from autograder.worker.protocol import Header, ProtocolError, Tensors, pack, read_frame, reader
from autograder.worker.shell import Shell
from autograder.worker.walls import confine, die_with_parent


def serve(channel: socket.socket, shell: Shell) -> None:
    """Answer the requests on `channel`, each under its own number, until the grader closes it.

    The first request brings the limits; the walls stand before anything of the submission arrives.
    """
    die_with_parent()
    requests = reader(channel)
    header, _ = read_frame(requests)
    walls = confine(header["limits"])
    channel.sendall(pack({"id": header["id"], "walls": walls}, []))
    namespace = Namespace(shell.variables)
    while True:
        header, tensors = read_frame(requests)
        if header["op"] == "stand in":
            namespace.right = run_compiled(header["code"], header["names"])
        reply, tensors = _answer(header, tensors, shell, namespace)
        shell.variables.update(namespace.right)  # whatever the notebook has defined since
        channel.sendall(_packed({"id": header["id"], **reply}, tensors))


def run_compiled(code: str, names: Sequence[str]) -> dict[str, Any]:
    """Run definitions that the grader has compiled, and return those of some names.

    Only a worker reads marshalled code, which comes from the grader; the grader reads none.
    """
    variables: dict[str, Any] = {"__name__": "given"}
    exec(marshal.loads(b64decode(code)), variables)  # noqa: S102, S302
    return {name: variables[name] for name in names}


def _answer(header: Header, tensors: Tensors, shell: Shell, namespace: Namespace) -> tuple[Header, Tensors]:
    if header["op"] == "stand in":
        return {}, []
    if header["op"] == "cell":
        return shell.run(header["number"], header["code"]), []
    if header["op"] == "try":
        return namespace.tried(header, tensors, lambda one, sent: _answer(one, sent, shell, namespace))
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
