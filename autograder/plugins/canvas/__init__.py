"""Two commands: `canvas` sends grades and comments over Canvas's API, and `canvas-zip` packs feedback files.

Canvas (canvas.instructure.com/doc/api) takes the grades and text comments of many students in one request
(`update_grades`). Its response is a progress object, which shows when the grades are stored. Canvas
adds each comment to the earlier ones, so a comment is sent only if it has changed. The token for the API
comes from the environment and is never written to a file or a message.

Canvas finds the student of each file in an uploaded zip by the file's name (instructure/canvas-lms,
app/models/abstract_assignment.rb). It splits the name at each "_". The first two parts that consist of digits
are the student's user id and the id of the student's newest upload.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click
import nbformat
from nbformat.v4 import new_markdown_cell, new_notebook

from autograder.cli import options
from autograder.collecting.attempts import arrival_of
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.guard import OnFailure, raise_failure, skipping
from autograder.errors import AutograderError, UsageError
from autograder.publishing.export import (
    Choice,
    Exports,
    FeedbackError,
    Sent,
    canvas_ids,
    canvas_number,
    decimal,
    pack_feedback,
    points_of,
    scores_to_export,
)
from autograder.publishing.graded_work import read_graded_work
from autograder.report.report import Entry, GradebookSubmission
from autograder.report.text import number
from autograder.submission.students import student_names, with_name
from autograder.submission.submission import Submission

if TYPE_CHECKING:
    from canvasapi.assignment import Assignment
    from canvasapi.course import Course as CanvasCourse

ADDRESS, TOKEN = "CANVAS_API_URL", "CANVAS_API_TOKEN"
AT_ONCE = 100  # at most this many students in one request
PATIENCE, PAUSE = 300.0, 1.0  # seconds to wait until Canvas has processed a request, and between two polls
SECONDS = (10.0, 60.0)  # seconds to wait for a connection, and for a response
# canvasapi raises these errors if a response is malformed.
_MALFORMED = (AttributeError, TypeError, LookupError, RecursionError)
_HERE = ("localhost", "127.0.0.1", "::1")
_SUFFIX = ".ipynb"


@click.command()
@options.exercise
@click.option("--to", required=True, metavar="COURSE", help="The course's number in Canvas.")
@click.option(
    "--assignment",
    default="",
    metavar="NUMBER",
    help="The assignment's number in Canvas, if its name is not EXERCISE.",
)
@click.option("--comments", is_flag=True, help="Also send the feedback, as a comment.")
@click.option("--dry-run", is_flag=True, help="Send nothing; say what would be sent.")
@options.choice
def canvas(
    course: Course,
    exercise: Exercise,
    to: str,
    assignment: str,
    comments: bool,
    dry_run: bool,
    choice: Choice,
) -> None:
    """Send grades to Canvas.

    Only grades that changed since the last time are sent. Set the environment variables CANVAS_API_URL (the
    server) and CANVAS_API_TOKEN; the token is not stored.
    """
    with options.failures(course) as on_failure:
        _send(course, exercise, to, assignment, comments, dry_run, choice, on_failure)


def _send(
    course: Course,
    exercise: Exercise,
    to: str,
    assignment: str,
    comments: bool,
    dry_run: bool,
    choice: Choice,
    on_failure: OnFailure,
) -> None:
    works = list(read_graded_work(course, [exercise], on_failure))
    graded, outgoing = (
        {work.student: work.submission for work in works},
        scores_to_export(exercise, works, choice),
    )
    scores, texts, listed = dict[str, float](), dict[str, str](), canvas_ids(course)
    for student, score in outgoing.values.items():
        with skipping(course, exercise.name, student, on_failure):
            texts[student] = "\n\n".join(_feedback_texts(exercise.name, graded[student]))
            scores[student] = score
    digests = {student: hashlib.sha256(text.encode()).hexdigest() for student, text in texts.items()}
    grades_sent, texts_sent = Exports(course, "canvas api"), Exports(course, "canvas api comments")
    new = grades_sent.changed(exercise.name, scores)
    commented = texts_sent.changed(exercise.name, digests) if comments else set[str]()
    numbers = {student: canvas_number(student, listed) for student in sorted(new | commented)}
    with_number = [student for student, user in numbers.items() if user]
    data = {student: {"posted_grade": decimal(scores[student])} for student in with_number}
    for student in commented.intersection(with_number):
        data[student]["text_comment"] = texts[student]
    with _readable_errors():
        canvas_course = _canvas_course(to)
        target = _assignment(exercise, canvas_course, assignment)
        if any(graded[student].penalty for student in with_number):
            _refuse_two_penalties(canvas_course)
        for start in range(0, 0 if dry_run else len(with_number), AT_ONCE):
            students = with_number[start : start + AT_ONCE]
            with _readable_errors(students):
                _update_grades(target, {numbers[student]: data[student] for student in students})
            grades_sent.note(exercise.name, {student: scores[student] for student in students})
            texts_sent.note(exercise.name, {s: digests[s] for s in students if s in commented})
    named = partial(with_name, names=student_names(course.root))
    why = "not sent: this student has no Canvas user id; write it into students.csv, in the column canvas"
    problems = (f"{exercise.name} {named(s)}: {why}" for s in numbers if s not in with_number)
    options.print_lines(f"{exercise.name} {named(s)}: {number(scores[s])}" for s in with_number)
    options.print_lines((*problems, *outgoing.notes), err=True)
    click.echo(f"{len(with_number)} grades {'would be' if dry_run else 'were'} sent to Canvas")


@click.command("canvas-zip")
@options.exercise
def canvas_zip(course: Course, exercise: Exercise) -> None:
    """Pack feedback for Canvas.

    Upload the zip in Canvas under "Upload Submissions". Canvas stores feedback under the submitted file's
    name, so the feedback is a notebook, not a page. It has the scores and comments.
    """
    with options.failures(course) as on_failure:
        options.show_sent(course, pack_for_canvas(course, exercise, on_failure), "feedback for")


def _canvas_course(to: str) -> CanvasCourse:
    from canvasapi import Canvas

    if not (token := os.environ.get(TOKEN, "").strip()):
        problem = f"the environment variable {TOKEN} is not set"
        raise UsageError(f"{problem}; create a token in Canvas's settings, and set the variable to it")
    with warnings.catch_warnings():
        # canvasapi warns of addresses without TLS. `_address` checks addresses itself.
        warnings.simplefilter("ignore", UserWarning)
        canvas = Canvas(_address(), token)
    # canvasapi has no setting for a timeout (its issue 629), so the session's requests get one here.
    session = canvas._Canvas__requester._session
    session.request = partial(session.request, timeout=SECONDS)
    return canvas.get_course(to)


def _address() -> str:
    address = os.environ.get(ADDRESS, "").strip().rstrip("/").removesuffix("/api/v1")
    parts = urlsplit(address)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _HERE):
        fix = "Canvas's address, such as https://canvas.uni.edu"
        raise UsageError(f"set the environment variable {ADDRESS} to {fix}")
    return address


def _assignment(exercise: Exercise, canvas_course: CanvasCourse, assignment: str) -> Assignment:
    """Return Canvas's assignment, which must have the same number of points as the exercise."""
    if assignment:
        assignments = [canvas_course.get_assignment(assignment)]
    else:
        candidates = canvas_course.get_assignments(search_term=exercise.name)
        assignments = [candidate for candidate in candidates if candidate.name == exercise.name]
    if len(assignments) != 1:
        many = "several assignments" if assignments else "no assignment"
        raise UsageError(f"Canvas has {many} named {exercise.name}; choose one with --assignment NUMBER")
    (target,), points = assignments, points_of(exercise)
    if target.points_possible != points:
        shown = "none" if target.points_possible is None else number(target.points_possible)
        raise UsageError(
            f"{target.name} has {shown} points in Canvas and {number(points)} here; change them in Canvas"
        )
    return target


