"""The commands `canvas`, which sends grades and comments over Canvas's API, and `canvas-zip`."""

from typing import Any

import click

from autograder.cli import options

SECTION = "Platforms"


@click.command()
@click.argument("exercise")
@click.option("--to", required=True, metavar="COURSE", help="The course's number in Canvas.")
@click.option("--assignment", default="", metavar="NUMBER", help="In Canvas, if not named EXERCISE.")
@click.option("--comments", is_flag=True, help="Also send the feedback, as a comment.")
@click.option("--all", "everything", is_flag=True, help="Send all grades, even those that were sent before.")
@options.final_only
@options.unreadable_as_zero
@click.option("--dry-run", is_flag=True, help="Only say what would be sent.")
@options.course
def canvas(
    course: "options.Course", exercise: str, final_only: bool, unreadable_as_zero: bool, **what: Any
) -> None:
    """Send grades to Canvas.

    Only grades that changed since the last time are sent. Set the environment variables CANVAS_API_URL (the
    server) and CANVAS_API_TOKEN; the token is not stored.
    """
    from autograder.plugins.canvas.grades import send_grades
    from autograder.publishing.export import Choice
    from autograder.report.text import number

    (chosen,) = course.chosen([exercise])
    sent = send_grades(course, chosen, choice=Choice(final_only, unreadable_as_zero), **what)
    options.print_lines(f"{chosen.name} {student}: {number(score)}" for student, score in sent.scores.items())
    problems = (f"{chosen.name} left out: {problem}" for problem in sent.problems)
    options.print_lines((*problems, *sent.told), err=True)
    click.echo(f"{len(sent.scores)} grades {'would go' if what['dry_run'] else 'went'} to Canvas")


@click.command("canvas-zip")
@click.argument("exercise")
@options.changed(help="Pack only feedback that changed since it was packed last.")
@options.course
def canvas_zip(course: "options.Course", exercise: str, changed: bool) -> None:
    """Pack feedback for Canvas.

    Upload the zip in Canvas under "Upload Submissions". Canvas stores feedback under the submitted file's
    name, so the feedback is a notebook with scores and comments instead of a page.
    """
    from autograder.plugins.canvas.grades import pack_for_canvas

    (chosen,) = course.chosen([exercise])
    options.show_packed(course, pack_for_canvas(course, chosen, changed=changed))
