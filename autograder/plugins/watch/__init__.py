"""The command `watch`: grades work as it comes in, and returns pages at once, within limits.

The module `rounds` takes what is new from nbgrader's exchange, or from a folder of uploads, grades what may
be told now, and writes the pages. `inbox` reads the folders of the exchange.
"""

import signal
import sys
import time
from itertools import count
from pathlib import Path
from types import FrameType

import click

from autograder.cli import options
from autograder.errors import OUR_FAILURE


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
    from autograder.batch.pool import ProcessPool
    from autograder.gradebook.config import load
    from autograder.plugins.watch.rounds import FromExchange, FromUploads, Watch

    config = load(course)
    build_missing(course, exercises)
    for exercise in exercises:
        click.echo(what_pages_tell(exercise))
    arrivals: FromUploads | FromExchange = (
        FromUploads(course, uploads) if uploads else FromExchange(course, config)
    )
    before = signal.signal(signal.SIGTERM, _stop)
    try:
        with ProcessPool(course, jobs or 1) as pool:
            if rounds is None:
                pool.start()  # before anybody waits; the processes stay from round to round
            watching = Watch(course, exercises, arrivals, config, pool, release=release)
            for number in count() if rounds is None else range(rounds):
                time.sleep(every if number else 0)
                options.print_lines(watching.round())
            if watching.has_failed:
                sys.exit(OUR_FAILURE)
    except KeyboardInterrupt:
        click.echo("stopped; the same command continues from here")
    finally:
        signal.signal(signal.SIGTERM, before)


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def what_pages_tell(exercise: "options.Exercise") -> str:
    """Return how much repeated attempts can tell of hidden inputs, by the bound that `verify` prints."""
    from autograder.grading.outcomes import max_leaked_bits
    from autograder.plugins.watch.rounds import settings_of
    from autograder.testing.suite import Suite

    settings, suite = settings_of(exercise), Suite(exercise)
    building, questions = len(exercise.settings.builds_on), len(exercise.points)
    bits = max_leaked_bits(len(suite.tests), len(exercise.rules), building, questions)
    bound = f"each can leak at most {bits} bits of hidden inputs, those of a day {bits * settings.a_day}"
    return f"{exercise.name}: {settings.a_day} attempts a day; {bound}"