def _refuse_two_penalties(canvas_course: CanvasCourse) -> None:
    from canvasapi.exceptions import ResourceDoesNotExist

    with suppress(ResourceDoesNotExist):
        if canvas_course.get_late_policy().late_submission_deduction_enabled:
            raise UsageError(
                "late work would lose points twice, because Canvas has a late policy, too; switch off "
                "Canvas's policy in its gradebook's settings, or take `late` out of course.yaml"
            )


def _update_grades(target: Assignment, data: Mapping[str, Mapping[str, str]]) -> None:
    progress, end = target.submissions_bulk_update(grade_data=data), time.monotonic() + PATIENCE
    while progress.workflow_state in ("queued", "running"):
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(PAUSE)
        progress = progress.query()
    if progress.workflow_state != "completed":
        raise AutograderError(f"Canvas did not store the grades: {getattr(progress, 'message', '')}")


@contextmanager
def _readable_errors(sent: Sequence[str] = ()) -> Iterator[None]:
    """Turn exceptions of canvasapi into errors that say what to do next and hide the token.

    If `sent` has students, the error says that their grades may have arrived.
    """
    try:
        from canvasapi.exceptions import CanvasException
        from requests import RequestException, Timeout
    except ImportError:
        fix = "pip install -c constraints.txt -e '.[canvas]'"
        raise UsageError(f"sending grades to Canvas needs canvasapi; install it: {fix}") from None
    try:
        yield
    except (CanvasException, RequestException, TimeoutError, ValueError, *_MALFORMED) as error:
        secret = os.environ.get(TOKEN, "").strip()
        what = f"{type(error).__name__}: {error}".replace(secret or "\0", "(token)")[:500]
        if isinstance(error, Timeout | TimeoutError):
            what = "Canvas did not answer in time"
        elif isinstance(error, _MALFORMED):
            what = "Canvas's answer does not have the documented form"
        next_step = f"nothing was sent; check {ADDRESS}, and run the command again"
        if sent:
            students = ", ".join(sent[:3]) + (f" and {len(sent) - 3} more" if len(sent) > 3 else "")
            next_step = (
                f"the grades of {students} may have arrived; check them in Canvas's gradebook. If you run "
                "the command again, it sends these grades again, and comments that have arrived appear twice"
            )
        raise AutograderError(f"{_address()}: {what}; {next_step}") from None


