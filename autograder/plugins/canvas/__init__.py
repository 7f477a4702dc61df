"""The commands `canvas`, which sends grades and comments over Canvas's API, and `canvas-zip`.

Canvas (canvas.instructure.com/doc/api) takes the grades and text comments of many students in one request
(`update_grades`), and tells by a progress when it is done. Each comment that is sent stands there as a new
one, so only what has changed is sent. The token comes from the environment and goes into no file and no
message.

Of an uploaded zip, Canvas (instructure/canvas-lms, app/models/abstract_assignment.rb) splits each file's
name at each "_". The first two parts that are all digits are the user's id and the upload's, or, for an
anonymous assignment, the parts after "anon". The upload must be the student's newest. The file becomes an
attachment to a comment, under the name of the file that was handed in: no program would open a page in HTML
under that name.
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
    Sent,
    UnknownError,
    canvas_ids,
    canvas_number,
    decimal,
    leaving,
    pack_feedback,
    points_of,
)
from autograder.publishing.graded_work import read_graded_work
from autograder.report.report import GradebookEntry, GradebookSubmission
from autograder.report.text import number
from autograder.submission.submission import Submission

if TYPE_CHECKING:
    from canvasapi.assignment import Assignment
    from canvasapi.course import Course as CanvasCourse

ADDRESS, TOKEN = "CANVAS_API_URL", "CANVAS_API_TOKEN"
AT_ONCE = 100  # students in a request
PATIENCE, PAUSE = 300.0, 1.0  # seconds until Canvas has taken a request in, and between two questions
SECONDS = (10.0, 60.0)  # to be let in, and for each answer; the library would wait for ever
_ODD = (AttributeError, TypeError, LookupError, RecursionError)  # what an answer of odd form raises
_HERE = ("localhost", "127.0.0.1", "::1")
_FORM = ".ipynb"


@click.command()
@options.exercise
@click.option("--to", required=True, metavar="COURSE", help="The course's number in Canvas.")
@click.option("--assignment", default="", metavar="NUMBER", help="In Canvas, if not named EXERCISE.")
@click.option("--comments", is_flag=True, help="Also send the feedback, as a comment.")
@click.option("--dry-run", is_flag=True, help="Only say what would be sent.")
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
    with options.failures() as on_failure:
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
    """Send what has changed since the last time, and print what was sent and what was left out."""
    works = list(read_graded_work(course, [exercise], on_failure))
    graded, outgoing = {work.student: work.submission for work in works}, leaving(exercise, works, choice)
    scores, texts, listed = dict[str, float](), dict[str, str](), canvas_ids(course)
    for student, score in outgoing.values.items():
        with skipping(course, exercise.name, student, on_failure):
            texts[student] = "\n\n".join(_feedback_texts(exercise.name, graded[student]))
            scores[student] = score
    digests = {student: hashlib.sha256(text.encode()).hexdigest() for student, text in texts.items()}
    grades_sent, texts_sent = Exports(course, "canvas api"), Exports(course, "canvas api comments")
    new = grades_sent.changed(exercise.name, scores)
    said = texts_sent.changed(exercise.name, digests) if comments else set[str]()
    numbers = {student: canvas_number(student, listed) for student in sorted(new | said)}
    known = [student for student, user in numbers.items() if user]
    data = {student: {"posted_grade": decimal(scores[student])} for student in known}
    for student in said.intersection(known):
        data[student]["text_comment"] = texts[student]
    with _told_errors():
        there = _canvas_course(to)
        target = _assignment(exercise, there, assignment)
        if any(graded[student].penalty for student in known):
            _refuse_two_penalties(there)
        for start in range(0, 0 if dry_run else len(known), AT_ONCE):
            students = known[start : start + AT_ONCE]
            with _told_errors(students):
                _update_grades(target, {numbers[student]: data[student] for student in students})
            grades_sent.note(exercise.name, {student: scores[student] for student in students})
            texts_sent.note(exercise.name, {s: digests[s] for s in students if s in said})
    lost = "has no Canvas user id; write it into students.csv"
    problems = (f"{exercise.name} left out: {s}: {lost}" for s in numbers if s not in known)
    options.print_lines(f"{exercise.name} {student}: {number(scores[student])}" for student in known)
    options.print_lines((*problems, *outgoing.told), err=True)
    click.echo(f"{len(known)} grades {'would go' if dry_run else 'went'} to Canvas")


@click.command("canvas-zip")
@options.exercise
def canvas_zip(course: Course, exercise: Exercise) -> None:
    """Pack feedback for Canvas.

    Upload the zip in Canvas under "Upload Submissions". Canvas stores feedback under the submitted file's
    name, so the feedback is a notebook with scores and comments instead of a page.
    """
    with options.failures() as on_failure:
        options.show_sent(course, pack_for_canvas(course, exercise, on_failure), "feedback for")


def _canvas_course(to: str) -> CanvasCourse:
    from canvasapi import Canvas

    if not (token := os.environ.get(TOKEN, "").strip()):
        raise UsageError(f"{TOKEN} is not set; make a token in Canvas's settings and export it")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of addresses without TLS, which we refuse ourselves
        canvas = Canvas(_address(), token)
    session = canvas._Canvas__requester._session  # the library has no setting for it (canvasapi, issue 629)
    session.request = partial(session.request, timeout=SECONDS)
    return canvas.get_course(to)


def _address() -> str:
    address = os.environ.get(ADDRESS, "").strip().rstrip("/").removesuffix("/api/v1")
    parts = urlsplit(address)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _HERE):
        raise UsageError(f"{ADDRESS} must be Canvas's address, such as https://canvas.uni.edu; export it")
    return address


def _assignment(exercise: Exercise, there: CanvasCourse, assignment: str) -> Assignment:
    """Return Canvas's assignment, which must be worth what the exercise is worth."""
    if assignment:
        found = [there.get_assignment(assignment)]
    else:
        named = there.get_assignments(search_term=exercise.name)
        found = [one for one in named if one.name == exercise.name]
    if len(found) != 1:
        many = "several assignments" if found else "no assignment"
        raise UsageError(f"Canvas has {many} named {exercise.name}; choose one with --assignment NUMBER")
    (target,), points = found, points_of(exercise)
    if target.points_possible != points:
        shown = "none" if target.points_possible is None else number(target.points_possible)
        raise UsageError(
            f"{target.name} has {shown} points in Canvas, but {number(points)} here; change them in Canvas"
        )
    return target


