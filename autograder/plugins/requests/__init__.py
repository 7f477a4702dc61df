"""The command `requests`: lists students' regrade requests."""

import sys
from collections.abc import Iterator, Mapping

import click

from autograder.cli import options
from autograder.cli.output import show
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.guard import OnFailure
from autograder.course.kept import REQUESTS
from autograder.course.names import suggestion
from autograder.errors import SOME_REFUSED, UsageError
from autograder.gradebook.comments import add_remark
from autograder.publishing.graded_work import RegradeRequest, RegradeRequests, read_graded_work
from autograder.report.text import one_line
from autograder.submission.students import listed_students
from autograder.submission.submission import has_come


@click.command()
@options.exercises
@click.option(
    "--done", nargs=2, metavar="STUDENT QUESTION", help="Mark this as done; name the exercise, too."
)
@click.option("--reply", metavar="TEXT", help="With --done, what the student's page says about it.")
def requests(
    course: Course, exercises: list[Exercise], done: tuple[str, str] | None, reply: str | None
) -> None:
    """List regrade requests, or mark one as done.

    A request is a line such as "Regrade softmax: I think that ..." in a text cell of a notebook that is
    graded, or a row of regrade_requests.csv (student, exercise, question, reason).

    A reply is added to the comment on the question. The student reads it on the next feedback page.
    """
    if reply is not None and done is None:
        raise click.UsageError("--reply belongs to --done")
    if done is not None and len(exercises) != 1:
        raise click.UsageError("--done is about one exercise; name it")
    with options.failures() as on_failure:
        wrong = _list_or_finish(course, exercises, done, reply, on_failure)
    sys.exit(SOME_REFUSED if wrong else 0)


def _list_or_finish(
    course: Course,
    exercises: list[Exercise],
    done: tuple[str, str] | None,
    reply: str | None,
    on_failure: OnFailure,
) -> list[str]:
    """Print the requests, or mark one as done; return a line on each row of the list that is wrong."""
    asked, names = RegradeRequests(course), {exercise.name for exercise in exercises}
    listed = (one for one in asked.rows.values() if one.exercise in names)
    written = (one for work in read_graded_work(course, exercises, on_failure) for one in work.requests)
    found = dict.fromkeys((*written, *listed))
    if done is None:
        rows = [(one.student, one.exercise, one.question, one.reason) for one in found]
        show("Regrade requests", ("student", "exercise", "question", "reason"), rows)
        wrong = list(problems(course, asked.rows))
        options.print_lines(wrong, err=True)
        return wrong
    if not (finished := [one for one in found if (one.student, one.question) == done]):
        raise UsageError(f"{done[0]} asks for no regrade of {done[1]}; see them with `autograder requests`")
    if reply:
        add_remark(course, exercises[0], *done, f"On your request to grade this again: {reply}")
    asked.finish(finished)
    click.echo(f"done: {done[0]} {exercises[0].name} {done[1]}")
    return []


def problems(course: Course, rows: Mapping[int, RegradeRequest]) -> Iterator[str]:
    """Yield a line on each row whose student, exercise or question nobody knows."""
    students = listed_students(course.root)
    for row, one in rows.items():
        found = []
        if not one.student:
            found.append("names no student")
        elif students is not None and not has_come(course, one.student):  # who has left may ask all the same
            found.append(students.unknown(one.student))
        if (exercise := course.exercises.get(one.exercise)) is None:
            found.append(f'"{one.exercise}" is not an exercise; {suggestion(one.exercise, course.exercises)}')
        elif (known := exercise.named) and (asked := one.question) not in known:
            found.append(f'"{asked}" is not a question of {exercise.name}; {suggestion(asked, known)}')
        if any(found):
            yield one_line(f"{REQUESTS}:{row}: {', and '.join(filter(None, found))}", 300)
