"""The commands by which results leave: feedback, export, dashboard."""

from functools import partial
from pathlib import Path

import click

from autograder.cli import options

_changed = partial(click.option, "--changed", is_flag=True)
_worksheet = click.option(
    "--worksheet",
    metavar="FILE",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Moodle's grading worksheet of the one exercise that you name.",
)


@click.command()
@options.exercises
@click.option("--zip", "to", type=click.Choice(["canvas", "moodle"]), help="Pack it for this platform, too.")
@_worksheet
@_changed(help="Pack only feedback that is not what was packed last.")
def feedback(
    course: "options.Course",
    exercises: "list[options.Exercise]",
    to: str | None,
    worksheet: Path | None,
    changed: bool,
) -> None:
    """Write a page for each graded submission.

    Pages go to feedback/. With --zip they are packed as Canvas ("Upload Submissions") and Moodle ("Upload
    multiple feedback files in a zip") take them back. Canvas gives feedback the name of the file that was
    handed in, so that there it is a notebook with scores and comments in place of a page.
    """
    from autograder.gradebook.pages import doubtful_comments
    from autograder.publishing.feedback import write_pages
    from autograder.report.text import terminal_line

    if worksheet is not None:
        _refuse_several(exercises)
    click.echo(f"{len(write_pages(course, exercises))} pages in {course.root / 'feedback'}")
    for line in doubtful_comments(course, exercises):
        click.echo(terminal_line(line), err=True)
    if to is None:
        return
    from autograder.publishing.feedback_zip import Target, pack_feedback

    for exercise in exercises:
        packed = pack_feedback(course, exercise, Target(to), sheet=worksheet, changed=changed)
        for problem in packed.problems:
            click.echo(terminal_line(f"{exercise.name} left out: {problem}"), err=True)
        click.echo(f"wrote {packed.path.relative_to(course.root)}: feedback for {len(packed.students)}")


@click.command()
@options.exercises
@_worksheet
@_changed(help="Only grades that are others than in the last export.")
@options.final_only
@options.unreadable_as_zero
def export(
    course: "options.Course",
    exercises: "list[options.Exercise]",
    worksheet: Path | None,
    changed: bool,
    final_only: bool,
    unreadable_as_zero: bool,
) -> None:
    """Write the grades as CSV files.

    There is one by question, one by exercise, one for Canvas and one for Moodle.

    With --worksheet the file that Moodle gave is filled instead, in build/exports/. What was exported is kept
    in exports.jsonl, for --changed.
    """
    from autograder.publishing.export import Choice, write_tables
    from autograder.report.text import terminal_line

    choice = Choice(final_only, unreadable_as_zero)
    if worksheet is not None:
        from autograder.publishing.worksheet import fill_worksheet

        _refuse_several(exercises)
        filled = fill_worksheet(course, exercises[0], worksheet, changed=changed, choice=choice)
        for problem in filled.problems:
            click.echo(terminal_line(f"left out: {problem}"), err=True)
        for line in filled.told:
            click.echo(terminal_line(line), err=True)
        click.echo(f"wrote {filled.path.relative_to(course.root)}: grades of {len(filled.students)}")
        return
    tables = write_tables(course, exercises, changed=changed, choice=choice)
    for line in tables.told:
        click.echo(terminal_line(line), err=True)
    for path in tables.paths:
        click.echo(f"wrote {path.relative_to(course.root)}")


@click.command()
@options.exercises
def dashboard(course: "options.Course", exercises: "list[options.Exercise]") -> None:
    """Write one page about the whole class."""
    from autograder.publishing.dashboard import write_dashboard

    for path in write_dashboard(course, exercises):
        click.echo(f"wrote {path.relative_to(course.root)}")


def _refuse_several(exercises: "list[options.Exercise]") -> None:
    if len(exercises) != 1:
        raise click.UsageError("--worksheet is of one exercise; name it")
