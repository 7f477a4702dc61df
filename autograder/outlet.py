"""The commands that show and carry a class's results elsewhere.

They stand apart from the others as `collect` does. Imports stand inside them, as they do there.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from autograder.course import Course


@click.command()
@click.argument("exercises", nargs=-1, metavar="[EXERCISE]...")
@click.pass_obj
def dashboard(folder: Path | None, exercises: tuple[str, ...]) -> None:
    """Write one page on the whole class: scores, questions, mistakes, and who needs a look."""
    from autograder.dashboard_page import dashboard as write_dashboard

    course = _course(folder)
    for path in write_dashboard(course, course.chosen(exercises)):
        click.echo(f"wrote {path.relative_to(course.root)}")


def _course(folder: Path | None) -> "Course":
    from autograder.course import find_course, load_course

    return load_course((folder or find_course(Path.cwd())).absolute())
