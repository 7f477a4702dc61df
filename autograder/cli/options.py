"""Arguments and options that several commands share; functions that find the course and print lines."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from autograder.errors import OUR_FAILURE, AutograderError

if TYPE_CHECKING:
    from autograder.course.course import Course as Course
    from autograder.course.exercise import Exercise as Exercise
    from autograder.course.guard import OnFailure, SubmissionError
    from autograder.publishing.export import Choice as Choice
    from autograder.publishing.export import Sent

PATH = click.Path(path_type=Path)
FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
jobs = partial(click.option, "--jobs", type=click.IntRange(1, 256))
unsafe = click.option(
    "--unsafe", is_flag=True, help="Grade even if this machine lacks sandboxing that course.yaml demands."
)


def course_folder(folder: Path | None) -> Path:
    """Return `folder`, or by default the folder of the course that contains the current folder."""
    from autograder.course.course import find_course

    return (folder or find_course(Path.cwd())).absolute()


def course(command: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command so that it gets the course as its first argument."""

    @click.pass_obj
    @wraps(command)
    def with_course(folder: Path | None, *arguments: Any, **options: Any) -> None:
        from autograder.course.course import load_course

        command(load_course(course_folder(folder)), *arguments, **options)

    return with_course


def exercises(command: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command so that it gets the course, and the exercises that the user names (default: all)."""

    @click.argument("exercises", nargs=-1, metavar="[EXERCISE]...")
    @course
    @wraps(command)
    def with_exercises(course: "Course", exercises: tuple[str, ...], **options: Any) -> None:
        command(course, course.chosen(exercises), **options)

    return with_exercises


def exercise(command: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command so that it gets the course, and the exercise that the user names."""

    @click.argument("exercise")
    @course
    @wraps(command)
    def with_exercise(course: "Course", exercise: str, **options: Any) -> None:
        command(course, course.chosen([exercise])[0], **options)

    return with_exercise


def choice(command: Callable[..., None]) -> Callable[..., None]:
    """Add --final-only and --unreadable-as-zero to a command, which gets both options as a Choice."""

    @click.option("--final-only", is_flag=True, help="Do not export provisional scores to platforms.")
    @click.option("--unreadable-as-zero", is_flag=True, help="Export 0 for files that cannot be read.")
    @wraps(command)
    def with_choice(*arguments: Any, final_only: bool, unreadable_as_zero: bool, **options: Any) -> None:
        from autograder.publishing.export import Choice

        command(*arguments, choice=Choice(final_only, unreadable_as_zero), **options)

    return with_choice


def print_lines(lines: Iterable[str], *, err: bool = False) -> None:
    """Print lines. Escape sequences are removed, because the lines may contain text from students."""
    from autograder.report.text import terminal_line

    for line in lines:
        click.echo(terminal_line(line), err=err)


@contextmanager
def failures(course: "Course") -> "Iterator[OnFailure]":
    """Yield a function that collects the failures of single submissions.

    After the `with` block, print a line on each failure. If there is any failure, exit with code 3.
    """
    errors: list[SubmissionError] = []
    try:
        yield errors.append
    finally:
        _print_failures(course, errors)
    if errors:
        sys.exit(OUR_FAILURE)


def _print_failures(course: "Course", errors: "Iterable[SubmissionError]") -> None:
    from autograder.submission.students import failure_line, student_names

    names: dict[str, str] = {}
    with suppress(AutograderError):  # if students.csv cannot be read, print the failures without names
        names = student_names(course.root)
    print_lines(dict.fromkeys(failure_line(error, names) for error in errors), err=True)


def print_written(course: "Course", paths: Iterable[Path], verb: str = "wrote") -> None:
    """Print each path as soon as `paths` yields it."""
    for path in paths:
        click.echo(f"{verb} {path.relative_to(course.root)}")


def show_sent(course: "Course", sent: "Sent", what: str) -> None:
    """Print which students an export leaves out, its notes, and the path of each file.

    `what` is the text before the number of students, such as "grades of" in "grades of 12".
    """
    print_lines((*(f"left out: {problem}" for problem in sent.problems), *sent.notes), err=True)
    for path in sent.paths:
        click.echo(f"wrote {path.relative_to(course.root)}: {what} {len(sent.values)}")
