"""The zygote's process: what it answers on its control socket, and what it leaves when that closes."""

import os
import select
import socket
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograder.sandbox.launch import zygote_command
from autograder.worker.protocol import pack, read_frame


@dataclass(frozen=True)
class Control:
    """The grader's end of a zygote's control socket, and the folder in which the zygote makes its own."""

    channel: socket.socket
    process: subprocess.Popen[bytes]
    folder: Path

    def fork(self) -> tuple[int, int, socket.socket]:
        """Return a new child's process id, its pidfd, and our end of its channel."""
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self.channel, [b"f"], [theirs.fileno()])
        message, (handle,), _, _ = socket.recv_fds(self.channel, 4, 1)
        return struct.unpack("!i", message)[0], handle, ours

    def close(self) -> None:
        """Close the socket, and wait until the zygote has ended."""
        self.channel.close()
        assert self.process.wait(10) == 0

    def scratch(self) -> list[str]:
        """Return the workers' folders that there are."""
        return sorted(path.name for path in self.folder.glob("worker-*/*") if path.name.isdecimal())


@pytest.fixture
def control(tmp_path: Path) -> Iterator[Control]:
    ours, theirs = socket.socketpair()
    with theirs:
        command, fd = zygote_command(theirs.fileno()), theirs.fileno()
        env = {"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path)}
        process = subprocess.Popen(command, pass_fds=(fd,), env=env, stdin=subprocess.DEVNULL)
    ours.settimeout(60)
    assert ours.recv(1) == b"r"
    yield Control(ours, process, tmp_path)
    ours.close()
    process.kill()
    process.wait()


def test_a_child_serves_in_a_folder_of_its_own_until_it_is_reaped(control: Control) -> None:
    child, handle, channel = control.fork()
    channel.sendall(pack({"id": "1", "limits": {"memory_mb": 512, "cpu_seconds": 10}}, []))
    reply, _ = read_frame(lambda count: channel.recv(count, socket.MSG_WAITALL))
    assert (reply["id"], reply["walls"][0]) == ("1", "rlimits")
    assert control.scratch() == [str(child)]
    channel.close()
    assert select.select([handle], [], [], 10)[0], "a child ends when its channel closes"
    os.close(handle)
    control.channel.sendall(b"w" + struct.pack("!i", child))
    assert control.channel.recv(4) == struct.pack("!i", 0)
    assert control.scratch() == []


def test_an_optimizer_is_made_on_demand_and_the_end_takes_every_child_along(control: Control) -> None:
    control.channel.sendall(b"o")
    assert control.channel.recv(1) == b"r"
    children = [control.fork() for _ in range(2)]
    control.close()
    for _, handle, channel in children:
        assert select.select([handle], [], [], 10)[0]
        os.close(handle)
        channel.close()
    assert list(control.folder.glob("worker-*")) == []


def test_a_message_of_no_known_kind_ends_the_zygote(control: Control) -> None:
    control.channel.sendall(b"?")
    assert control.process.wait(10) == 0
