"""The `autograder collect` command: reads its options and prints a line on each thing in the archives.

It has a module of its own because it has many options. Like the other commands it imports what it needs
when it runs, so that `autograder --help` stays fast.
"""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli import options

if TYPE_CHECKING:
    from autograder.collecting.collect import CollectedLine


@click.command()
@click.argument(
    "archives", nargs=-1, required=True, metavar="ARCHIVE...", type=click.Path(path_type=Path, exists=True)
)
@click.option("--exercise", help="All notebooks are of this exercise, whatever their names.")
@click.option(
    "--pattern",
    metavar="REGEX",
    help="How names are read, with groups student and, where names tell them, exercise and timestamp.",
)
@click.option(
    "--students",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="A CSV with a student a row: the id, then the names that platforms use. Nobody else is taken.",
)
@click.option("--no-times", is_flag=True, help="Do not believe the archives' times: nothing is late.")
@click.pass_obj
def collect(
    folder: Path | None,
    archives: tuple[Path, ...],
    exercise: str | None,
    pattern: str | None,
    students: Path | None,
    no_times: bool,
) -> None:
    """Take submissions from zip and tar archives and from folders into submitted/.

    Known are exports of Canvas (students are called by their user id there), Moodle (by their full name)
    and Gradescope (by sid or address), and folders or archives of students. Times without a zone are UTC.
    """
    from autograder.collecting.collect import collect_archives
    from autograder.collecting.naming import NamingRules
    from autograder.collecting.pattern import read_pattern
    from autograder.collecting.roster import read_roster

    course = options.open_course(folder)
    rules = NamingRules(
        exercises=list(course.exercises),
        exercise=course.chosen([exercise])[0].name if exercise else "",
        pattern=read_pattern(pattern) if pattern else None,
        students=read_roster(students) if students else None,
    )
    lines = collect_archives(course, archives, rules, times=not no_times, notify=_print_line)
    counts = Counter(line.status for line in lines)
    click.echo(", ".join(f"{count} {status}" for status, count in counts.items()) or "no notebooks")


def _print_line(line: "CollectedLine") -> None:
    """Print in one line what became of a thing in an archive."""
    from autograder.report.text import terminal_line

    who = f"{line.exercise} {line.student}" if line.student else ""
    where = (line.archive, line.path) if line.status == "refused" else ()
    click.echo(terminal_line(": ".join(part for part in (who, *where, line.status, line.message) if part)))
