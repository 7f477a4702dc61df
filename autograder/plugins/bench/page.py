"""Measures everything on one exercise, and writes it as tables to docs/performance.md."""

import os
import platform
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil
import torch

from autograder.errors import UsageError
from autograder.plugins.bench.others import Grader
from autograder.plugins.bench.ours import Bench, BenchError, Graded, attacked, class_answers, own_work

PAGE = "autograder/docs/performance.md"  # in the course's folder
BEGIN, END = "<!-- bench -->", "<!-- /bench -->"
JOBS = (1, 2)
FEW = 10  # what a class takes more than so few is what its further submissions take


@dataclass(frozen=True, slots=True)
class Figures:
    """All that was measured on one exercise."""

    exercise: str
    few: Graded
    ours: tuple[Graded, ...]  # by jobs
    attacked: Graded
    others: tuple[Graded, ...]
    own_work: float  # seconds
    waiting: Mapping[str, float]


def require_place(root: Path) -> Path:
    """Return the page in a course's folder if it has the two comments between which the figures belong."""
    page = root / PAGE
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    if BEGIN not in text or END not in text.partition(BEGIN)[2]:
        raise UsageError(f"{page}: has no place for the figures; put {BEGIN} and {END} on lines of their own")
    return page


def write_table(page: Path, text: str) -> None:
    """Put `text` between the two comments in `page`."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


def measure_exercise(bench: Bench, submissions: int, graders: Mapping[Grader, int]) -> Figures:
    """Measure a class of so many submissions with each grader."""
    crowd, few = class_answers(bench.exercise, submissions), class_answers(bench.exercise, FEW)
    hostile = attacked(crowd, bench.exercise)
    os.sync()  # what an installation has written is on the disk before anything is measured
    bench.grade(few, JOBS[-1])  # fills the disk's cache, from which all graders gain alike
    figures = Figures(
        exercise=bench.exercise.name,
        few=bench.grade(few, JOBS[-1]),
        ours=tuple(bench.grade(crowd, jobs) for jobs in JOBS),
        attacked=bench.grade(hostile, JOBS[-1]),
        others=tuple(grade(class_answers(bench.exercise, count)) for grade, count in graders.items()),
        own_work=own_work(bench.exercise, few),
        waiting=bench.waiting(),
    )
    before, after = figures.ours[-1].full, figures.attacked.full
    if any(before[student] != after[student] for student in crowd if crowd[student] == hostile[student]):
        raise BenchError(f"{bench.exercise.name}: attacks have changed the marks of others")
    return figures


def to_markdown(figures: Figures) -> str:
    """Return the figures as Markdown."""
    walls = ", ".join(figures.ours[0].walls)
    where = f"Exercise `{figures.exercise}` on {machine()}. Walls: {walls}."
    return "\n\n".join([where, _comparison(figures), " ".join(_notes(figures))])


def machine() -> str:
    """Describe this machine, without its name."""
    names = re.findall(r"^model name\s*: (.*)", Path("/proc/cpuinfo").read_text("utf-8"), re.MULTILINE)
    return (
        f"{len(os.sched_getaffinity(0))} cores of {(*names, platform.machine())[0].strip()}, "
        f"{psutil.virtual_memory().total / (1 << 30):.0f} GB, "
        f"Python {platform.python_version()}, torch {torch.__version__.partition('+')[0]}"
    )


def _comparison(figures: Figures) -> str:
    count = figures.ours[0].count
    titles = [f"{count} submissions", "each", "the class", "peak memory", "once more, unchanged"]
    titles += [f"{done.grader.replace(',', ' with')} is faster by" for done in figures.ours if figures.others]
    rows = [["---", *("---:" for _ in titles[1:])]]
    for other in figures.others:
        ratios = [f"{other.each / done.each:.0f} times" for done in figures.ours]
        rows.append(
            [other.grader, _time(other.each), f"about {_time(other.each * count)}", _mb(other), "", *ratios]
        )
    attacks = "the same class, with an attack in every tenth submission"
    for title, done in (*((done.grader, done) for done in figures.ours), (attacks, figures.attacked)):
        rows.append(
            [
                title,
                _time(done.each),
                _time(done.seconds),
                _mb(done),
                _time(done.again),
                *("" for _ in figures.ours if figures.others),
            ]
        )
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (titles, *rows))


def _notes(figures: Figures) -> Iterator[str]:
    few, most = figures.few, figures.ours[-1]
    for other in figures.others:
        differ = sum(len(full ^ most.full[student]) for student, full in other.full.items())
        yield (
            f"{other.grader} graded {other.count} of them; its class is computed from that. "
            f"It differs from this grader on {differ} answers."
        )
    each = (most.seconds - few.seconds) / (most.count - few.count)
    faster = "".join(f", {other.each / each:.0f} times as fast as {other.grader}" for other in figures.others)
    yield (
        f"From {few.count} to {most.count} submissions, each additional one takes {_time(each)}{faster}. "
        f"With {JOBS[-1]} jobs that is at most {_time(each * JOBS[-1])} of processor time, or "
        f"{each * JOBS[-1] / figures.own_work:.1f} times its own work ({_time(figures.own_work)})."
    )
    yield (
        "A student waits "
        + ", ".join(f"{_time(seconds)} for {command}" for command, seconds in figures.waiting.items())
        + "."
    )


def _time(seconds: float) -> str:
    """Return a time in the unit that suits it."""
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.1f} min"


def _mb(graded: Graded) -> str:
    return f"{graded.peak_mb:,.0f} MB"
