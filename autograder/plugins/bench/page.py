"""Writes the comparison as a table to docs/performance.md."""

import os
import platform
import re
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import psutil

from autograder.errors import UsageError
from autograder.plugins.bench.measure import Graded

PAGE = "autograder/docs/performance.md"  # in the course's folder
BEGIN, END = "<!-- bench -->", "<!-- /bench -->"
_PLACE = re.compile(f"{BEGIN}.*?{END}", re.DOTALL)


def read_page(root: Path) -> tuple[Path, str]:
    """Return the page in a course's folder and its text, which must have a place for the figures."""
    page = root / PAGE
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    if not _PLACE.search(text):
        raise UsageError(f"{page}: has no place for the figures; put {BEGIN} and {END} on lines of their own")
    return page, text


def with_figures(text: str, figures: str) -> str:
    """Return the page's text with other figures between its two comments."""
    return _PLACE.sub(lambda _: f"{BEGIN}\n{figures}\n{END}", text)


def to_markdown(exercise: str, ours: Sequence[Graded], others: Sequence[Graded]) -> str:
    """Return what was measured on one exercise: `ours` by jobs, `others` on the beginning of the class."""
    count, marks = len(ours[0].full), ours[-1].full
    rows = [[f"{count} submissions", "each", "the class", "peak memory"]]
    rows[0] += [f"{one.grader.replace(',', ' with')} is faster by" for one in ours if others]
    rows.append(["---", *("---:" for _ in rows[0][1:])])
    for one in (*others, *ours):
        about = "" if one in ours else "about "
        faster = [f"{one.each / mine.each:.0f} times" if about else "" for mine in ours if others]
        time = f"{about}{_time(one.each * count)}"
        rows.append([one.grader, _time(one.each), time, f"{one.peak_mb:,.0f} MB", *faster])
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in rows)
    where = f"Exercise `{exercise}` on {machine()}. Walls: {', '.join(ours[0].walls)}."
    notes = [
        f"{one.grader} graded {len(one.full)} of them; its class is computed from that. It differs from this "
        f"grader on {sum(len(one.full[who] ^ marks[who]) for who in one.full)} answers."
        for one in others
    ]
    return "\n\n".join(filter(None, [where, table, " ".join(notes)]))


def machine() -> str:
    """Describe this machine, without its name."""
    names = re.findall(r"^model name\s*: (.*)", Path("/proc/cpuinfo").read_text("utf-8"), re.MULTILINE)
    return (
        f"{len(os.sched_getaffinity(0))} cores of {(*names, platform.machine())[0].strip()}, "
        f"{psutil.virtual_memory().total / (1 << 30):.0f} GB, "
        f"Python {platform.python_version()}, torch {version('torch').partition('+')[0]}"
    )


def _time(seconds: float) -> str:
    """Return a time in the unit that suits it."""
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.1f} min"
