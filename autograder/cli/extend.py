"""The `autograder extend` command."""

import click

from autograder.cli import options


@click.command()
@click.argument("student")
@click.argument("words", nargs=-1, required=True, metavar="[EXERCISE] UNTIL")
@click.option("--all", "everything", is_flag=True, help="In all exercises that are due; name none.")
@options.course
def extend(course: "options.Course", student: str, words: tuple[str, ...], everything: bool) -> None:
    """Give a student more time.

    STUDENT may hand in EXERCISE until UNTIL, or when everybody else must if UNTIL is "none". UNTIL is a
    moment such as "2026-03-01 18:00 Europe/Berlin", or a time after the due date such as "+2 days". With
    --all every due date is later, as in `extend ana --all "+2 days"`; an extension that lasts longer stays.
    Extensions are kept in extensions.csv, which may be edited by hand. Changes to submissions that are graded
    already are shown.
    """
    from autograder.cli.progress import show_changes
    from autograder.gradebook.lateness import extend as write_extension
    from autograder.gradebook.pages import settle

    if everything:
        exercises, until = [one for one in course.chosen(()) if course.due(one.name)], " ".join(words)
    else:
        exercises, until = course.chosen(words[:1]), " ".join(words[1:])
    if not until:
        raise click.UsageError('say until when, such as "+2 days"')
    if not exercises:
        raise click.UsageError("no exercise is due; give one a `due` in course.yaml first")
    for exercise in exercises:
        kept = write_extension(
            course, student, exercise.name, None if until == "none" else until, keep_later=everything
        )
        click.echo(f"{student} may hand in {exercise.name} {f'until {kept}' if kept else 'as everybody'}")
    show_changes([change for exercise in exercises for change in settle(course, exercise)])
