"""A made-up term by its rules alone: who handed in what and when, and what that is worth.

Nothing here comes from the engine: what the term's commands arrive at is held against this.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import cycle
from pathlib import Path
from zoneinfo import ZoneInfo

BERLIN = ZoneInfo("Europe/Berlin")
DUE = {
    "01_dot_products": datetime(2026, 3, 1, 18),
    "02_simple_self_attention": datetime(2026, 3, 10, 23, 59),
    "03_causal_averaging": datetime(2026, 3, 18, 12),
    "04_scaled_dot_product": datetime(2026, 3, 28, 18),  # a day later clocks go forward
    "05_self_attention": datetime(2026, 4, 8, 18),
    "06_causal_attention": datetime(2026, 4, 15, 23, 59),
    "07_cross_attention": datetime(2026, 4, 22, 12),
    "08_multi_head_attention": datetime(2026, 4, 29, 18),
    "09_tiny_gpt": datetime(2026, 5, 6, 18),
    "10_inference": datetime(2026, 5, 13, 23, 59),
}
EXERCISES = list(DUE)
COUNTS = dict(zip(EXERCISES, cycle(("newest", "best", "last before due"))))
LATE = "{percent: 10, every: 1 day, grace: 15 minutes, floor: 30, cut_off: 7 days}"
KINDS = ("right", "half", "last broken", "empty")
PLATFORMS = ("canvas", "moodle", "gradescope", "exchange")
EXTENSIONS = {  # by student and exercise, as clocks in Berlin show it
    ("s07", "01_dot_products"): datetime(2026, 3, 4, 18),
    ("s21", "02_simple_self_attention"): datetime(2026, 3, 12, 18),
    ("s33", "03_causal_averaging"): datetime(2026, 3, 21, 12),
    ("s48", "04_scaled_dot_product"): datetime(2026, 3, 29, 18),
    ("s03", "05_self_attention"): datetime(2026, 4, 10, 18),
    ("s18", "06_causal_attention"): datetime(2026, 4, 18, 23, 59),
    ("s40", "07_cross_attention"): datetime(2026, 4, 24, 12),
    ("s51", "08_multi_head_attention"): datetime(2026, 5, 1, 18),
    ("s09", "09_tiny_gpt"): datetime(2026, 5, 8, 18),
    ("s27", "10_inference"): datetime(2026, 5, 15, 18),
}
TOO_LATE = "s20"  # always hands in after the cut-off
DROPPED = "s58"
RENAMED = ("s12", "s12.new")
OVERRIDDEN = ("s05", 0.5)  # a person's points for the first question of the first exercise
_SPECIAL = {TOO_LATE, DROPPED, RENAMED[0], OVERRIDDEN[0], *(student for student, _ in EXTENSIONS)}
_NAMES = [f"s{number:02}" for number in range(1, 61)]
CLASS = [name for place, name in enumerate(_NAMES) if place % 5 < 2 or name in _SPECIAL]
GROUPS = {
    platform: [name for name in CLASS if name in _NAMES[15 * place : 15 * (place + 1)]]
    for place, platform in enumerate(PLATFORMS)
}


@dataclass(frozen=True)
class HandIn:
    """One attempt."""

    came: datetime  # in Berlin
    kind: str


@dataclass(frozen=True)
class Points:
    """What the questions of an exercise are worth, as its author wrote it down."""

    tested: Mapping[str, float]
    written: Mapping[str, float]

    @property
    def all(self) -> float:
        return sum(self.tested.values()) + sum(self.written.values())

    def of(self, kind: str) -> dict[str, float]:
        """Return what the tests give for an answer of this kind, by question."""
        names = list(self.tested)
        done = {
            "right": names,
            "half": names[: (len(names) + 1) // 2],
            "last broken": names[:-1],
            "empty": [],
        }[kind]
        return {name: self.tested[name] if name in done else 0.0 for name in names}


def read_points(source: Path) -> Points:
    """Read the points out of an exercise's source."""
    text = source.read_text(encoding="utf-8")
    tested = re.findall(r'^# %% check="(\w+)" points=([\d.]+)', text, re.MULTILINE)
    written = re.findall(r'^# %% \[markdown\] manual="(\w+)" points=([\d.]+)', text, re.MULTILINE)
    return Points({name: float(p) for name, p in tested}, {name: float(p) for name, p in written})


