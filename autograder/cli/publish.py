"""The commands by which results and exercises leave: feedback, export, dashboard, package."""

import click

from autograder.cli import options


@click.command()
@options.exercises
def feedback(course: "options.Course", exercises: "list[options.Exercise]") -> None:
    """Write a page for each graded submission, in feedback/."""
    from autograder.publishing.feedback import write_pages

    click.echo(f"{len(write_pages(course, exercises))} pages in {course.root / 'feedback'}")


@click.command()
@options.exercises
def export(course: "options.Course", exercises: "list[options.Exercise]") -> None:
    """Write the gradebook as CSV: by question, by exercise, for Canvas and for Moodle."""
    from autograder.publishing.export import write_tables

    for path in write_tables(course, exercises):
        click.echo(f"wrote {path.relative_to(course.root)}")


@click.command()
@options.exercises
def dashboard(course: "options.Course", exercises: "list[options.Exercise]") -> None:
    """Write one page on the whole class: scores, questions, mistakes, and who needs a look."""
    from autograder.publishing.dashboard import write_dashboard

    for path in write_dashboard(course, exercises):
        click.echo(f"wrote {path.relative_to(course.root)}")


@click.command()
@click.argument("exercise")
@options.course
def package(course: "options.Course", exercise: str) -> None:
    """Pack an exercise as an autograder for Gradescope."""
    from autograder.gradescope.package import write_package
    from autograder.report.text import number

    (chosen,) = course.chosen([exercise])
    click.echo(f"wrote {write_package(course, chosen).relative_to(course.root)}")
    click.echo(f"It gives {number(sum(chosen.points.values()))} points: set these in Gradescope.")