def _refuse_two_penalties(there: CanvasCourse) -> None:
    from canvasapi.exceptions import ResourceDoesNotExist

    with suppress(ResourceDoesNotExist):
        if there.get_late_policy().late_submission_deduction_enabled:
            raise UsageError(
                "Canvas takes points off late work, too, so that it would lose them twice; switch that off "
                "in the settings of Canvas's gradebook, or take `late` out of course.yaml"
            )


def _update_grades(target: Assignment, data: Mapping[str, Mapping[str, str]]) -> None:
    """Send one request, and wait until Canvas has taken it in."""
    progress, end = target.submissions_bulk_update(grade_data=data), time.monotonic() + PATIENCE
    while progress.workflow_state in ("queued", "running"):
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(PAUSE)
        progress = progress.query()
    if progress.workflow_state != "completed":
        raise AutograderError(f"Canvas has not taken the grades: {getattr(progress, 'message', '')}")


@contextmanager
def _told_errors(sent: Sequence[str] = ()) -> Iterator[None]:
    """Turn what the library raises into words; the token is in none of them, whatever a server answers.

    Where no answer comes to the grades that were `sent`, nobody knows whether they have arrived.
    """
    try:
        from canvasapi.exceptions import CanvasException
        from requests import RequestException, Timeout
    except ImportError:
        fix = "pip install -c constraints.txt -e '.[canvas]'"
        raise UsageError(f"sending grades to Canvas needs canvasapi; install it: {fix}") from None
    try:
        yield
    except (CanvasException, RequestException, TimeoutError, ValueError, *_ODD) as error:
        secret = os.environ.get(TOKEN, "").strip()
        what = f"{type(error).__name__}: {error}".replace(secret or "\0", "(token)")[:500]
        if isinstance(error, Timeout | TimeoutError):
            what = "no answer came in time"
        elif isinstance(error, _ODD):
            what = "an answer came that is not as Canvas documents it"
        fate = f"nothing was sent; see whether {ADDRESS} is right, and run the command again"
        if sent:
            some = ", ".join(sent[:3]) + (f" and {len(sent) - 3} more" if len(sent) > 3 else "")
            fate = (
                f"the grades of {some} may be there or not; look into Canvas's gradebook, and run the "
                "command again: it sends them again, with comments"
            )
        raise AutograderError(f"{_address()}: {what}; {fate}") from None


def pack_for_canvas(course: Course, exercise: Exercise, on_failure: OnFailure = raise_failure) -> Sent:
    """Write build/exports/EXERCISE-feedback-canvas.zip, with a notebook for each student.

    In a file's name whatever is no number comes first, then the user's number and the upload's.
    """
    listed = canvas_ids(course)

    def file_of(graded: GradebookSubmission) -> tuple[str, bytes]:
        arrival = arrival_of(Submission(course.root, graded.student, exercise.name))
        if arrival.upload is None:
            raise UnknownError("did not come from a Canvas archive; collect that archive again")
        if arrival.form not in ("", _FORM):
            file = f"a {arrival.form} file"
            raise UnknownError(f"handed in {file}, whose name Canvas would give to the feedback")
        user = arrival.number or canvas_number(graded.student, listed)
        if not user.isdigit():
            raise UnknownError("has no Canvas user id; write it into students.csv, in the column canvas")
        texts = enumerate(_feedback_texts(exercise.name, graded))
        node = new_notebook(
            cells=[new_markdown_cell(text, id=f"feedback-{place}") for place, text in texts],
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        )
        name = f"id-{graded.student.replace('_', '-')}_{user}_{arrival.upload}_feedback{_FORM}"
        return name, (json.dumps(nbformat.from_dict(node), indent=1) + "\n").encode()

    return pack_feedback(course, exercise, "canvas", file_of, on_failure)


def _feedback_texts(exercise: str, graded: GradebookSubmission) -> list[str]:
    """Return what is said of the whole and of each question, in Markdown that can be read as it is."""
    lines = [f"# Feedback on {exercise}: {graded.points_in_words}"]
    if graded.penalty:
        rule = f" ({graded.late_rule})" if graded.late_rule else ""
        lines.append(f"{number(graded.penalty)} points are taken off for being late{rule}.")
    if graded.is_provisional:
        lines.append("This is not final: an instructor will look at some of the answers.")
    return ["\n\n".join(lines), *map(_question, graded.entries)]


def _question(entry: GradebookEntry) -> str:
    most = number(entry.max_score)
    score = f"worth {most}, not graded yet" if entry.score is None else f"{number(entry.score)} of {most}"
    lines = [f"## {entry.question}: {score}"]
    if entry.comment:
        lines.append("\n".join(f"    {line}" for line in entry.comment.splitlines()))  # as it is, no Markdown
    if entry.remark:
        lines.append(entry.remark)
    return "\n\n".join(lines)
