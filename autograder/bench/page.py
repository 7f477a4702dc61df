"""The figures as people read them: tables in Markdown, and where docs/performance.md has them."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from autograder.bench.figures import ClassFigures, Figures
from autograder.bench.stages import BOOK, ONCE, OWN, Stage
from autograder.errors import UsageError

PAGE = "autograder/docs/performance.md"  # in the course's folder
BEGIN, END = "<!-- bench -->", "<!-- /bench -->"
_LARGEST = 100_000  # submissions


def require_place(page: Path) -> Path:
    """Return `page` if it has the two comments between which the figures belong."""
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    if BEGIN not in text or END not in text.partition(BEGIN)[2]:
        raise UsageError(f"{page}: has no place for the figures; put {BEGIN} and {END} on lines of their own")
    return page


def write_table(page: Path, text: str) -> None:
    """Put `text` between the two comments in `page`."""
    before, _, rest = require_place(page).read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


def to_markdown(all_figures: Sequence[Figures]) -> str:
    """Return the figures of each exercise as Markdown."""
    return "\n\n".join(section for figures in all_figures for section in _sections(figures))


def _sections(figures: Figures) -> Iterator[str]:
    machine, waiting = figures.machine, figures.waiting
    yield (
        f"Exercise `{figures.exercise}` with its {figures.tests} hidden tests, on {machine.cores} cores of "
        f"{machine.processor}, {machine.memory_gb} GB, {machine.system}, Python {machine.python}, "
        f"torch {machine.torch}. Walls: {', '.join(figures.walls)}."
    )
    yield _comparison(figures)
    if notes := " ".join(_notes(figures)):
        yield notes
    yield _growth(figures.growth)
    if further := _further(figures):
        yield further
    yield _stages(figures.stages)
    pytest, run = (f"{seconds / waiting.cells:.2f} times that" for seconds in (waiting.pytest, waiting.run))
    yield (
        f"Importing torch and running the solved notebook's cells takes {_time(waiting.cells)}; `pytest` in "
        f"the student's folder takes {_time(waiting.pytest)}, {pytest}; `autograder run` on the notebook "
        f"{_time(waiting.run)}, {run}."
    )


def _table(titles: Sequence[str], *rows: Sequence[str]) -> str:
    rule = ["---", *("---:" for _ in titles[1:])]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (titles, rule, *rows))


def _comparison(figures: Figures) -> str:
    ours, attacked, rows = figures.ours, figures.attacked, []
    count = ours[0].count
    titles = [f"faster with {_jobs(done.jobs)}" for done in ours] if figures.others else []
    for other in figures.others:
        times = [_time(other.each), f"about {_time(other.each * count)}", _memory(other.peak_mb)]
        ratios = [f"{other.each / done.each:.0f} times" for done in ours]
        rows.append([f"{other.name} {other.version}", *times, *ratios])
    own = [(f"this grader {figures.version}, {_jobs(done.jobs)}", done) for done in ours]
    own.append((f"the same with {_jobs(attacked.jobs)}, every tenth attacks", attacked))
    for title, done in own:
        times = [_time(done.each), _time(done.seconds), _memory(done.peak_mb)]
        rows.append([title, *times, *("" for _ in titles)])
    return _table([f"{count} submissions", "each", "the class", "peak memory", *titles], *rows)


def _notes(figures: Figures) -> Iterator[str]:
    """Yield how the others were measured, what attacks cost, and how long an unchanged class takes."""
    for other in figures.others:
        yield (
            f"{other.name}: the median of {other.sampled} submissions, from which the time of the class is "
            f"computed. It agrees with this grader on {other.agrees} of {other.questions} answers."
        )
    times = figures.attacked.seconds / figures.ours[-1].seconds
    yield f"If every tenth submission attacks the grader, the class takes {times:.2f} times as long."
    for done in figures.ours:
        if (again := done.again) is not None:
            faster = ((other.name, other.each * done.count / again) for other in figures.others)
            ratios = (f", {ratio:.0f} times as fast as {name} grades them" for name, ratio in faster)
            yield f"Grading the same {done.count} again, unchanged, takes {_time(again)}{''.join(ratios)}."
    for other in figures.others:
        if other.again is not None:
            yield (
                f"{other.name} skips {other.sampled + 1} that it has graded in {_time(other.again)}; "
                "it compares only their times of submission."
            )


def _growth(growth: Sequence[ClassFigures]) -> str:
    return _table(
        ["submissions", *(f"{done.count:,}" for done in growth)],
        ["the class", *(_time(done.seconds) for done in growth)],
        ["each", *(_time(done.each) for done in growth)],
        ["peak memory", *(_memory(done.peak_mb) for done in growth)],
    )


def _further(figures: Figures) -> str:
    """Say what one submission more takes in a large class, where the program's start no longer counts."""
    seconds = {stage.name: stage.milliseconds / 1000 for stage in figures.stages}
    least, most = figures.growth[:1], figures.growth[1:][-1:]
    if not (most and {OWN, BOOK} <= seconds.keys()):
        return ""
    (small,), (large,) = least, most
    each = (large.seconds - small.seconds) / (large.count - small.count)
    faster = (f", {other.each / each:.0f} times as fast as {other.name}" for other in figures.others)
    work = each * large.jobs / seconds[OWN]
    return (
        f"From {small.count:,} to {large.count:,} submissions, each additional one takes {_time(each)} with "
        f"{_jobs(large.jobs)}{''.join(faster)}. On all cores together that is {work:.1f} times its own work. "
        f"{_ceiling(each, each * large.jobs - seconds[BOOK], seconds[BOOK])}"
    )


def _ceiling(each: float, marking: float, book: float) -> str:
    """Say how many cores one gradebook keeps busy, and how long both take for the largest class.

    A submission takes so many seconds here, on one core to be marked, and in the gradebook.
    """
    return (
        f"One process writes the gradebook, in {_time(book)} for each submission. That is at most "
        f"{1 / book:.0f} a second, as many as {math.ceil(marking / book)} cores mark. With so many cores a "
        f"class of {_LARGEST:,} takes {_time(_LARGEST * book)}, and on this machine {_time(_LARGEST * each)}."
    )


def _stages(stages: Sequence[Stage]) -> str:
    each = sorted((s for s in stages if s.name not in (ONCE, OWN)), key=lambda stage: -stage.milliseconds)
    total = Stage("all", sum(s.milliseconds for s in each), sum(s.without_walls for s in each))
    own, once = ([stage for stage in stages if stage.name == name] for name in (OWN, ONCE))
    rows = [[s.name, f"{s.milliseconds:.1f} ms", f"{s.without_walls:.1f} ms"] for s in (*each, total, *own)]
    rows += [["all, divided by that work", *_ratios(total, one)] for one in own]
    rows += [[s.name, f"{s.milliseconds:.1f} ms", f"{s.without_walls:.1f} ms"] for s in once]
    return _table(["stage, for a submission, 1 job", "time", "without walls"], *rows)


def _ratios(total: Stage, own: Stage) -> tuple[str, str]:
    with_walls, without = total.milliseconds / own.milliseconds, total.without_walls / own.without_walls
    return f"{with_walls:.2f} times", f"{without:.2f} times"


def _jobs(jobs: int) -> str:
    return "1 job" if jobs == 1 else f"{jobs} jobs"


def _time(seconds: float) -> str:
    """Return a time in the unit that suits it."""
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.1f} min"


def _memory(megabytes: float) -> str:
    return f"{megabytes:,.0f} MB"
