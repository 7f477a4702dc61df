"""The `autograder rename` command."""

import click

from autograder.cli import options


@click.command()
@click.argument("old")
@click.argument("new")
@options.course
def rename(course: "options.Course", old: str, new: str) -> None:
    """Give the student OLD the id NEW: in the gradebook, all folders, and all lists beside course.yaml.

    Where a platform goes on calling the student OLD, put that into students.csv, too, as another name.
    """
    from autograder.gradebook.renaming import rename as give_id

    give_id(course, old, new)
    click.echo(f"{old} is now {new}")
