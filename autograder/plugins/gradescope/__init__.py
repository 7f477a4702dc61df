"""Two commands: `gradescope` packs an exercise for Gradescope, and `gradescope-zip` packs feedback pages.

The zip of `gradescope` contains the exercise, our engine and two scripts. Gradescope
(https://gradescope-autograders.readthedocs.io/en/latest/specs/) expects setup.sh and run_autograder at the
top of the zip, unpacks it in /autograder/source and puts each submission into /autograder/submission. The
module `run` grades in Gradescope's container. The same course always gives the same zip, byte for byte: files
are sorted by name, their times are constant, and nothing is compressed.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from zipfile import ZIP_STORED

import click

import autograder
from autograder.cli import options
from autograder.course.course import Course, course_files, course_secret
from autograder.course.exercise import Exercise, own_files
from autograder.course.guard import OnFailure, raise_failure
from autograder.errors import AutograderError
from autograder.files import Member, write_zip
from autograder.gradebook.pages import read_people
from autograder.publishing.export import FeedbackError, Sent, pack_feedback, write_table
from autograder.report.report import GradebookSubmission
from autograder.report.text import number
from autograder.submission.students import Student
from autograder.submission.submission import Submission

ENGINE = Path(autograder.__file__).parent
_SCRIPTS = Path(__file__).parent / "container"
_LEFT_OUT = {"bench", "docs", "tests"}


@click.command()
@options.exercise
def gradescope(course: Course, exercise: Exercise) -> None:
    """Pack an exercise for Gradescope."""
    click.echo(f"wrote {write_package(course, exercise).relative_to(course.root)}")
    points = number(sum(exercise.points.values()))
    click.echo(f"The assignment in Gradescope must have {points} points.")
    if exercise.written:
        names, points = ", ".join(exercise.written), number(sum(exercise.written.values()))
        click.echo(
            f"{points} more points are for written answers ({names}): switch on manual grading in the "
            "assignment's settings, and add a question for each."
        )


@click.command("gradescope-zip")
@options.exercise
def gradescope_zip(course: Course, exercise: Exercise) -> None:
    """Pack feedback pages for students who submit on Gradescope.

    Run `autograder feedback` first. Gradescope cannot import the pages, so send them yourself: the zip has a
    folder for each student. A table beside the zip lists students and folders.
    """
    with options.failures(course) as on_failure:
        options.show_sent(course, pack_for_gradescope(course, exercise, on_failure), "feedback for")


def pack_for_gradescope(course: Course, exercise: Exercise, on_failure: OnFailure = raise_failure) -> Sent:
    """Write build/exports/EXERCISE-feedback-gradescope.zip and a table of the students in it."""

    def file_of(graded: GradebookSubmission) -> tuple[str, bytes]:
        page = Submission(course.root, graded.student, exercise.name).feedback
        if not page.is_file():
            raise FeedbackError("has no feedback page; run `autograder feedback` to see why")
        return f"{graded.student}/{page.name}", page.read_bytes()

    packed = pack_feedback(course, exercise, "gradescope", file_of, on_failure)
    people = read_people(course)
    students = [people.get(id_, Student(id_)) for id_ in sorted(packed.values)]
    rows = [
        (
            student.id,
            student.name,
            student.email,
            student.platforms.get("gradescope", ""),
            packed.values[student.id].name,
        )
        for student in students
    ]
    path = packed.paths[0].with_suffix(".csv")
    write_table(path, ("student", "name", "email", "gradescope", "file"), rows)
    return replace(packed, paths=(*packed.paths, path))


def write_package(course: Course, exercise: Exercise) -> Path:
    """Write build/packages/EXERCISE-gradescope.zip and return its path."""
    course_secret(course)  # creates a missing secret, so that all containers use the same secret
    path = course.build / "packages" / f"{exercise.name}-gradescope.zip"
    files = sorted(dict(_files(course, exercise)).items())
    scripts = {script.name for script in _SCRIPTS.iterdir()}
    modes = {name: 0o100755 if name in scripts else 0o100644 for name, _ in files}
    return write_zip(path, [Member(name, content, modes[name], ZIP_STORED) for name, content in files])


def _files(course: Course, exercise: Exercise) -> Iterator[tuple[str, bytes]]:
    for name in ("engine/pyproject.toml", "constraints.txt"):
        path = ENGINE.parent / Path(name).name
        if not path.is_file():
            raise AutograderError(
                f"{path}: missing; reinstall the autograder: run `make setup` in its source folder"
            )
        yield name, path.read_bytes()
    yield "packages.txt", "".join(f"{package}\n" for package in course.settings.packages).encode()
    yield from _folder(_SCRIPTS, "")
    yield from _folder(ENGINE, "engine/autograder/")
    for name, content in course_files(course, [exercise]).items():
        yield f"course/{name}", content


def _folder(folder: Path, prefix: str) -> Iterator[tuple[str, bytes]]:
    for path in own_files(folder):
        parts = path.relative_to(folder).parts
        if _LEFT_OUT.isdisjoint(parts):
            yield prefix + "/".join(parts), path.read_bytes()
