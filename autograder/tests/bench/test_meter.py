"""Measuring a command: its time, and the memory of all that it starts and of nothing else."""

import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from autograder.bench.meter import BenchError, measure, resident


def test_a_command_s_memory_includes_what_it_starts(tmp_path: Path) -> None:
    held = "import time; held = bytearray(200_000_000); time.sleep(1)"
    outer = (
        f"import subprocess, sys; subprocess.run([sys.executable, '-c', {held!r}], check=True); print('x')"
    )
    run = measure([sys.executable, "-c", outer], tmp_path)
    assert run.output == "x\n"
    assert run.seconds > 1
    assert 200 < run.peak_mb < 2000


def test_the_memory_of_strangers_does_not_count() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        alone = resident(child.pid)
    assert 0 < alone < resident(1)
    assert resident(child.pid) == 0


def test_a_command_that_fails_ends_the_bench_with_its_words(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"ended with code 4\nno such exercise$"):
        measure([sys.executable, "-c", "print('no such exercise'); exit(4)"], tmp_path)


def test_a_process_s_memory_is_its_resident_pages() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "print(1, flush=True); input()"], stdin=-1, stdout=-1
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        assert resident(child.pid) == psutil.Process(child.pid).memory_info().rss
