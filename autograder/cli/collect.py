"""The `autograder collect` command, in a module of its own because it has many options."""

import sys
from collections import Counter
from datetime import tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import click

from autograder.cli import options
from autograder.errors import SOME_REFUSED


@click.command()
@click.argument(
    "archives", nargs=-1, required=True, metavar="ARCHIVE...", type=click.Path(path_type=Path, exists=True)
)
@click.option("--exercise", help="All notebooks are of this exercise, whatever their names.")
@click.option(
    "--pattern",
    metavar="REGEX",
    help="Read names by its groups: student and, if any, exercise and timestamp.",
)
@click.option(
    "--students",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The CSV of the class, else students.csv beside course.yaml if there is one. Nobody else is taken.",
)
@click.option(
    "--times",
    "lists",
    metavar="FILE",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Moodle's grading worksheet, or a CSV with the columns student, time and, if you like, exercise.",
)
@click.option("--zone", metavar="NAME", help="The zone of times that name none, such as Europe/Berlin.")
@click.option("--no-times", is_flag=True, help="Do not believe the archives' times: nothing is late.")
@options.course
def collect(
    course: "options.Course",
    archives: tuple[Path, ...],
    exercise: str | None,
    pattern: str | None,
    students: Path | None,
    lists: tuple[Path, ...],
    zone: str | None,
    no_times: bool,
) -> None:
    """Take submissions from archives or folders.

    It reads the exports of Canvas (with user ids), Moodle (with full names) and Gradescope (with sids or
    email addresses), and zip and tar archives or folders with one folder for each student. students.csv maps
    these to ids of your own. Submissions go to submitted/. The exports of Canvas and Moodle hold no times:
    give them with --times. A time without a zone is read in the zone of the exercise's due date. If anything
    is refused, the exit code is 1.
    """
    from autograder.collecting.attribution import NamingRules
    from autograder.collecting.collect import collect_archives
    from autograder.collecting.entry import read_pattern
    from autograder.collecting.metadata import read_times
    from autograder.collecting.survey import REFUSED
    from autograder.report.text import terminal_line
    from autograder.submission.students import listed_students, read_students

    rules = NamingRules(
        exercises=list(course.exercises),
        exercise=course.chosen([exercise])[0].name if exercise else "",
        pattern=read_pattern(pattern) if pattern else None,
        students=read_students(students) if students else listed_students(course.root),
        times=read_times(lists),
    )
    counts: Counter[str] = Counter()
    untimed: set[str] = set()
    lines = collect_archives(course, archives, rules, times=not no_times, zone=_zone(zone))
    for line in lines:
        counts[line.status] += 1
        untimed.update(filter(None, [line.untimed]))
        who = f"{line.exercise} {line.student}" if line.student else ""
        where = (line.archive, line.path) if line.status == REFUSED else ()
        click.echo(terminal_line(": ".join(filter(None, (who, *where, line.status, line.message)))))
    click.echo(", ".join(f"{count} {status}" for status, count in counts.items()) or "no notebooks")
    if untimed:
        click.echo(f"nothing from {' and '.join(sorted(untimed))} counts as late without a time; see --times")
    if counts[REFUSED]:
        why = f"which stands above, and `make` calls that Error {SOME_REFUSED}"
        click.echo(
            f"the exit code is {SOME_REFUSED} for what was refused, {why}; all else is collected", err=True
        )
        sys.exit(SOME_REFUSED)


def _zone(name: str | None) -> tzinfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise click.UsageError(
            f'--zone: "{name}" is no zone; write one such as Europe/Berlin or UTC'
        ) from None
