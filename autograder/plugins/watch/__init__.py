"""The command `watch`: grades work as it comes in, and returns pages at once, within limits.

- rounds: one round of watching: collects, grades what may be told now, and writes the pages.
- arrivals: takes what is new from nbgrader's exchange, or from a folder of uploads.
- bound: says how much repeated attempts can tell about hidden inputs.
"""

import signal
import time
from itertools import count
from pathlib import Path
from types import FrameType

import click

from autograder.cli import options

SECTION = "Term"


@click.command()
@options.exercises
@click.option(
    "--uploads",
    multiple=True,
    metavar="ARCHIVE",
    type=click.Path(path_type=Path, exists=True),
    help="Watch this archive or folder instead of nbgrader's exchange; repeatable.",
)
@click.option("--release", is_flag=True, help="Return pages through nbgrader's exchange as they are written.")
@click.option("--every", default=30.0, metavar="SECONDS", type=click.FloatRange(0.1), help="Default: 30.")
@click.option("--rounds", type=click.IntRange(1), metavar="N", help="Stop after so many rounds.")
@options.jobs(help="Grade in so many processes; default: one.")
def watch(
    course: "options.Course",
    exercises: "list[options.Exercise]",
    uploads: tuple[Path, ...],
    release: bool,
    every: float,
    rounds: int | None,
    jobs: int | None,
) -> None:
    """Grade submissions as they come in.

    Pages are written at once, until the command is stopped.

    `attempts` in course.yaml says how many attempts a day are graded for a student, how long the pause is
    between two, and how much pages show before the due date. You can stop or kill the command any time: the
    same command continues from there.
    """
    from autograder.authoring.release import build_missing
    from autograder.gradebook.config import load
    from autograder.plugins.watch.arrivals import Arrivals, FromExchange, FromUploads
    from autograder.plugins.watch.bound import what_pages_tell
    from autograder.plugins.watch.rounds import Watch

    config = load(course)
    build_missing(course, exercises)
    for exercise in exercises:
        click.echo(what_pages_tell(course, exercise))
    arrivals: Arrivals = FromUploads(course, uploads) if uploads else FromExchange(course, config)
    watching = Watch(course, exercises, arrivals, config, release=release, jobs=jobs or 1)
    before = signal.signal(signal.SIGTERM, _stop)
    try:
        for number in count() if rounds is None else range(rounds):
            time.sleep(every if number else 0)
            options.print_lines(watching.round())
    except KeyboardInterrupt:
        click.echo("stopped; the same command continues from here")
    finally:
        signal.signal(signal.SIGTERM, before)


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
