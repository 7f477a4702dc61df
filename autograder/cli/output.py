"""Prints the progress of grading, and tables of its results."""

import json
import shlex
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich import progress as bars
from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.report.report import Report, Status, Verdict, choose_badge
from autograder.report.text import number, terminal_line
from autograder.submission.students import with_name

if TYPE_CHECKING:  # imported for types only, because importing the gradebook takes long
    from autograder.batch.grade import Summary
    from autograder.course.course import Course
    from autograder.gradebook.ledger import SubmissionLine
    from autograder.submission.submission import Submission

_WIDE = 100_000  # the width of a table in a file, in characters; rich wraps only longer lines
_STATES = (Status.GRADED, Status.UNREADABLE, "missing", "refused", Status.GRADER_ERROR)


def show(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], note: str = "") -> None:
    """Print a title, a table and a note. Output to a file has no colours, and its lines are not wrapped."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDE, color_system=None)
    table = Table(*columns, box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for row in rows:
        table.add_row(*(Text("\n".join(map(terminal_line, cell.splitlines()))) for cell in row))
    with console.capture() as printed:
        console.print(table)
    lines = (terminal_line(title), *map(str.rstrip, printed.get().splitlines()), terminal_line(note))
    click.echo("\n".join(filter(None, lines)) + "\n")


def show_report(notebook: str, report: Report) -> None:
    """Print a report as a table: the verdict, score and hint of each question."""
    rows = []
    for question in report.questions:
        score = question.halves_in_words or f"{number(question.score)} of {number(question.max_score)}"
        if question.verdict is Verdict.REVIEW:
            score = f"{number(question.score_by_tests)} of {number(question.max_score)} by tests, not final"
        hint = "graded manually" if question.verdict is Verdict.UNGRADED else question.hint
        badge = choose_badge(question.verdict, question.score, question.max_score)
        rows.append((question.name, badge, score.replace(": ", ":\n").replace(", and ", "\n"), hint))
    score = f"{number(report.score)} of {number(report.max_score)} points"
    title = f"{notebook} ({report.exercise}): {report.status}, {score}"
    show(title, ("question", "verdict", "score", "hint"), rows, report.message)


class Progress(bars.Progress):
    """Shows the number of graded submissions in a bar; use it in a `with` block.

    Also prints lines. If `verbose` is true, each submission gets a line. If `verbose` is None, each
    submission that needs attention gets a line. If `verbose` is false, only refused submissions and those on
    which the autograder failed get a line. `names` has the students' names, by id.
    """

    def __init__(
        self,
        total: int | None,
        names: Mapping[str, str] = {},
        *,
        as_json: bool = False,
        verbose: bool | None = None,
    ) -> None:
        console = Console()
        columns = (bars.BarColumn(), bars.MofNCompleteColumn(), bars.TimeRemainingColumn())
        silent = as_json or not console.is_terminal
        # Automatic refreshing would start a thread. Then grading could not safely fork this process.
        super().__init__(*columns, console=console, disable=silent, transient=True, auto_refresh=False)
        self._as_json, self._submissions = as_json, self.add_task("", total=total)
        self._verbose, self._names = verbose, names

    def show(self, line: "SubmissionLine") -> None:
        """Count a graded submission. Print its JSON with `as_json`, else its line if `verbose` demands it."""
        self.advance(self._submissions)
        self.refresh()
        if self._as_json:
            click.echo(json.dumps(asdict(line) | {"name": self._names.get(line.student, "")}))
        elif not self._is_worth_a_line(line):
            return
        elif self.disable:
            click.echo(_described(line, self._names), err=line.ours)
        else:
            self.console.print(Text(_described(line, self._names)))

    def explain(self, total: int) -> None:
        """Start a new bar for `total` submissions to explain."""
        if total:
            self.reset(self._submissions, total=total)
            if not self._as_json:
                click.echo(f"All marks are written. Explaining the wrong answers of {total} submissions.")
            self.start()

    def show_explained(self, submission: "Submission", problem: str) -> None:
        """Count a submission after its explanation. If the explanation failed, print the problem."""
        self.advance(self._submissions)
        self.refresh()
        if problem:
            who = f"{submission.exercise} {with_name(submission.student, self._names)}"
            click.echo(terminal_line(f"{who}: not explained: {problem}"), err=True)

    def _is_worth_a_line(self, line: "SubmissionLine") -> bool:
        if self._verbose is not None:
            return self._verbose or line.ours
        return bool(line.message or line.held) or line.status != Status.GRADED


def _described(line: "SubmissionLine", names: Mapping[str, str]) -> str:
    by = " by tests" if line.status == Status.GRADED else ""
    points = f"{number(line.score)} of {number(line.max_score)}{by}" if line.max_score is not None else ""
    opened = f"{number(line.open_points)} points to grade manually" if line.open_points else ""
    late = f"{line.seconds_late / 3600:.1f} h late" if line.seconds_late else ""
    words = ", ".join(filter(None, (line.status, points, opened, late, "" if line.graded else "unchanged")))
    named = line.waiting and (line.status == Status.GRADED or not line.message)
    asked = f"an instructor has to look at {', '.join(line.waiting)}" if named else ""
    reasons = "; ".join(filter(None, (line.message.rstrip("."), asked)))
    message = f": {reasons}" if reasons else ""
    return terminal_line(f"{line.exercise} {with_name(line.student, names)}: {words}{message}")


def show_summary(summary: "Summary") -> None:
    """Print a table of the results of a class, with a row for each exercise."""
    if not summary.lines:
        if not summary.stopped:
            click.echo(
                "Nothing to grade: submitted/ has no matching submission. `autograder collect` fills it."
            )
        return
    names = dict.fromkeys(line.exercise for line in summary.lines)
    rows = [_exercise_row(name, [line for line in summary.lines if line.exercise == name]) for name in names]
    columns = ("exercise", *_STATES, "not changed", "late", "for an instructor", "mean by tests")
    counts = f"{len(summary.lines)} submissions. An instructor has to look at {len(summary.waiting)} of them"
    note = f"{counts}. The mean counts only points from tests, without written answers."
    show("Graded", columns, rows, note)


def show_changes(
    lines: "Sequence[SubmissionLine]", names: Mapping[str, str] = {}, *, dry_run: bool = False
) -> None:
    """Print a row for each changed score: the student, both scores, the difference and the reason."""
    rows = []
    for line in lines:
        questions = [
            f"{name} {_given(name, before)} to {_given(name, after)}"
            for name, (before, after) in line.changes.items()
        ]
        gain = None if None in (line.before, line.after) else (line.after or 0) - (line.before or 0)
        gained = "" if gain is None else f"{'+' if gain > 0 else ''}{number(gain)}"
        scores = (number(line.before), number(line.after), gained)
        student = with_name(line.student, names)
        rows.append((student, line.exercise, *scores, line.why, ", ".join(questions)))
    if rows:
        columns = ("student", "exercise", "before", "after", "change", "why", "questions")
        note = "This was a dry run: nothing is written." if dry_run else ""
        show("What would change" if dry_run else "What has changed", columns, rows, note)
    elif dry_run:
        click.echo("No score would change. This was a dry run: nothing is written.")


def show_class(demo: "Course", summary: "Summary") -> None:
    """Print the scores of each student of the made-up class, and what is special about the student."""
    from autograder.demo import CLASS  # only `demo` needs it

    cells = defaultdict(str, (((line.student, line.exercise), _result_cell(line)) for line in summary.lines))
    rows = [
        (student.name, *(cells[student.name, name] for name in demo.exercises), student.about)
        for student in CLASS
    ]
    columns = ("student", *(name.partition("_")[0] for name in demo.exercises), "what is special")
    note = "These points are from tests. Written answers get points when you grade them in the formgrader."
    show("The demo class", columns, rows, note)


def show_addresses(demo: "Course") -> None:
    """Print the addresses of a student's page and the class's page, and the command for the formgrader."""
    from autograder.demo import named_mistake

    student, question, page = named_mistake(demo)
    jupyter = Path(sys.executable).with_name("jupyter")
    addresses = {
        f"Feedback for {student}, which explains the mistake in {question}": page,
        "The whole class on one page": (demo.build / "dashboard.html").as_uri(),
        "The formgrader, for written answers (in JupyterLab's menu: Nbgrader > Formgrader)": (
            f"cd {shlex.quote(str(demo.root))} && {shlex.quote(str(jupyter))} lab"
        ),
    }
    for what, address in addresses.items():
        click.echo(f"{terminal_line(what)}:\n    {terminal_line(address)}")


def _exercise_row(exercise: str, lines: "Sequence[SubmissionLine]") -> list[str]:
    scores = [line.score for line in lines if line.score is not None]
    mean = sum(scores) / len(scores) if scores else None
    most = max(line.max_score or 0 for line in lines)
    counts = [sum(line.status == state for line in lines) for state in _STATES]
    counts += [sum(not line.graded for line in lines), sum(line.seconds_late > 0 for line in lines)]
    counts.append(sum(line.ours or bool(line.waiting) for line in lines))
    return [exercise, *(str(count or "") for count in counts), f"{number(mean)} of {number(most)}"]


def _given(question: str, score: float | None) -> str:
    return number(0 if score is None and question == "late" else score)  # a missing penalty is 0


def _result_cell(line: "SubmissionLine") -> str:
    if line.status != Status.GRADED:
        return line.status
    return f"{number(line.score)}/{number(line.max_score)}{' late' if line.seconds_late else ''}"
