"""The command `github`: a workflow that grades in students' repositories, for practice."""

from pathlib import Path
from string import Template

import click

from autograder.cli import options
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.files import write_whole

_WORKFLOW = Path(__file__).with_name("workflow.yml")


@click.command()
@options.exercise
def github(course: Course, exercise: Exercise) -> None:
    """Write a workflow that grades at each push.

    The workflow runs on GitHub Actions, in students' repositories. Use it for practice only: students who can
    change a workflow can read the hidden tests while it runs.
    """
    click.echo(f"wrote {write_workflow(course, exercise).relative_to(course.root)}")
    click.echo("Use the workflow for practice only: students can read the hidden tests while it runs.")


def write_workflow(course: Course, exercise: Exercise) -> Path:
    """Write build/github/EXERCISE/autograde.yml and return its path."""
    packages = [f'"{package}"' for package in course.settings.packages]
    words = {"EXERCISE": exercise.name, "PACKAGES": "".join(f" {package}" for package in packages)}
    text = Template(_WORKFLOW.read_text(encoding="utf-8")).substitute(words)
    return write_whole(course.build / "github" / exercise.name / "autograde.yml", text)
