"""Exercises are proved in processes that end with the one that started them, and tell what they are at."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from autograder.authoring import verify
from autograder.authoring.proving import prove_together
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


def started(course: Course) -> tuple[subprocess.Popen[str], list[psutil.Process]]:
    """Start `verify` on an exercise that never ends; return it with its children once they are at work."""
    words = [sys.executable, "-c", PROVE, "--course", str(course.root), "verify"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    proving = subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True, process_group=0)
    parent = psutil.Process(proving.pid)
    while not [one for one in parent.children() if one.cpu_times().user > 1]:
        assert proving.poll() is None
        time.sleep(0.1)
    return proving, parent.children(recursive=True)


@pytest.mark.parametrize("everybody", [True, False], ids=["Ctrl-C", "kill -INT"])
def test_whoever_interrupts_reads_what_was_at_work(course: Course, *, everybody: bool) -> None:
    never_end(course)
    proving, children = started(course)
    (os.killpg if everybody else os.kill)(proving.pid, signal.SIGINT)
    _, said = proving.communicate(timeout=60)
    assert proving.returncode == 1
    assert said.splitlines()[-2:] == ["stopped", "01_small: running the hidden tests on the solution"]
    assert psutil.wait_procs(children, timeout=60)[1] == []


def test_children_end_with_a_parent_that_is_killed(course: Course) -> None:
    never_end(course)
    proving, children = started(course)
    proving.kill()
    proving.communicate()
    assert psutil.wait_procs(children, timeout=60)[1] == []


def test_a_step_that_never_ends_is_a_finding(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    never_end(course)
    monkeypatch.setattr(verify, "SECONDS", 1)
    (proof,) = prove_together(course, [small(course)], 1)
    (finding,) = proof.findings
    assert finding.startswith(
        f"{small(course).folder}: running the hidden tests on the solution took more than"
    )
