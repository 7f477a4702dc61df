"""The `autograder collect` command, in a module of its own because it has many options."""

from collections import Counter
from pathlib import Path

import click

from autograder.cli import options


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
    help="A CSV with a student a row: the id, then the names that platforms use. Nobody else is taken.",
)
@click.option("--no-times", is_flag=True, help="Do not believe the archives' times: nothing is late.")
@options.course
def collect(
    course: "options.Course",
    archives: tuple[Path, ...],
    exercise: str | None,
    pattern: str | None,
    students: Path | None,
    no_times: bool,
) -> None:
    """Take submissions from zip and tar archives and from folders into submitted/.

    It reads the exports of Canvas (which yield students' user ids), Moodle (their full names) and Gradescope
    (their sids or addresses), and folders or archives of students. Times without a zone are taken for UTC.
    """
    from autograder.collecting.collect import collect_archives
    from autograder.collecting.instructor import read_pattern, read_roster
    from autograder.collecting.naming import NamingRules
    from autograder.report.text import terminal_line

    rules = NamingRules(
        exercises=list(course.exercises),
        exercise=course.chosen([exercise])[0].name if exercise else "",
        pattern=read_pattern(pattern) if pattern else None,
        students=read_roster(students) if students else None,
    )
    counts: Counter[str] = Counter()
    for line in collect_archives(course, archives, rules, times=not no_times):
        counts[line.status] += 1
        who = f"{line.exercise} {line.student}" if line.student else ""
        where = (line.archive, line.path) if line.status == "refused" else ()
        click.echo(terminal_line(": ".join(filter(None, (who, *where, line.status, line.message)))))
    click.echo(", ".join(f"{count} {status}" for status, count in counts.items()) or "no notebooks")
