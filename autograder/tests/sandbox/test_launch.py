"""The zygote's process starts before anything slow is imported, and ends with its grader."""

import os
import random
import subprocess
import sys
import time
from contextlib import suppress

import psutil
import pytest

from autograder.sandbox import bubblewrap
from autograder.sandbox.launch import launch_zygote
from autograder.sandbox.zygote import Zygote

pytestmark = pytest.mark.usefixtures("born_alone")

LAUNCHED = f"""
import os, sys, time
from autograder.sandbox.launch import launch_zygote
launched = launch_zygote(outer={bubblewrap.program() is not None})
assert "torch" not in sys.modules
print(launched.process.pid, flush=True)
"""


def test_a_zygote_takes_what_was_launched_before() -> None:
    launched = launch_zygote(outer=bubblewrap.program() is not None)
    with Zygote(launched=launched) as zygote:
        assert zygote.process_id == launched.process.pid
    assert launched.process.returncode is not None


def test_one_that_nobody_takes_ends_with_its_grader() -> None:
    command = [sys.executable, "-c", f"{LAUNCHED}os._exit(0)"]
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
    command = [sys.executable, "-c", f"{LAUNCHED}time.sleep(60)"]
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