def platform(exercise: str) -> str:
    """Return through which platform an exercise after the first one comes; the first comes through all."""
    return PLATFORMS[EXERCISES.index(exercise) % len(PLATFORMS)]


def takes(student: str, exercise: str) -> bool:
    """Whether a student takes an exercise: all take the first, and a handful each of the others."""
    place = EXERCISES.index(exercise)
    if not place:
        return True
    if student == DROPPED or student not in GROUPS[platform(exercise)]:
        return False
    special = student in (RENAMED[0], TOO_LATE) or (student, exercise) in EXTENSIONS
    return special or (int(student[1:]) + place) % 2 == 0


def hand_ins(student: str, exercise: str) -> list[HandIn]:
    """Return what a student handed in for an exercise, in order of time."""
    number, place = int(student[1:3]), EXERCISES.index(exercise)
    if not takes(student, exercise) or (number + place) % 13 == 0:
        return []  # nothing
    hours = (-30, -5, -1)[(number + place) % 3]
    if (number + 2 * place) % 7 == 0:
        hours = 5 if number % 2 else 40
    if student == TOO_LATE:
        hours = 200
    if (student, exercise) in EXTENSIONS:
        hours = 23
    first = DUE[exercise] + timedelta(hours=hours, minutes=number)
    kind = (number * 7 + place * 3) % len(KINDS)
    found = [HandIn(first.replace(tzinfo=BERLIN), KINDS[kind])]
    if place and number % 3 == 0:
        again = first + timedelta(hours=20 if number % 2 else 3)
        found.append(HandIn(again.replace(tzinfo=BERLIN), KINDS[(kind + 1 + number % 2) % len(KINDS)]))
    return found


def due(student: str, exercise: str) -> datetime:
    return EXTENSIONS.get((student, exercise), DUE[exercise])


def penalty(student: str, exercise: str, came: datetime, score: float, points: float) -> float:
    """Return what late work of this worth loses: a tenth of all points for each day begun."""
    last = due(student, exercise)
    if score <= 0 or came <= (last + timedelta(minutes=15)).replace(tzinfo=BERLIN):
        return 0.0
    if came > (last + timedelta(days=7)).replace(tzinfo=BERLIN):
        return score
    days = next(n for n in range(1, 9) if came <= (last + timedelta(days=n)).replace(tzinfo=BERLIN))
    return max(0.0, min(points * 0.1 * days, score - points * 0.3))


def counting(student: str, exercise: str, points: Points) -> HandIn:
    """Return the attempt that counts. One without an answer never replaces another one."""
    attempts = hand_ins(student, exercise)
    attempts = [attempt for attempt in attempts if attempt.kind != "empty"] or attempts
    if COUNTS[exercise] == "newest":
        return attempts[-1]
    if COUNTS[exercise] == "best":

        def worth(place: int) -> tuple[float, int]:
            one = attempts[place]
            score = sum(points.of(one.kind).values())
            return round(score - penalty(student, exercise, one.came, score, points.all), 4), place

        return attempts[max(range(len(attempts)), key=worth)]
    last = (due(student, exercise) + timedelta(minutes=15)).replace(tzinfo=BERLIN)
    in_time = [one for one in attempts if one.came <= last]
    return (in_time or attempts)[-1]


@dataclass
class ByHand:
    """What people gave, by student, for the first exercise."""

    written: dict[str, float] = field(default_factory=dict)  # for its first written answer
    override: dict[str, float] = field(default_factory=dict)  # for its first question


def grade(student: str, exercise: str, points: Points, by_hand: ByHand) -> float:
    """Return the final grade."""
    attempt = counting(student, exercise, points)
    scores = points.of(attempt.kind)
    if exercise == EXERCISES[0]:
        scores["written"] = by_hand.written.get(student, 0.0)
        scores[next(iter(points.tested))] = by_hand.override.get(student, scores[next(iter(points.tested))])
    score = sum(scores.values())
    return round(score - penalty(student, exercise, attempt.came, score, points.all), 4)


def ledger(points: Mapping[str, Points], by_hand: ByHand) -> dict[tuple[str, str], float | None]:
    """Return everybody's final grade by id and exercise; None where nothing was handed in."""
    return {
        (RENAMED[1] if student == RENAMED[0] else student, exercise): (
            grade(student, exercise, points[exercise], by_hand) if hand_ins(student, exercise) else None
        )
        for student in CLASS
        if student != DROPPED
        for exercise in EXERCISES
    }
