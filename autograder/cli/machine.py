"""The commands that show the kit at work on this machine: `demo` and `doctor`."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli import options
from autograder.errors import OUR_FAILURE

if TYPE_CHECKING:
    from autograder.batch.grade import SubmissionLine, Summary
    from autograder.course.course import Course


@click.command()
@options.exercises
@click.pass_obj
def demo(folder: Path | None, exercises: tuple[str, ...]) -> None:
    """Grade a made-up class in build/demo/, away from any real gradebook."""
    from autograder.cli.progress import Progress
    from autograder.demo import demonstrate, hand_ins

    course = options.open_course(folder)
    chosen = course.chosen(exercises)
    with Progress(hand_ins(chosen)) as progress:
        made, summary = demonstrate(course, chosen, notify=progress.notify)
    show_class(made, summary)
    for line in results(made):
        click.echo(line)
    sys.exit(summary.exit_code)


@click.command()
@click.pass_obj
def doctor(folder: Path | None) -> None:
    """Look at this machine: versions, the worker and its walls, course.yaml, folders."""
    from autograder.doctor import examine

    healthy = True
    for check in examine(options.course_folder(folder)):
        healthy &= check.ok
        state = click.style("ok    ", fg="green") if check.ok else click.style("not ok", fg="red")
        click.echo(f"{state}  {check.name}: {check.seen}")
        if check.fix:
            click.echo(f"        {check.fix}")
    sys.exit(0 if healthy else OUR_FAILURE)


def show_class(demo: "Course", summary: "Summary") -> None:
    """Print what each made-up student scored, and what is special about them."""
    from autograder.cli.table import show
    from autograder.demo import CLASS

    lines = {(line.student, line.exercise): line for line in summary.lines}
    rows = [
        [student.name, *(_cell(lines.get((student.name, name))) for name in demo.exercises), student.about]
        for student in CLASS
    ]
    columns = ("student", *(name.partition("_")[0] for name in demo.exercises), "what is special")
    show("The demo class", columns, rows)


def results(demo: "Course") -> Iterator[str]:
    """Yield a line for each place where the demo's results can be looked at."""
    kept = {"dashboard": "build/dashboard.html", "tables": "build/exports", "reports": "build/reports"}
    for what, where in {"feedback": "feedback", **kept}.items():
        yield f"{what:12}{demo.root / where}"
    jupyter = Path(sys.executable).with_name("jupyter")
    yield f"{'formgrader':12}cd {demo.root} && {jupyter} lab, then Nbgrader > Formgrader in its menu"


def _cell(line: "SubmissionLine | None") -> str:
    from autograder.report.text import number

    if line is None:
        return ""
    if line.status != "graded":
        return line.status
    return f"{number(line.score)}/{number(line.max_score)}{' late' if line.seconds_late else ''}"
