"""The command `github`: a workflow of GitHub Actions that grades in students' repositories."""

from pathlib import Path
from string import Template

import click

from autograder.cli import options
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.files import write_whole

SECTION = "Platforms"
_WORKFLOW = Path(__file__).with_name("workflow.yml")


def write_workflow(course: Course, exercise: Exercise) -> Path:
    """Write build/github/EXERCISE/autograde.yml and return it."""
    text = Template(_WORKFLOW.read_text(encoding="utf-8")).substitute(EXERCISE=exercise.name)
    return write_whole(course.build / "github" / exercise.name / "autograde.yml", text)


@click.command()
@click.argument("exercise")
@options.course
def github(course: Course, exercise: str) -> None:
    """Write a workflow that grades at each push.

    It is one of GitHub Actions, for the repositories of students.

    Read its first lines: who can write to a repository can read what its runner holds, the tests among it.
    """
    (chosen,) = course.chosen([exercise])
    click.echo(f"wrote {write_workflow(course, chosen).relative_to(course.root)}")
    click.echo("Its runner holds the hidden tests beside the student's code: for practice, not for marks.")
