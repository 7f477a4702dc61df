"""The `autograder extend` command."""

import click

from autograder.cli import options


@click.command()
@click.argument("student")
@click.argument("exercise")
@click.argument("until")
@options.course
def extend(course: "options.Course", student: str, exercise: str, until: str) -> None:
    """Let STUDENT hand in EXERCISE until UNTIL, or as everybody else if UNTIL is "none".

    UNTIL is a moment such as "2026-03-01 18:00 Europe/Berlin". Extensions are kept in extensions.csv, which
    may be edited by hand; what they change about submissions that are graded already is shown.
    """
    from autograder.cli.progress import show_changes
    from autograder.gradebook.extensions import extend as write_extension
    from autograder.gradebook.pages import settle

    (chosen,) = course.chosen([exercise])
    write_extension(course, student, exercise, None if until == "none" else until)
    click.echo(f"{student} may hand in {exercise} {'as everybody' if until == 'none' else f'until {until}'}")
    show_changes(settle(course, chosen))
