"""Writes comparisons as tables to docs/performance.md and docs/evidence.md."""

import os
import platform
import re
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path

import psutil

from autograder.authoring.costs import Costs
from autograder.authoring.strength import Strength
from autograder.authoring.verify import Proof
from autograder.errors import UsageError
from autograder.plugins.bench.graders import Graded

DOCS = "autograder/docs"  # in the course's folder
PAGES = {"speed": "performance.md", "attacks": "evidence.md", "strength": "evidence.md"}  # by table


def page_of(root: Path, table: str) -> Path:
    """Return the page of a table in a course's folder, which must have a place for it."""
    page = root / DOCS / PAGES[table]
    if not page.is_file() or not _place(table).search(page.read_text(encoding="utf-8")):
        begin, end = marks(table)
        raise UsageError(f"{page}: has no place for the table; put {begin} and {end} on lines of their own")
    return page


def write_table(page: Path, table: str, text: str) -> None:
    """Write another text between the two comments of a table."""
    (begin, end), before = marks(table), page.read_text(encoding="utf-8")
    after = _place(table).sub(lambda _: f"{begin}\n{text}\n{end}", before)
    page.write_text(after, encoding="utf-8")


def marks(table: str) -> tuple[str, str]:
    """Return the comments between which a page has a table."""
    return f"<!-- {table} -->", f"<!-- /{table} -->"


def _place(table: str) -> re.Pattern[str]:
    return re.compile(".*?".join(marks(table)), re.DOTALL)


def to_strength(proofs: Iterable[Proof]) -> str:
    """Return what verifying has shown of the hidden tests of each exercise."""
    heads = ("exercise", "mutants caught", "declared equivalent", "misconceptions that fail a test", "bits")
    rows = [f"| {' | '.join(heads)} |", f"| --- |{' ---: |' * (len(heads) - 1)}"]
    for one in proofs:
        strength, costs = one.strength or Strength(), one.costs or Costs()
        caught = f"{strength.killed} of {strength.mutants}", strength.equivalent
        cells = one.exercise, *caught, f"{costs.failing} of {costs.misconceptions}", one.bits
        rows.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(rows)


def to_markdown(exercise: str, walls: Sequence[str], ours: Sequence[Graded], others: Sequence[Graded]) -> str:
    """Return what was measured on one exercise: `ours` by jobs, `others` on the beginning of the class."""
    count, marks = len(ours[0].full), ours[-1].full
    rows = [[f"{count} submissions", "each", "the class", "peak memory"]]
    rows[0] += [
        f"{name.replace(',', ' with', 1)}: faster by" for one in ours if others for name, _ in one.parts
    ]
    rows.append(["---", *("---:" for _ in rows[0][1:])])
    mine = [each for one in ours if others for _, each in one.parts]
    for one in (*others, *ours):
        about = "" if one in ours else "about "
        for name, each in one.parts:
            faster = [f"{each / other:.0f} times" if about else "" for other in mine]
            time = f"{about}{_time(each * count)}"
            rows.append([name, _time(each), time, f"{one.peak_mb:,.0f} MB", *faster])
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in rows)
    where = f"Exercise `{exercise}` on {machine()}. Walls: {', '.join(walls)}."
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
