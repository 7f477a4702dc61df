"""The commands `autograder backup` and `autograder restore`."""

from datetime import datetime
from pathlib import Path

import click

from autograder.cli import options


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@options.course
def backup(course: "options.Course", file: Path | None) -> None:
    """Pack gradebook, submissions, secret, lists and audit into FILE, or into a new file in backups/.

    Whoever has the file has the secret and all grades: keep it as you keep those, and not on this machine.
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
    """Bring back what `autograder backup` has packed into FILE, all of it or nothing.

    Where a file lies that is not as in FILE, nothing is written; `--overwrite` replaces it.
    """
    from autograder.authoring.release import build_missing
    from autograder.gradebook.backup import restore as bring_back

    done = bring_back(course, file, overwrite=overwrite)
    build_missing(course, course.exercises.values())
    click.echo(f"{done.written} files written, {done.unchanged} were there already")
    if done.others:
        click.echo(f"{done.others} more files are here that are not in {file.name}; they stay as they are")
