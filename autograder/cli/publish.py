"""The commands by which results and exercises leave: feedback, export, dashboard, package."""

from pathlib import Path

import click

from autograder.cli import options


@click.command()
@options.exercises
@click.pass_obj
def feedback(folder: Path | None, exercises: tuple[str, ...]) -> None:
    """Write a page for each graded submission, in feedback/."""
    from autograder.publishing.feedback import write_pages

    course = options.open_course(folder)
    pages = write_pages(course, course.chosen(exercises))
    click.echo(f"{len(pages)} pages in {course.root / 'feedback'}")


@click.command()
@options.exercises
@click.pass_obj
def export(folder: Path | None, exercises: tuple[str, ...]) -> None:
    """Write the gradebook as CSV: by question, by exercise, for Canvas and for Moodle."""
    from autograder.publishing.export import write_tables

    course = options.open_course(folder)
    for path in write_tables(course, course.chosen(exercises)):
        click.echo(f"wrote {path.relative_to(course.root)}")


@click.command()
@options.exercises
@click.pass_obj
def dashboard(folder: Path | None, exercises: tuple[str, ...]) -> None:
    """Write one page on the whole class: scores, questions, mistakes, and who needs a look."""
    from autograder.publishing.dashboard import write_dashboard

    course = options.open_course(folder)
    for path in write_dashboard(course, course.chosen(exercises)):
        click.echo(f"wrote {path.relative_to(course.root)}")


@click.command()
@click.argument("exercise")
@click.pass_obj
def package(folder: Path | None, exercise: str) -> None:
    """Pack an exercise as an autograder for Gradescope."""
    from autograder.gradescope.package import write_package
    from autograder.report.text import number

    course = options.open_course(folder)
    (chosen,) = course.chosen([exercise])
    click.echo(f"wrote {write_package(course, chosen).relative_to(course.root)}")
    click.echo(f"It gives {number(sum(chosen.points.values()))} points: set these in Gradescope.")
