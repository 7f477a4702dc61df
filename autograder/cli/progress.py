"""Shows grading to those who wait for it: a bar on a terminal, a line for each elsewhere, then a table."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from types import TracebackType

import click
from rich import progress
from rich.console import Console
from rich.text import Text

from autograder.batch.grade import SubmissionLine, Summary
from autograder.cli.table import show
from autograder.report.report import Status
from autograder.report.text import number, terminal_line

_STATES = (Status.GRADED, Status.UNREADABLE, "missing", "refused", Status.GRADER_ERROR)


class _Rate(progress.ProgressColumn):
    """How many submissions a second."""

    def render(self, task: progress.Task) -> Text:
        """Return the rate, once there is one."""
        return Text(f"{task.speed:.1f}/s" if task.speed else "")


class Progress:
    """Tells of submissions as they are done; use it in a `with` block."""

    def __init__(self, total: int, *, as_json: bool = False) -> None:
        self._as_json = as_json
        console = Console()
        self._bar = progress.Progress(
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            _Rate(),
            progress.TimeRemainingColumn(),
            console=console,
            disable=as_json or not console.is_terminal,
            transient=True,
            auto_refresh=False,  # by a thread, with which no process should be forked
        )
        self._task = self._bar.add_task("", total=total)

    def __enter__(self) -> "Progress":
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def notify(self, line: SubmissionLine) -> None:
        """Say what became of one submission; on a terminal only of those that somebody should know of."""
        self._bar.advance(self._task)
        self._bar.refresh()
        if self._as_json:
            click.echo(json.dumps(asdict(line)))
        elif self._bar.disable:
            click.echo(_described(line), err=line.ours)
        elif line.message or line.status != Status.GRADED:
            self._bar.console.print(Text(_described(line)))


def show_summary(summary: Summary) -> None:
    """Print a table of what became of a class, a row for each exercise."""
    names = list(dict.fromkeys(line.exercise for line in summary.lines))
    rows = [_row(name, [line for line in summary.lines if line.exercise == name]) for name in names]
    columns = ("exercise", *_STATES, "not changed", "late", "mean score")
    people = len(summary.failures)
    note = f"{len(summary.lines)} submissions, {people} that need a person's help"
    show("Graded", columns, rows, note)


def _row(exercise: str, lines: Sequence[SubmissionLine]) -> list[str]:
    scores = [line.score for line in lines if line.score is not None]
    mean = sum(scores) / len(scores) if scores else None
    most = max((line.max_score or 0 for line in lines), default=0)
    counts = [sum(line.status == state for line in lines) for state in _STATES]
    counts += [sum(not line.graded for line in lines), sum(line.seconds_late > 0 for line in lines)]
    return [exercise, *(str(count or "") for count in counts), f"{number(mean)} of {number(most)}"]


def _described(line: SubmissionLine) -> str:
    points = f"{number(line.score)} of {number(line.max_score)}" if line.max_score is not None else ""
    late = f"{line.seconds_late / 3600:.1f} h late" if line.seconds_late else ""
    before = "" if line.graded else "unchanged"
    words = ", ".join(word for word in (line.status, points, late, before) if word)
    message = f": {line.message}" if line.message else ""
    return terminal_line(f"{line.exercise} {line.student}: {words}{message}")
