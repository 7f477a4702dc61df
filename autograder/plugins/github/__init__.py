"""The commands `github`, a workflow that grades in students' repositories, and `classroom50`, its results."""

import json
import os
from pathlib import Path
from string import Template
from typing import IO

import click

from autograder.cli import options
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.errors import OUR_FAILURE
from autograder.files import write_whole

SECTION = "Platforms"
_WORKFLOW = Path(__file__).with_name("workflow.yml")


def write_workflow(course: Course, exercise: Exercise) -> Path:
    """Write build/github/EXERCISE/autograde.yml and return it."""
    packages = [f'"{package}"' for package in course.settings.packages]
    words = {"EXERCISE": exercise.name, "PACKAGES": "".join(f" {package}" for package in packages)}
    text = Template(_WORKFLOW.read_text(encoding="utf-8")).substitute(words)
    return write_whole(course.build / "github" / exercise.name / "autograde.yml", text)


@click.command()
@click.argument("exercise")
@options.course
def github(course: Course, exercise: str) -> None:
    """Write a workflow that grades at each push.

    It is for GitHub Actions, in students' repositories. Use it for practice only: whoever can write to a
    repository can read the hidden tests on its runner.
    """
    (chosen,) = course.chosen([exercise])
    click.echo(f"wrote {write_workflow(course, chosen).relative_to(course.root)}")
    click.echo("Use it for practice only: students can read the hidden tests on its runner.")


@click.command()
@click.argument("report", type=click.File("r", "utf-8"), default="-")
@options.course
def classroom50(course: Course, report: IO[str]) -> None:
    """Turn a report into Classroom 50's result.json.

    It reads what `autograder run --json NOTEBOOK` prints, and prints the result. If the grader itself failed,
    it prints nothing, so that the runner says that grading failed.
    """
    from autograder.plugins.github.classroom import to_result
    from autograder.report.report import Report, Status

    try:
        graded = Report.from_dict(json.loads(report.read()))
    except ValueError:
        raise click.UsageError("give one report, as `autograder run --json NOTEBOOK` prints it") from None
    if graded.status is Status.GRADER_ERROR:
        raise SystemExit(OUR_FAILURE)
    click.echo(to_result(course, graded, os.environ), nl=False)
