"""The machine that was measured and the versions on it, without its name."""

import os
import platform
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Machine:
    """What numbers of seconds depend on."""

    processor: str
    cores: int
    memory_gb: int
    system: str
    python: str
    torch: str


def this_machine() -> Machine:
    """Return what this machine is."""
    return Machine(
        processor=_field("/proc/cpuinfo", "model name") or platform.machine(),
        cores=len(os.sched_getaffinity(0)),
        memory_gb=round(int((_field("/proc/meminfo", "MemTotal") or "0").split()[0]) / (1 << 20)),
        system=f"{platform.system()} {'.'.join(platform.release().split('.')[:2])}",
        python=platform.python_version(),
        torch=version("torch").partition("+")[0],
    )


def _field(path: str, name: str) -> str:
    """Return the first value of `name` in a file of lines `name : value`."""
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return ""
