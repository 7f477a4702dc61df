"""The process that imports torch once and forks a child for each submission; run by exec, never imported.

Its end of a socket is descriptor 3. A one-byte message "f", with a socket attached, forks a child that
serves on that socket in a scratch folder of its own; the answer is the child's process id with a pidfd
attached. "w" and an id waits for a dead child, removes its folder and answers with its wait status.
"""

import contextlib
import os
import shutil
import socket
import struct
import tempfile
from pathlib import Path

os.environ.update(OMP_NUM_THREADS="1", MKL_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MPLBACKEND="agg")

import matplotlib.pyplot as plt
import torch

from autograder.worker.child import serve
from autograder.worker.shell import Shell

CONTROL = 3
WARM_UP = """
import torch as _torch
_torch.nn.Linear(2, 2)(_torch.zeros(1, 2)).sum().backward()
del _torch
"""
_ID = struct.Struct("!i")


def main() -> None:
    """Warm up, say so, then fork and reap until the grader closes its end."""
    torch.set_num_threads(1)
    control = socket.socket(fileno=CONTROL)
    with tempfile.TemporaryDirectory(prefix="worker-") as scratch:
        os.environ.update(HOME=scratch, IPYTHONDIR=scratch)
        plt.ioff()
        shell = Shell()
        shell.run(0, WARM_UP)
        control.sendall(b"r")
        _obey(control, shell, Path(scratch))


def _obey(control: socket.socket, shell: Shell, scratch: Path) -> None:
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 1 + _ID.size, 1)
        match message[:1]:
            case b"f":
                _fork(control, descriptors[0], shell, scratch)
            case b"w":
                (child,) = _ID.unpack(message[1:])
                _, status = os.waitpid(child, 0)
                shutil.rmtree(scratch / str(child), ignore_errors=True)
                control.sendall(_ID.pack(status))
            case _:
                return


def _fork(control: socket.socket, descriptor: int, shell: Shell, scratch: Path) -> None:
    child = os.fork()
    if child == 0:
        control.close()
        folder = scratch / str(os.getpid())
        folder.mkdir()
        os.chdir(folder)
        with contextlib.suppress(BaseException):
            serve(socket.socket(fileno=descriptor), shell)
        os._exit(0)
    os.close(descriptor)
    handle = os.pidfd_open(child)
    socket.send_fds(control, [_ID.pack(child)], [handle])
    os.close(handle)


if __name__ == "__main__":
    main()
