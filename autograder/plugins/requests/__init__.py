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
    "--done", nargs=2, metavar="STUDENT QUESTION", help="Mark this request as done. EXERCISE is required."
)
@click.option("--reply", metavar="TEXT", help="With --done: your reply, for the student's page.")
def requests(
    course: Course, exercises: list[Exercise], done: tuple[str, str] | None, reply: str | None
) -> None:
    """List regrade requests, or mark one as done.

    A request is a line such as "Regrade softmax: I think that ..." in a text cell of a graded notebook, or a
    row of regrade_requests.csv (student, exercise, question, reason).

    A reply is added to the comment on the question. The student reads it on the next feedback page.
    """
    if reply is not None and done is None:
        raise click.UsageError("--reply needs --done")
    if done is not None and len(exercises) != 1:
        raise click.UsageError("--done needs the name of exactly one exercise")
    with options.failures(course) as on_failure:
        wrong = _list_or_finish(course, exercises, done, reply, on_failure)
    sys.exit(SOME_REFUSED if wrong else 0)


def _list_or_finish(
    course: Course,
    exercises: list[Exercise],
    done: tuple[str, str] | None,
    reply: str | None,
    on_failure: OnFailure,
) -> list[str]:
    """Print the requests, or mark one as done. Return a line for each invalid row of regrade_requests.csv."""
    stored, names = RegradeRequests(course), {exercise.name for exercise in exercises}
    listed = (request for request in stored.rows.values() if request.exercise in names)
    works = read_graded_work(course, exercises, on_failure)
    in_notebooks = (request for work in works for request in work.requests)
    open_requests = dict.fromkeys((*in_notebooks, *listed))
    if done is None:
        rows = [(each.student, each.exercise, each.question, each.reason) for each in open_requests]
        show("Regrade requests", ("student", "exercise", "question", "reason"), rows)
        wrong = list(problems(course, stored.rows))
        options.print_lines(wrong, err=True)
        return wrong
    if not (finished := [each for each in open_requests if (each.student, each.question) == done]):
        problem = f"there is no open request of {done[0]} on {done[1]}"
        raise UsageError(f"{problem}; list the open requests with `autograder requests`")
    if reply:
        add_remark(course, exercises[0], *done, f"On your request to grade this again: {reply}")
    stored.finish(finished)
    click.echo(f"done: {done[0]} {exercises[0].name} {done[1]}")
    return []


def problems(course: Course, rows: Mapping[int, RegradeRequest]) -> Iterator[str]:
    """Yield a line about each row with an unknown student, exercise or question."""
    students = listed_students(course.root)
    for row, request in rows.items():
        faults = []
        if not request.student:
            faults.append("names no student")
        elif students is not None and not has_come(course, request.student):
            # Students who are not in students.csv may request a regrade if they have submitted something.
            faults.append(students.unknown(request.student))
        if (exercise := course.exercises.get(name := request.exercise)) is None:
            faults.append(f'"{name}" is not an exercise; {suggestion(name, course.exercises)}')
        elif (questions := exercise.named) and (question := request.question) not in questions:
            faults.append(f'"{question}" is not a question of {name}; {suggestion(question, questions)}')
        if any(faults):
            yield one_line(f"{REQUESTS}:{row}: {', and '.join(filter(None, faults))}", 300)
