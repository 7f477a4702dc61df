"""Certifies how a report was made, so that anyone with the course and its secret can reproduce it.

A certificate holds hashes of everything that decides a report, signed with the secret. It may be given to a
student: it reveals no test. It does not reveal the set of hidden inputs either, since two certificates would
then show whether two submissions got the same set: that follows from the secret and the file.
"""

import hashlib
import hmac
import json
import platform
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, Literal

import click
from pydantic import BaseModel, ConfigDict, ValidationError

from autograder.cli import options
from autograder.course.course import Course, course_secret
from autograder.course.exercise import Exercise
from autograder.errors import SOME_REFUSED, UsageError
from autograder.gradebook.audit import Audit
from autograder.grading.marking import MarkingProcess
from autograder.publishing.graded_work import autograded_notebook, stored_report
from autograder.report.report import Report
from autograder.submission.digest import digests_of
from autograder.submission.notebook import read_notebook
from autograder.submission.submission import Submission, is_student

_KEPT = ("notebook", "source", "suite", "settings", "inputs", "engine", "environment")  # in the audit
_PARTS = {
    "seal": "this is not a certificate of this course, or it was changed",
    "notebook": "another notebook",
    "source": "another source of the exercise",
    "suite": "other hidden tests or known mistakes",
    "settings": "other limits, rules or walls in course.yaml",
    "inputs": "another secret, and so other hidden inputs",
    "engine": "another engine or other packages",
    "environment": "another Python",
    "machine": "another kind of processor",
    "walls": "other walls on this machine",
    "report": "the report differs",
}


class Certificate(BaseModel):
    """By what a submission was graded: a digest, or a name, of each part."""

    model_config = ConfigDict(frozen=True)

    certificate: Literal[1] = 1
    student: str
    exercise: str
    score: float | None
    parts: dict[str, str]
    seal: str = ""

    def to_json(self) -> str:
        """Return the certificate for people and programs."""
        return self.model_dump_json(indent=1) + "\n"


def certify_grade(course: Course, exercise: Exercise, student: str) -> Certificate:
    """Return the certificate of a student's submission as it was graded last."""
    submission = Submission(course.root, student, exercise.name)
    report = stored_report(autograded_notebook(submission)) if is_student(student) else None
    digests = Audit(course, exercise).digests(student)
    if report is None or digests is None or any(key not in digests for key in _KEPT):
        fix = f"grade it: autograder grade --force --student {student} {exercise.name}"
        raise UsageError(f"{exercise.name} {student}: there is no record of how it was graded; {fix}")
    parts = {key: digests[key] for key in _KEPT} | _here(report)
    return _sealed(
        course, Certificate(student=student, exercise=exercise.name, score=report.score, parts=parts)
    )


def read_certificate(text: str) -> Certificate:
    """Return the certificate in a file; UsageError for anything else."""
    with suppress(ValidationError):
        given = Certificate.model_validate_json(text)
        if is_student(given.student):
            return given
    raise UsageError("is not a certificate; give a file that `autograder certificate` wrote")


def check_certificate(course: Course, given: Certificate, *, unsafe: bool = False) -> Iterator[str]:
    """Grade the submission again and yield the parts that are not as the certificate says.

    Where nothing differs the report has the very bytes that it had.
    """
    (exercise,) = course.chosen([given.exercise])
    if not hmac.compare_digest(_sealed(course, given).seal.encode(), given.seal.encode()):
        yield "seal"
    read = read_notebook(Submission(course.root, given.student, exercise.name).notebook)
    with MarkingProcess(course, unsafe=unsafe) as grader:
        report = grader.grade(exercise, read).report
    now = {"notebook": read.digest, **digests_of(course, exercise)} | _here(report)
    yield from (part for part in _PARTS if part != "seal" and given.parts.get(part) != now[part])


def _here(report: Report) -> dict[str, str]:
    """Return what no audit keeps: the machine, the walls, and the report itself."""
    return {
        "machine": platform.machine(),
        "walls": " ".join(report.sandbox),
        "report": hashlib.sha256(report.to_json().encode()).hexdigest(),
    }


def _sealed(course: Course, plain: Certificate) -> Certificate:
    """Return the certificate with its seal; what is sealed begins as no message does that chooses inputs."""
    text = json.dumps(
        {"certificate": [plain.student, plain.exercise, plain.score, plain.parts]}, sort_keys=True
    )
    seal = hmac.digest(course_secret(course), text.encode(), "sha256").hex()
    return plain.model_copy(update={"seal": seal})


@click.command()
@click.argument("student", required=False)
@click.argument("exercise", required=False)
@click.option(
    "--check",
    "file",
    metavar="FILE",
    type=click.File("r", encoding="utf-8"),
    help="Grade again, and compare with the certificate FILE.",
)
@options.unsafe
@options.course
def certificate(
    course: Course, student: str | None, exercise: str | None, file: IO[str] | None, unsafe: bool
) -> None:
    """Certify how a submission was graded.

    Prints hashes of everything that decided the grade of STUDENT's EXERCISE, signed with the course's secret.
    Nothing in it is secret. --check grades the submission again and names each part that differs from the
    certificate. The exit code is 0 if nothing differs, and otherwise 1.
    """
    if file is not None:
        given = read_certificate(file.read())
        different = list(check_certificate(course, given, unsafe=unsafe))
        told = "the report is the same, byte for byte"
        if "report" in different:
            told = "the report differs from the certified one"
        elif different:
            told = f"{told}; what is named above is not"
        options.print_lines(f"differs: {part}: {_PARTS[part]}" for part in different)
        options.print_lines([f"{given.exercise} {given.student}: {told}"])
        sys.exit(SOME_REFUSED if different else 0)
    elif student is None or exercise is None:
        raise click.UsageError("name STUDENT and EXERCISE, or a file with --check")
    else:
        (chosen,) = course.chosen([exercise])
        click.echo(certify_grade(course, chosen, student).to_json(), nl=False)
