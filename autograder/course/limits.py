"""What a submission may use, and the walls that a course demands around it."""

from dataclasses import dataclass
from enum import StrEnum


class Tier(StrEnum):
    """How much stands between a submission and the machine."""

    FULL = "full"  # namespaces around the zygote, and all of container
    CONTAINER = "container"  # Landlock, seccomp and limits in each worker
    BARE = "bare"  # a process of its own, with limits where the system has them


@dataclass(frozen=True, slots=True)
class Limits:
    """What one submission may use.

    Seconds are those in which its processes compute, or sleep, and not those in which they wait for a
    processor. By the clock, ten times as many may pass.
    """

    cell_seconds: float = 20.0
    call_seconds: float = 5.0
    total_seconds: float = 300.0
    memory_mb: int = 2048
