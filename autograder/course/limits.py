"""What a submission may use, and the walls that a course demands around it."""

from dataclasses import dataclass
from enum import StrEnum


class Tier(StrEnum):
    """How much stands between a submission and the machine."""

    FULL = "full"  # namespaces around the zygote, and all of container
    CONTAINER = "container"  # Landlock, seccomp and limits in each worker
    BARE = "bare"  # a process of its own, with limits where the system has them


class RepairsShown(StrEnum):
    """What a student reads of the edit that makes an answer right."""

    OFF = "off"  # nothing: none is looked for
    PLACE = "place"  # the line and the part of it that the edit changes
    SHOWN = "shown"  # and what stands there instead


@dataclass(frozen=True, slots=True)
class Repairs:
    """How repairs of failed answers are looked for."""

    shown: RepairsShown = RepairsShown.PLACE
    seconds: float = 2.0  # of processor time for one question, by which candidates are counted


DEFAULT_REPAIRS = Repairs()


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
