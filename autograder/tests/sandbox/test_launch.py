"""The zygote's process can be on its way before anything slow is imported."""

import os
import random
import subprocess
import sys
import time
from contextlib import suppress

import psutil
import pytest

from autograder.sandbox import bubblewrap
from autograder.sandbox.launch import adopt, launch_ahead, launch_zygote, prelaunched
from autograder.sandbox.zygote import Zygote

pytestmark = pytest.mark.usefixtures("born_alone")

QUICK = "import sys; from autograder.sandbox import prelaunched; sys.exit('torch' in sys.modules)"
PRELAUNCHED = """
import os, time
from autograder.sandbox.launch import prelaunched
held = prelaunched()
print(held.__enter__().process.pid, flush=True)
"""


def test_starting_ahead_waits_for_no_torch() -> None:
    assert subprocess.run([sys.executable, "-c", QUICK], check=False).returncode == 0


def test_the_first_zygote_takes_what_was_started_ahead() -> None:
    with (
        prelaunched() as waiting,
        Zygote(outer=waiting.outer) as first,
        Zygote(outer=waiting.outer) as second,
    ):
        assert first.process_id == waiting.process.pid
        assert second.process_id != waiting.process.pid


def test_one_that_nobody_takes_ends_with_the_block() -> None:
    with prelaunched() as waiting:
        assert waiting.process.poll() is None
    assert waiting.process.returncode is not None


def test_within_a_block_there_is_one_process_ahead() -> None:
    with prelaunched() as waiting:
        with prelaunched() as same:
            assert same is waiting
        assert waiting.process.poll() is None
        assert launch_ahead() is waiting
        waiting.end()


def test_a_forked_process_takes_what_was_launched_for_it_and_keeps_no_other_alive() -> None:
    mine, other = launch_ahead(), launch_ahead()
    child = os.fork()
    if child == 0:
        adopt([mine, other])
        taken = launch_zygote(outer=mine.outer)
        taken.end()  # which is the child of another process
        os._exit(0 if taken is mine and other.control.fileno() == -1 else 1)
    mine.control.close()
    assert os.waitpid(child, 0)[1] == 0
    assert mine.process.wait(timeout=30) is not None
    assert other.process.poll() is None
    other.control.close()  # nobody else holds it
    assert other.process.wait(timeout=60) is not None


def test_one_with_other_walls_than_asked_for_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "program", lambda: None)
    with prelaunched() as waiting:
        other, taken = launch_zygote(outer=True), launch_zygote(outer=False)
        assert other is not waiting
        assert taken is waiting
        other.end()
        taken.end()


def test_one_that_nobody_takes_ends_with_its_grader() -> None:
    command = [sys.executable, "-c", f"{PRELAUNCHED}os._exit(0)"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    try:
        psutil.Process(int(done.stdout)).wait(timeout=60)
    except psutil.NoSuchProcess:
        return
    except psutil.TimeoutExpired:
        pytest.fail("it runs on")


def test_a_grader_killed_while_the_walls_are_raised_leaves_nothing_behind() -> None:
    """Bubblewrap itself leaves a process about once in sixty."""
    moment = random.Random(1)
    sessions = [_killed_after(moment.uniform(0, 0.06)) for _ in range(12)]
    end = time.monotonic() + 60
    while (left := _in_sessions(sessions)) and time.monotonic() < end:
        time.sleep(0.1)
    assert left == []


def _killed_after(seconds: float) -> int:
    """Kill a grader that has begun a zygote, and return the zygote's session."""
    command = [sys.executable, "-c", f"{PRELAUNCHED}time.sleep(60)"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as grader:
        assert grader.stdout is not None
        session = int(grader.stdout.readline())
        time.sleep(seconds)
        grader.kill()
    return session


def _in_sessions(sessions: list[int]) -> list[int]:
    found = []
    for pid in psutil.pids():
        with suppress(OSError):
            if os.getsid(pid) in sessions:
                found.append(pid)
    return found
