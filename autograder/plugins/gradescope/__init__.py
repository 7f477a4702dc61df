"""The command `gradescope`.

- package: packs an exercise with our engine.
- run: grades in Gradescope's container.
"""

import click

from autograder.cli import options

SECTION = "Platforms"


@click.command()
@click.argument("exercise")
@options.course
def gradescope(course: "options.Course", exercise: str) -> None:
    """Pack an exercise for Gradescope."""
    from autograder.plugins.gradescope.package import write_package
    from autograder.report.text import number

    (chosen,) = course.chosen([exercise])
    click.echo(f"wrote {write_package(course, chosen).relative_to(course.root)}")
    click.echo(f"It gives {number(sum(chosen.points.values()))} points: set these in Gradescope.")
    if chosen.written:
        names, points = ", ".join(chosen.written), number(sum(chosen.written.values()))
        click.echo(
            f"{points} more points are for written answers ({names}): switch on manual grading in the "
            "assignment's settings, and add a question for each."
        )
