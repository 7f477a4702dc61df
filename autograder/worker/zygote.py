"""The process that imports a course's packages once and then forks a child for each submission.

A child confines itself, runs the notebook's cells, and replies to the requests of hidden tests.

The grader runs this module in a new process, whose descriptor 3 is a socket to the grader. The zygote sends
"r" when it is ready, and then replies to four messages:

- "f", sent with a socket: fork a child, which replies to requests on the socket and has its own scratch
  folder. The reply is the child's process id, sent with a pidfd.
- "w", sent with a child's process id: wait until the child ends, and remove its folder. The reply is the wait
  status.
- "o": make an optimizer, because torch imports further modules for the first optimizer. Children that are
  forked later inherit these modules. The reply is "r".
- "p": import matplotlib for all children that are forked later. The reply is "r".
"""

import contextlib
import gc
import os
import platform
import resource
import secrets
import select
import shutil
import signal
import socket
import struct
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path

from autograder.worker import seccomp
from autograder.worker.core import prepare
from autograder.worker.namespace import Namespace
from autograder.worker.protocol import Header, Parts, ProtocolError, Receive, pack, read_frame, reader
from autograder.worker.remote_function import unanswered
from autograder.worker.scratch import exceeds, lay_file, remove, temporary_folder
from autograder.worker.shell import Shell
from autograder.worker.stand_in import WrittenModules
from autograder.worker.walls import confine, die_with_parent

CONTROL = 3
_CHANNEL = 4  # a child's only descriptor besides the standard ones: its socket to the grader
_WARM_UP = """
import torch as _torch
_torch.softmax(_torch.nn.Linear(2, 2)(_torch.zeros(1, 2)), dim=-1).sum().backward()
del _torch
"""
_WARMED_MODULES = {"numpy": "numpy.random"}  # submodules that a package imports only at their first use
_ID = struct.Struct("!i")
_WATCH_SECONDS = 0.1
_MAX_DESCRIPTOR = 256


Serve = Callable[[socket.socket], None]  # the main function of a child


def main(fonts: Path, packages: Sequence[str]) -> None:
    """Warm up, send "r" to the grader, and obey its messages until the grader closes its end of the socket.

    `packages` are the modules that children will import. `fonts` is the folder of matplotlib's font cache.
    The cache is copied, because making a new cache is slow.
    """
    # The kernel sends SIGTERM when the grader dies. Then the `with` block below removes the workers' folders.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    die_with_parent(signal.SIGTERM)
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    with contextlib.suppress(ValueError, OSError):  # workers should not inherit the grader's limit of memory
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    control = socket.socket(fileno=CONTROL)
    with temporary_folder(Path(tempfile.gettempdir())) as scratch:
        _set_environment(scratch, fonts)
        serve = _warm(packages)
        _touch_proc()
        control.sendall(b"r")
        _obey(control, serve, scratch)
        # The SIGTERM that follows the grader's death must not interrupt the removal of the folders.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _set_environment(scratch: Path, fonts: Path) -> None:
    matplotlib = scratch / "matplotlib"
    matplotlib.mkdir()
    for font_list in fonts.glob("fontlist-*.json"):
        shutil.copy(font_list, matplotlib)
    os.environ.update(
        HOME=str(scratch), IPYTHONDIR=str(scratch), MPLCONFIGDIR=str(matplotlib), MPLBACKEND="agg",
        OMP_NUM_THREADS="1", MKL_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1",
    )  # fmt: skip
    os.environ.pop("PYTHONHASHSEED", None)  # Python has read it, and submissions should not see it


def _touch_proc() -> None:
    """Call lstat once on each file of /proc that still exists after a worker has ended.

    The kernel sets the time of such a file at the first lstat. Without this function, a worker could send
    thousands of bits to later workers: they would see which files already have a time.

    /proc has a folder for each process. This function visits only the folders of this process, its parent and
    process 1. Bubblewrap hides the other folders; without bubblewrap, visiting them could take long.
    `map_files` is skipped because a worker cannot read it. `net` is skipped because the times of its files
    change at each lstat.
    """
    ours = {"1", str(os.getpid()), str(os.getppid())}
    for folder, names, files in os.walk("/proc"):
        if folder == "/proc":
            names[:] = [name for name in names if not name.isdecimal() or name in ours]
        elif not folder.startswith("/proc/sys"):
            names[:] = [name for name in names if name not in ("net", "map_files")]
        for name in (*names, *files):
            with contextlib.suppress(OSError):  # the file has disappeared since it was listed
                os.lstat(os.path.join(folder, name))  # noqa: PTH118 - there are thousands


def _warm(packages: Sequence[str]) -> Serve:
    """Import the packages and run a cell, once for all children; return the function that a child runs.

    The garbage collector is off in this function, because imported modules are never garbage. At the end,
    gc.freeze() excludes all objects from later collections. Otherwise, a collection in a child would write to
    these objects, and the kernel would copy the pages of memory that contain them.
    """
    gc.disable()
    for name in packages:
        import_module(_WARMED_MODULES.get(name, name))
    if (torch := sys.modules.get("torch")) is not None:
        torch.set_num_threads(1)
        prepare()
    with contextlib.suppress(KeyError):  # this architecture has no table of system calls
        seccomp.unconditional(platform.machine())
    shell = Shell()
    shell.run(0, "None" if torch is None else _WARM_UP)
    # If a submission imports modules of the autograder, it gets new copies, which the worker does not use.
    for name in [name for name in sys.modules if name.partition(".")[0] == "autograder"]:
        del sys.modules[name]
    gc.freeze()
    gc.enable()
    return lambda channel: _serve(channel, shell)


