"""The zygote's process can be on its way before anything slow is imported."""

import subprocess
import sys

import psutil
import pytest

from autograder import launch
from autograder.sandbox import Zygote

QUICK = "import sys, autograder.launch; sys.exit('torch' in sys.modules)"


def test_starting_ahead_waits_for_no_torch() -> None:
    assert subprocess.run([sys.executable, "-c", QUICK], check=False).returncode == 0


def test_the_first_zygote_takes_what_was_started_ahead() -> None:
    with launch.ahead():
        (waiting,) = launch._AHEAD
        with Zygote(outer=waiting.outer) as zygote:
            assert zygote._process is waiting.process
            assert launch._AHEAD == []


def test_one_that_nobody_takes_ends_with_the_block() -> None:
    with launch.ahead():
        (waiting,) = launch._AHEAD
    assert waiting.process.returncode is not None


def test_one_that_nobody_takes_ends_with_its_grader() -> None:
    program = (
        "import os; from autograder import launch; held = launch.ahead(); held.__enter__(); "
        "print(launch._AHEAD[0].process.pid, flush=True); os._exit(0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    try:
        psutil.Process(int(done.stdout)).wait(timeout=60)
    except psutil.NoSuchProcess:
        return
    except psutil.TimeoutExpired:
        pytest.fail("it runs on")
