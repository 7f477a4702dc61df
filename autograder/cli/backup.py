"""The commands `autograder backup` and `autograder restore`."""

from datetime import datetime
from pathlib import Path

import click

from autograder.cli import options


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@options.course
def backup(course: "options.Course", file: Path | None) -> None:
    """Back up everything that cannot be made again.

    Gradebook, submissions, secret, lists and audit go to FILE, or to a new file in backups/. The file holds
    the secret and all grades, so keep it as safe as those, and on another machine.
    """
    from autograder.gradebook.backup import back_up

    stamp = datetime.now().astimezone().strftime("%Y-%m-%d-%H%M%S")
    path = file or course.root / "backups" / f"{course.settings.course}-{stamp}.zip"
    count = back_up(course, path)
    click.echo(f"wrote {path}: {count} files")


@click.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--overwrite", is_flag=True, help="Replace files that lie there and are not as in FILE.")
@options.course
def restore(course: "options.Course", file: Path, overwrite: bool) -> None:
    """Restore a backup, all of it or nothing.

    If a file in the course differs from the one in FILE, nothing is written, unless you add `--overwrite`.
    """
    from autograder.authoring.release import build_missing
    from autograder.gradebook.backup import restore as bring_back

    done = bring_back(course, file, overwrite=overwrite)
    build_missing(course, course.exercises.values())
    click.echo(f"{done.written} files written, {done.unchanged} were there already")
    if done.others:
        click.echo(f"{done.others} more files are here that are not in {file.name}; they stay as they are")
