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
from autograder.plugins.bench.graders import Measurement

DOCS = "autograder/docs"
PAGES = {"speed": "performance.md", "attacks": "evidence.md", "strength": "evidence.md"}  # page of each table


def page_of(root: Path, table: str) -> Path:
    """Return the page for a table. Raise UsageError if the page lacks the comments of `comments_around`."""
    page = root / DOCS / PAGES[table]
    if not page.is_file() or not _section(table).search(page.read_text(encoding="utf-8")):
        begin, end = comments_around(table)
        raise UsageError(f"{page}: has no section for the table; put {begin} and {end} on lines of their own")
    return page


def write_table(page: Path, table: str, text: str) -> None:
    """Write a table between its two comments on the page."""
    (begin, end), before = comments_around(table), page.read_text(encoding="utf-8")
    after = _section(table).sub(lambda _: f"{begin}\n{text}\n{end}", before)
    page.write_text(after, encoding="utf-8")


def comments_around(table: str) -> tuple[str, str]:
    """Return the two comments between which a table is written."""
    return f"<!-- {table} -->", f"<!-- /{table} -->"


def _section(table: str) -> re.Pattern[str]:
    return re.compile(".*?".join(comments_around(table)), re.DOTALL)


def to_strength(proofs: Iterable[Proof]) -> str:
    """Return a table of the wrong answers that hidden tests reject, from the results of `verify`."""
    heads = ("exercise", "mutants caught", "mutants declared right", "misconceptions caught", "bits")
    rows = [f"| {' | '.join(heads)} |", f"| --- |{' ---: |' * (len(heads) - 1)}"]
    for proof in proofs:
        strength, costs = proof.strength or Strength(), proof.costs or Costs()
        caught = f"{strength.killed} of {strength.mutants}", strength.equivalent
        cells = proof.exercise, *caught, f"{costs.failing} of {costs.misconceptions}", proof.bits
        rows.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(rows)


def to_markdown(
    exercise: str, walls: Sequence[str], ours: Sequence[Measurement], others: Sequence[Measurement]
) -> str:
    """Return a table of the graders' speed on one exercise, with notes.

    `walls` are the parts of this grader's sandbox. `ours` has the measurements of this grader, for different
    numbers of jobs. `others` has measurements of stock nbgrader and Otter, for a part of the class.
    """
    count, marks = len(ours[0].full), ours[-1].full
    our_parts = [part for measurement in ours for part in measurement.parts] if others else []
    rows = [["grader", "time for one submission", f"time for {count} submissions", "peak memory"]]
    rows[0] += [f'time divided by that of "{name}"' for name, _ in our_parts]
    rows.append(["---", *("---:" for _ in rows[0][1:])])
    for measurement in (*others, *ours):
        about = "" if measurement in ours else "about "
        for name, each in measurement.parts:
            faster = [f"{each / our_each:.0f}" if about else "" for _, our_each in our_parts]
            time = f"{about}{_time(each * count)}"
            rows.append([name, _time(each), time, f"{measurement.peak_mb:,.0f} MB", *faster])
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in rows)
    where = f"Exercise `{exercise}` on {machine()}. This grader's sandbox: {', '.join(walls)}."
    different = [sum(len(other.full[id_] ^ marks[id_]) for id_ in other.full) for other in others]
    notes = [
        f"{other.grader} graded only {len(other.full)} submissions, so the time for {count} is an estimate. "
        f"{answers} of the answers in these submissions got full marks from {other.grader} or from this "
        "grader, but not from both."
        for other, answers in zip(others, different, strict=True)
    ]
    return "\n\n".join(filter(None, [where, table, " ".join(notes)]))


def machine() -> str:
    """Return the processor, memory and versions of Python and torch of this machine."""
    names = re.findall(r"^model name\s*: (.*)", Path("/proc/cpuinfo").read_text("utf-8"), re.MULTILINE)
    return (
        f"{len(os.sched_getaffinity(0))} cores of {(*names, platform.machine())[0].strip()}, "
        f"{psutil.virtual_memory().total / (1 << 30):.0f} GB, "
        f"Python {platform.python_version()}, torch {version('torch').partition('+')[0]}"
    )


def _time(seconds: float) -> str:
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.1f} min"
