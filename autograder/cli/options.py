"""Arguments and options that several commands have, and how a command finds its course."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from autograder.course.course import Course

_Command = TypeVar("_Command", bound=Callable[..., Any])
unsafe = click.option("--unsafe", is_flag=True, help="Grade with fewer walls than course.yaml demands.")


def exercises(command: _Command) -> _Command:
    """Let a command take the names of exercises; without any it means them all."""
    return click.argument("exercises", nargs=-1, metavar="[EXERCISE]...")(command)


def jobs(help: str) -> Callable[[_Command], _Command]:  # noqa: A002 - click's own word
    """Let a command take the number of processes in which it works."""
    return click.option("--jobs", type=click.IntRange(1, 256), help=help)


def course_folder(folder: Path | None) -> Path:
    """Return the folder that was given, or the nearest one around us that holds a course."""
    from autograder.course.course import find_course

    return (folder or find_course(Path.cwd())).absolute()


def open_course(folder: Path | None) -> "Course":
    """Return the course in the folder that was given, or in the nearest one around us."""
    from autograder.course.course import load_course

    return load_course(course_folder(folder))
