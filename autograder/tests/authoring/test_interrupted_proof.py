"""A proof that is interrupted or killed leaves no processes behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil

from autograder.course.course import Course
from autograder.tests.classroom import small

ROOT = Path(__file__).parents[3]
PROVE = "from autograder.cli import main; main()"


def never_end(course: Course) -> None:
    suite = small(course).suite
    text = suite.read_text(encoding="utf-8")
    suite.write_text(
        text.replace("    x = torch.randn(3, 5)", "    while True:\n        pass"), encoding="utf-8"
    )


def start(course: Course) -> subprocess.Popen[str]:
    """Start `verify`."""
    words = [sys.executable, "-c", PROVE, "--course", str(course.root), "verify"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True, process_group=0)


def at_work(proving: subprocess.Popen[str]) -> list[psutil.Process]:
    """Return the processes below a proof of an exercise that never ends, once they are at work."""
    parent = psutil.Process(proving.pid)
    while not [one for one in parent.children() if one.cpu_times().user > 1]:
        assert proving.poll() is None
        time.sleep(0.1)
    return parent.children(recursive=True)


def test_whoever_interrupts_reads_one_line_and_children_end_with_a_parent_that_is_killed(
    course: Course,
) -> None:
    never_end(course)
    interrupted, killed = start(course), start(course)
    children, orphans = at_work(interrupted), at_work(killed)
    os.killpg(interrupted.pid, signal.SIGINT)
    _, said = interrupted.communicate(timeout=60)
    assert interrupted.returncode == 1
    assert said.splitlines()[-1:] == ["stopped"]
    assert psutil.wait_procs(children, timeout=60)[1] == []
    killed.kill()
    killed.communicate()
    assert psutil.wait_procs(orphans, timeout=60)[1] == []
