"""The commands `moodle` and `moodle-zip`: grades and feedback in files that Moodle imports."""

from pathlib import Path

import click

from autograder.cli import options

SECTION = "Platforms"


@click.command()
@click.argument("exercise")
@click.argument("worksheet", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@options.changed(help="Write only grades that changed since the last worksheet.")
@options.final_only
@options.unreadable_as_zero
@options.course
def moodle(course: "options.Course", exercise: str, worksheet: Path, changed: bool, **choice: bool) -> None:
    """Fill Moodle's grading worksheet.

    Only the grade column changes. The filled worksheet is in build/exports/.
    """
    from autograder.plugins.moodle.worksheet import fill_worksheet
    from autograder.publishing.export import Choice

    (chosen,) = course.chosen([exercise])
    filled = fill_worksheet(course, chosen, worksheet, changed=changed, choice=Choice(**choice))
    options.print_lines((*(f"left out: {problem}" for problem in filled.problems), *filled.told), err=True)
    click.echo(f"wrote {filled.path.relative_to(course.root)}: grades of {len(filled.students)}")


@click.command("moodle-zip")
@click.argument("exercise")
@click.option(
    "--worksheet",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Moodle's grading worksheet, which has the participants' numbers.",
)
@options.changed(help="Pack only feedback that changed since it was packed last.")
@options.course
def moodle_zip(course: "options.Course", exercise: str, worksheet: Path | None, changed: bool) -> None:
    """Pack feedback pages for Moodle.

    Run `autograder feedback` first. Upload the zip in Moodle under "Upload multiple feedback files in a zip".
    """
    from autograder.plugins.moodle.worksheet import pack_for_moodle

    (chosen,) = course.chosen([exercise])
    options.show_packed(course, pack_for_moodle(course, chosen, sheet=worksheet, changed=changed))
