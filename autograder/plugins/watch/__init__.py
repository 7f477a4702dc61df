"""The command `watch`: grades submissions as they arrive, within the daily limits of course.yaml.

- rounds: collects new submissions, grades those that are due, and writes their pages.
- inbox: reads the folders of nbgrader's exchange.
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
    help="Watch this archive or folder, not nbgrader's exchange; may be repeated.",
)
@click.option(
    "--release", is_flag=True, help="Return each page through nbgrader's exchange when it is written."
)
@click.option(
    "--every",
    default=30.0,
    metavar="SECONDS",
    type=click.FloatRange(0.1),
    help="Seconds between searches for new submissions. Default: 30.",
)
@click.option("--rounds", type=click.IntRange(1), metavar="N", help="Stop after N searches.")
@options.jobs(help="Grade in N processes. Default: 1.")
def watch(
    course: "options.Course",
    exercises: "list[options.Exercise]",
    uploads: tuple[Path, ...],
    release: bool,
    every: float,
    rounds: int | None,
    jobs: int | None,
) -> None:
    """Grade submissions as they arrive.

    Each page is written as soon as its submission is graded. The command runs until you stop it.

    `attempts` in course.yaml limits the attempts of a student that are graded each day, and sets the pause
    between two attempts. It also sets how much the pages show before the due date. You can stop or kill the
    command at any time. If you start the command again, it continues where it stopped.
    """
    from autograder.authoring.release import build_missing
    from autograder.batch.pool import ProcessPool
    from autograder.gradebook.config import load
    from autograder.plugins.watch.rounds import FromExchange, FromUploads, Watch

    config = load(course)
    build_missing(course, exercises)
    for exercise in exercises:
        click.echo(describe_leak(exercise))
    arrivals: FromUploads | FromExchange = (
        FromUploads(course, uploads) if uploads else FromExchange(course, config)
    )
    before = signal.signal(signal.SIGTERM, _stop)
    try:
        with ProcessPool(course, jobs or 1) as pool:
            if rounds is None:
                pool.start()  # so the first submission does not wait for the start of the processes
            watch_of_course = Watch(course, exercises, arrivals, config, pool, release=release)
            for number in count() if rounds is None else range(rounds):
                time.sleep(every if number else 0)
                options.print_lines(watch_of_course.round())
            if watch_of_course.has_failed:
                sys.exit(OUR_FAILURE)
    except KeyboardInterrupt:
        click.echo("stopped; to continue, run the same command again")
    finally:
        signal.signal(signal.SIGTERM, before)


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def describe_leak(exercise: "options.Exercise") -> str:
    """Return a line with the attempts a day, and with the bits that feedback on these attempts can leak."""
    from autograder.grading.outcomes import max_leaked_bits
    from autograder.plugins.watch.rounds import settings_of
    from autograder.testing.suite import Suite

    settings, suite = settings_of(exercise), Suite(exercise)
    building, questions = len(exercise.settings.builds_on), len(exercise.points)
    bits = max_leaked_bits(len(suite.tests), len(exercise.rules), building, questions)
    bound = f"at most {bits * settings.a_day} bits about hidden inputs ({bits} bits per attempt)"
    return f"{exercise.name}: feedback on {settings.a_day} attempts a day can reveal {bound}"
