"""Measuring a command: its time, and the memory of all that it starts and of nothing else."""

import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from autograder.bench.meter import BenchError, measure, proportional


def test_a_command_s_memory_includes_what_it_starts(tmp_path: Path) -> None:
    held = "import time; held = bytearray(200_000_000); time.sleep(2)"
    outer = (
        f"import subprocess, sys; subprocess.run([sys.executable, '-c', {held!r}], check=True); print('x')"
    )
    run = measure([sys.executable, "-c", outer], tmp_path)
    assert run.output == "x\n"
    assert run.seconds > 1
    assert 200 < run.peak_mb < 2000


def test_the_memory_of_strangers_does_not_count() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        alone = proportional(child.pid)
    assert 0 < alone < proportional(1)
    assert proportional(child.pid) == 0


def test_a_command_that_fails_ends_the_bench_with_its_words(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"ended with code 4\nno such exercise$"):
        measure([sys.executable, "-c", "print('no such exercise'); exit(4)"], tmp_path)


def test_pages_that_processes_share_count_once() -> None:
    code = """
import os, sys
held = bytearray(100_000_000)
for _ in range(3):
    if os.fork() == 0:
        sys.stdin.read()
        os._exit(0)
print(1, flush=True)
sys.stdin.read()
"""
    with subprocess.Popen([sys.executable, "-c", code], stdin=-1, stdout=-1) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        family = [psutil.Process(parent.pid), *psutil.Process(parent.pid).children()]
        assert len(family) == 4
        assert sum(member.memory_info().rss for member in family) > 400_000_000
        assert 100_000_000 < proportional(parent.pid) < 200_000_000


def test_where_no_parts_are_told_all_pages_count(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(process: psutil.Process) -> None:
        raise psutil.AccessDenied(process.pid)

    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        monkeypatch.setattr(psutil.Process, "memory_full_info", refuse)
        assert proportional(child.pid) >= psutil.Process(child.pid).memory_info().rss // 2 > 0
