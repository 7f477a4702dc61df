"""The machine that was measured and the versions on it, but not its name."""

import os
import platform
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import psutil


@dataclass(frozen=True, slots=True)
class Machine:
    """What a number of seconds depends on."""

    processor: str
    cores: int
    memory_gb: int
    system: str
    python: str
    torch: str


def this_machine() -> Machine:
    """Return what this machine is."""
    return Machine(
        processor=_processor() or platform.machine(),
        cores=len(os.sched_getaffinity(0)),
        memory_gb=round(psutil.virtual_memory().total / (1 << 30)),
        system=f"{platform.system()} {'.'.join(platform.release().split('.')[:2])}",
        python=platform.python_version(),
        torch=version("torch").partition("+")[0],
    )


def _processor() -> str:
    """Return the processor's name, for which neither Python nor psutil has a function."""
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            return value.strip()
    return ""