def pack_for_canvas(course: Course, exercise: Exercise, on_failure: OnFailure = raise_failure) -> Sent:
    """Write build/exports/EXERCISE-feedback-canvas.zip, with a notebook for each student.

    A notebook is called id-STUDENT_USER_UPLOAD_feedback.ipynb. USER and UPLOAD are ids in Canvas.
    """
    listed = canvas_ids(course)

    def file_of(graded: GradebookSubmission) -> tuple[str, bytes]:
        arrival = arrival_of(Submission(course.root, graded.student, exercise.name))
        if arrival.upload is None:
            raise FeedbackError(
                "was not collected from a Canvas archive; download the archive and collect it"
            )
        if arrival.form not in ("", _SUFFIX):
            fix = "Canvas would give the feedback notebook this file type; send the feedback page yourself"
            raise FeedbackError(f"handed in a {arrival.form} file. {fix}")
        user = arrival.number or canvas_number(graded.student, listed)
        if not user.isdigit():
            raise FeedbackError("has no Canvas user id; write it into students.csv, in the column canvas")
        texts = enumerate(_feedback_texts(exercise.name, graded))
        node = new_notebook(
            cells=[new_markdown_cell(text, id=f"feedback-{index}") for index, text in texts],
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        )
        name = f"id-{graded.student.replace('_', '-')}_{user}_{arrival.upload}_feedback{_SUFFIX}"
        return name, (json.dumps(nbformat.from_dict(node), indent=1) + "\n").encode()

    return pack_feedback(course, exercise, "canvas", file_of, on_failure)


def _feedback_texts(exercise: str, graded: GradebookSubmission) -> list[str]:
    """Return the feedback on the submission and each question, in Markdown that is readable as plain text."""
    lines = [f"# Feedback on {exercise}: {graded.points_in_words}"]
    if graded.penalty:
        rule = f" ({graded.late_rule})" if graded.late_rule else ""
        lines.append(f"{number(graded.penalty)} points are taken off for being late{rule}.")
    if graded.is_provisional:
        lines.append("This is not final: an instructor will look at some of the answers.")
    return ["\n\n".join(lines), *map(_question, graded.entries)]


def _question(entry: Entry) -> str:
    most = number(entry.max_score)
    score = f"worth {most}, not graded yet" if entry.score is None else f"{number(entry.score)} of {most}"
    lines = [f"## {entry.question}: {score}"]
    if entry.comment:
        # An indented text is a code block, which Markdown does not change.
        lines.append("\n".join(f"    {line}" for line in entry.comment.splitlines()))
    if entry.remark:
        lines.append(entry.remark)
    return "\n\n".join(lines)
