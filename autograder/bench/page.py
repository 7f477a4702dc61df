"""The figures as people read them: tables in Markdown, and where README.md has them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from autograder.bench.figures import ClassFigures, Figures
from autograder.bench.stages import ONCE, Stage
from autograder.errors import UsageError

BEGIN, END = "<!-- bench -->", "<!-- /bench -->"


class NoTableError(UsageError):
    """A README without the marks between which the figures belong."""


def require_marks(readme: Path) -> Path:
    """Return `readme` if it has the marks between which the figures belong."""
    text = readme.read_text(encoding="utf-8") if readme.is_file() else ""
    if BEGIN not in text or END not in text.partition(BEGIN)[2]:
        raise NoTableError(
            f"{readme}: has no place for the figures; put {BEGIN} and {END} on lines of their own"
        )
    return readme


def write_table(readme: Path, text: str) -> None:
    """Put `text` between the marks in `readme`."""
    before, _, rest = require_marks(readme).read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    readme.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


def to_markdown(all_figures: Sequence[Figures]) -> str:
    """Return the figures of each exercise as Markdown."""
    return "\n\n".join("\n".join(_lines(figures)) for figures in all_figures)


def _lines(figures: Figures) -> Iterator[str]:
    machine = figures.machine
    yield (
        f"Exercise `{figures.exercise}` with its {figures.tests} hidden tests, on {machine.cores} cores of "
        f"{machine.processor}, {machine.memory_gb} GB, {machine.system}, Python {machine.python}, "
        f"torch {machine.torch}. Walls: {', '.join(figures.walls)}."
    )
    yield ""
    yield from _comparison(figures)
    yield ""
    yield from _growth(figures.growth)
    yield ""
    yield from _stages(figures)
    yield ""
    yield from _waiting(figures)


def _comparison(figures: Figures) -> Iterator[str]:
    ours = figures.ours
    count = ours[0].count
    titles = [f"faster with {_jobs(done.jobs)}" for done in ours] if figures.others else []
    yield from _head([f"{count} submissions", "a submission", "the class", "peak memory", *titles])
    for other in figures.others:
        ratios = [f"{other.each / done.each:.0f} times" for done in ours]
        whole = f"about {_time(other.each * count)}"
        yield _row(
            [f"{other.name} {other.version}", _time(other.each), whole, _memory(other.peak_mb), *ratios]
        )
    for done in ours:
        cells = [_time(done.each), _time(done.seconds), _memory(done.peak_mb)]
        yield _row([f"this grader {figures.version}, {_jobs(done.jobs)}", *cells, *("" for _ in titles)])
    if notes := " ".join(_notes(figures)):
        yield f"\n{notes}"


def _notes(figures: Figures) -> Iterator[str]:
    """Yield how the others were measured, and how long an unchanged class takes."""
    for other in figures.others:
        yield (
            f"{other.name}: the median of {other.sampled} submissions, from which the class is reckoned. "
            f"It judges {other.agrees} of {other.questions} answers as this grader does."
        )
    for done in figures.ours:
        if done.again is not None:
            again = done.again
            ratios = (
                f", {other.each * done.count / again:.0f} times as fast as {other.name} grades them"
                for other in figures.others
            )
            yield f"The same {done.count} once more, unchanged: {_time(again)}{''.join(ratios)}."
    for other in figures.others:
        if other.again is not None:
            yield (
                f"{other.name} passes over {other.sampled + 1} that it has graded in {_time(other.again)}; "
                "it looks at their time of arrival alone."
            )


def _growth(growth: Sequence[ClassFigures]) -> Iterator[str]:
    yield from _head(["submissions", *(f"{done.count:,}" for done in growth)])
    yield _row(["the class", *(_time(done.seconds) for done in growth)])
    yield _row(["each", *(_time(done.each) for done in growth)])
    yield _row(["peak memory", *(_memory(done.peak_mb) for done in growth)])


def _stages(figures: Figures) -> Iterator[str]:
    each = sorted((s for s in figures.stages if s.name != ONCE), key=lambda stage: -stage.milliseconds)
    total = Stage(
        "all", sum(stage.milliseconds for stage in each), sum(stage.without_walls for stage in each)
    )
    once = [stage for stage in figures.stages if stage.name == ONCE]
    yield from _head(["stage, for a submission, 1 job", "time", "without walls"])
    for stage in (*each, total, *once):
        yield _row([stage.name, *(f"{time:.1f} ms" for time in (stage.milliseconds, stage.without_walls))])


def _waiting(figures: Figures) -> Iterator[str]:
    waiting = figures.waiting
    pytest, run = (f"{seconds / waiting.cells:.2f} times that" for seconds in (waiting.pytest, waiting.run))
    yield (
        f"Importing torch and running the solved notebook's cells takes {_time(waiting.cells)}; `pytest` in "
        f"the student's folder takes {_time(waiting.pytest)}, {pytest}; `autograder run` on the notebook "
        f"{_time(waiting.run)}, {run}."
    )


def _jobs(jobs: int) -> str:
    return "1 job" if jobs == 1 else f"{jobs} jobs"


def _head(titles: Sequence[str]) -> Iterator[str]:
    yield _row(titles)
    yield _row(["---", *("---:" for _ in titles[1:])])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _time(seconds: float) -> str:
    """Return a time in the unit that suits it."""
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.1f} min"


def _memory(megabytes: float) -> str:
    return f"{megabytes:,.0f} MB"
