"""The commands `github`, a workflow that grades in students' repositories, and `classroom50`, its results.

Classroom 50 (foundation50/classroom50, schemas/result-v1.schema.json) takes whole numbers only, no field that
it does not know, and at most the maximum. So scores are in hundredths of a point, cut off, never rounded up.
Its runner says in the environment who submitted what, and when, and writes that in again itself.
"""

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from string import Template
from typing import IO, Any

import click

from autograder.cli import options
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.errors import OUR_FAILURE
from autograder.files import write_whole
from autograder.report.report import QuestionReport, Report, Status, Verdict, standing
from autograder.report.text import clean_text

_WORKFLOW = Path(__file__).with_name("workflow.yml")
_PARTS = 100  # of a point
_TINY = 1e-6  # by which a sum of binary fractions may fall short
_SUBMISSION = {"submission": "SUBMISSION_TAG", "commit": "COMMIT_URL", "release": "RELEASE_URL"}


@click.command()
@options.exercise
def github(course: Course, exercise: Exercise) -> None:
    """Write a workflow that grades at each push.

    It is for GitHub Actions, in students' repositories. Use it for practice only: whoever can write to a
    repository can read the hidden tests on its runner.
    """
    click.echo(f"wrote {write_workflow(course, exercise).relative_to(course.root)}")
    click.echo("Use it for practice only: students can read the hidden tests on its runner.")


def write_workflow(course: Course, exercise: Exercise) -> Path:
    """Write build/github/EXERCISE/autograde.yml and return it."""
    packages = [f'"{package}"' for package in course.settings.packages]
    words = {"EXERCISE": exercise.name, "PACKAGES": "".join(f" {package}" for package in packages)}
    text = Template(_WORKFLOW.read_text(encoding="utf-8")).substitute(words)
    return write_whole(course.build / "github" / exercise.name / "autograde.yml", text)


@click.command()
@click.argument("report", type=click.File("r", "utf-8"), default="-")
@options.course
def classroom50(course: Course, report: IO[str]) -> None:
    """Turn a report into Classroom 50's result.json.

    It reads what `autograder run --json NOTEBOOK` prints, and prints the result. If the grader itself failed,
    it prints nothing, so that the runner says that grading failed.
    """
    try:
        graded = Report.from_dict(json.loads(report.read()))
    except ValueError:
        raise click.UsageError("give one report, as `autograder run --json NOTEBOOK` prints it") from None
    if graded.status is Status.GRADER_ERROR:
        raise SystemExit(OUR_FAILURE)
    click.echo(to_result(course, graded, os.environ), nl=False)


def to_result(course: Course, report: Report, environment: Mapping[str, str]) -> str:
    """Return result.json; outside Classroom 50 the fields on the submission name what is here instead."""
    tests = [_test(q, report) for q in report.questions if q.verdict is not Verdict.UNGRADED]
    known = {field: environment.get(name, "") for field, name in _SUBMISSION.items()}
    commit = known["commit"] or "unknown"
    result: dict[str, Any] = {
        "schema": "classroom50/result/v1",
        "classroom": environment.get("CLASSROOM") or course.settings.course,
        "assignment": environment.get("ASSIGNMENT") or report.exercise,
        "assignment_type": environment.get("ASSIGNMENT_TYPE") or "individual",
        "owner": environment.get("OWNER") or environment.get("USERNAME") or "unknown",
        "submission": known["submission"] or "submit/unknown",
        "commit": commit,
        "release": known["release"] or commit,
        "review": environment.get("REVIEW_URL") or commit,
        "datetime": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "score": sum(test["score"] for test in tests),
        "max-score": sum(test["max-score"] for test in tests),
        "tests": tests,
    }
    return json.dumps(result, indent=2) + "\n"


def _test(question: QuestionReport, report: Report) -> dict[str, Any]:
    unreadable = report.status is Status.UNREADABLE
    why = f"The notebook could not be read: {report.message}" if unreadable else question.hint
    stands = standing(question.verdict, question.score, question.max_score)
    details = (f"{stands}.", question.halves_in_words and f"{question.halves_in_words}.", why)
    most = int(question.max_score * _PARTS + _TINY)
    return {
        "test-name": question.name,
        "passed": question.verdict is Verdict.PASSED,
        "score": min(max(int((question.score or 0.0) * _PARTS + _TINY), 0), most),
        "max-score": most,
        "details": clean_text(" ".join(filter(None, details))),
    }