def _serve(channel: socket.socket, shell: Shell) -> None:
    """Reply to the requests on `channel` until the grader closes it. Each reply has the id of its request.

    The first request contains the limits. The child confines itself before it reads any other request.
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
            if "keep" in header:
                shell.variables.update(namespace.right)
                kept, _ = namespace.handle({"op": "keep", **header["keep"]}, [])
                reply["changed"] = kept.get("value")
        elif header["op"] == "file":
            reply, parts = lay_file(header["name"], parts[0]), []
        else:
            calls = _Calls(channel, requests, header["id"])
            reply, parts = namespace.handle(header, parts, calls.send)
            calls.end()
        shell.variables.update(namespace.right)  # a cell may have overwritten these right answers
        channel.sendall(_packed({"id": header["id"], **reply}, parts))


class _Calls:
    """Sends a call to the grader when student code calls a function of a hidden test. Serves one request."""

    def __init__(self, channel: socket.socket, requests: Receive, number: str) -> None:
        self._channel, self._requests, self._number = channel, requests, number
        self._lock, self._ended = threading.Lock(), False

    def send(self, header: Header, parts: Parts) -> tuple[Header, Parts]:
        """Return the grader's reply to a call; raise RuntimeError after `end`."""
        with self._lock:
            if self._ended:
                return unanswered()
            self._channel.sendall(pack({"id": self._number, **header}, parts))
            return read_frame(self._requests)

    def end(self) -> None:
        """Refuse further calls, from any thread."""
        with self._lock:
            self._ended = True


def _packed(header: Header, parts: Parts) -> bytes:
    """Return the frame of a reply, or the frame of an error if the reply cannot be sent."""
    try:
        return pack(header, parts)
    except Exception as error:  # a submission's objects may fail in any way
        why = str(error)[:200] if isinstance(error, ProtocolError) else type(error).__name__[:100]
        described = {"type": "ResultError", "message": f"the result cannot be sent: {why}"}
        return pack({"id": header["id"], "error": described}, [])


def _obey(control: socket.socket, serve: Serve, scratch: Path) -> None:
    children = dict[int, Path]()  # the scratch folder of each child, by process id
    try:
        while True:
            _watch(control, children)
            message, descriptors, _, _ = socket.recv_fds(control, 1 + _ID.size, 1)
            match message[:1]:
                case b"f":
                    folder = scratch / secrets.token_hex(16)
                    children[_fork(control, descriptors[0], serve, folder)] = folder
                case b"w":
                    (child,) = _ID.unpack(message[1:])
                    control.sendall(_ID.pack(_reap(child, children.pop(child))))
                case b"o":
                    import torch

                    torch.optim.SGD([torch.zeros(1)])  # imports modules of torch, which takes a second
                    control.sendall(b"r")
                case b"p":
                    import matplotlib.pyplot as plt

                    plt.ioff()
                    gc.freeze()
                    control.sendall(b"r")
                case _:
                    return
    finally:
        for child, folder in children.items():
            os.kill(child, signal.SIGKILL)
            _reap(child, folder)


def _watch(control: socket.socket, children: Mapping[int, Path]) -> None:
    """Wait for the next message; meanwhile kill each child that exceeds its limits."""
    while children and not select.select([control], [], [], _WATCH_SECONDS)[0]:
        for child, folder in children.items():
            if exceeds(child, folder):
                os.kill(child, signal.SIGKILL)


def _reap(child: int, folder: Path) -> int:
    _, status = os.waitpid(child, 0)
    with contextlib.suppress(OSError):
        remove(folder)
    return status


def _reopen_streams() -> None:
    """Open new standard streams.

    Workers share the flags of inherited streams, such as O_NONBLOCK, and could exchange data through them.
    """
    descriptor = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(descriptor, stream)
    os.close(descriptor)


def _fork(control: socket.socket, descriptor: int, serve: Serve, folder: Path) -> int:
    """Fork a child that works in `folder`, whose name other children cannot guess."""
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):  # the child must never go on as a second zygote
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            control.close()
            os.dup2(descriptor, _CHANNEL)
            os.closerange(_CHANNEL + 1, _MAX_DESCRIPTOR)
            _reopen_streams()
            folder.mkdir()
            os.chdir(folder)
            os.environ.update(HOME=str(folder), TMPDIR=str(folder), MPLCONFIGDIR=str(folder))
            tempfile.tempdir = str(folder)
            sys.meta_path.append(WrittenModules())
            serve(socket.socket(fileno=_CHANNEL))
        os._exit(0)
    os.close(descriptor)
    handle = os.pidfd_open(child)
    socket.send_fds(control, [_ID.pack(child)], [handle])
    os.close(handle)
    return child
