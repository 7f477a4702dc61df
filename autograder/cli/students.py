"""The `autograder students` command: the list of students beside what came."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli import options

if TYPE_CHECKING:
    from autograder.collecting.collect import Attendance
    from autograder.submission.students import Student


@click.command()
@click.option(
    "--students",
    "listed",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The CSV of the class; without it, students.csv beside course.yaml.",
)
@click.option("--rename", nargs=2, metavar="OLD NEW", help="Give the student OLD the id NEW everywhere.")
@options.exercises
def students(
    course: "options.Course",
    exercises: "list[options.Exercise]",
    listed: Path | None,
    rename: tuple[str, str] | None,
) -> None:
    """Compare the class list with the submissions.

    Shows who is missing, unknown or there twice. With --rename a student gets another id in the gradebook, in
    all folders and in all lists beside course.yaml. If a platform goes on using the old id, add it to
    students.csv as another name of the student.
    """
    if rename is not None:
        from autograder.gradebook.renaming import rename as give_id

        give_id(course, *rename)
        click.echo(f"{rename[0]} is now {rename[1]}")
        return
    from autograder.cli.table import show
    from autograder.collecting.collect import attendance
    from autograder.course.kept import STUDENTS
    from autograder.gradebook.lateness import unknown_students
    from autograder.report.text import terminal_line
    from autograder.submission.students import read_students

    path = listed or course.root / STUDENTS
    if not path.exists():
        raise click.UsageError(f"{path}: there is no such file; write the class into it: id,name,email")
    known = read_students(path)
    found = [attendance(course, known, exercise) for exercise in exercises]
    begun = [one for one in found if one.came or one.unknown or one.others]
    shown = found if len(exercises) < len(course.exercises) else begun
    everybody = len(known.all)
    rows = [
        (one.exercise, f"{everybody - len(one.missing)} of {everybody}", _people(one.missing))
        for one in shown
    ]
    empty = "" if shown else "; nobody has handed in anything"
    counted = "1 student" if everybody == 1 else f"{everybody} students"
    show(f"{counted} in {path.name}{empty}", ("exercise", "came", "missing"), rows)
    for line in (line for one in shown for line in _odd(one)):
        click.echo(terminal_line(line))
    for line in unknown_students(course, known, [exercise.name for exercise in exercises]):
        click.echo(terminal_line(line))


def _people(students: Sequence["Student"]) -> str:
    return ", ".join(" ".join((one.id, *(f"({name})" for name in one.names[:1]))) for one in students)


def _odd(one: "Attendance") -> Iterator[str]:
    """Yield a line on each id in submitted/ that is not the list's own."""
    for id_ in one.unknown:
        fix = f"add it there, unless {id_} has left: grades stay"
        yield f"{one.exercise} unknown: {id_} is not in the list; {fix}"
    for id_, student in one.others.items():
        if id_ in one.twice:
            yield f"{one.exercise} twice: {id_} is {student.id}, who came under several ids; keep one"
        else:
            yield f"{one.exercise} under another id: {id_} is {student.id}; collect again with the list"
