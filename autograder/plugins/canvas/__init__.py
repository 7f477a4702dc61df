"""The commands `canvas`, which sends grades and comments over Canvas's API, and `canvas-zip`.

Canvas documents its API (canvas.instructure.com/doc/api): it lists a course's assignments, takes the grades
and text comments of many students in one request (`update_grades`), and tells by a progress when it is done.
Each comment that is sent stands there as a new one, so only what has changed is sent. The token comes from
the environment and goes into no file and no message.

Of an uploaded zip, Canvas (instructure/canvas-lms, `infer_comment_context_from_filename` in
app/models/abstract_assignment.rb) splits each file's name at each "_". The first two parts that are all
digits are the user's id and the upload's, or, for an anonymous assignment, the parts after "anon". It passes
over an upload that is not of the student's newest attempt, and a name whose last part begins with "link". The
file becomes an attachment to a comment, under the name of the file that was handed in: no program would open
a page in HTML under that name.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click
import nbformat
from nbformat.v4 import new_markdown_cell, new_notebook

from autograder.cli import options
from autograder.collecting.attempts import arrival_of
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.errors import AutograderError, UsageError
from autograder.publishing.export import (
    ALL,
    Choice,
    Exports,
    Sent,
    UnknownError,
    canvas_ids,
    canvas_number,
    decimal,
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

SECTION = "Platforms"
ADDRESS, TOKEN = "CANVAS_API_URL", "CANVAS_API_TOKEN"
AT_ONCE = 100  # students in a request
PATIENCE, PAUSE = 300.0, 1.0  # seconds until Canvas has taken a request in, and between two questions
SECONDS = (10.0, 60.0)  # to be let in, and for each answer; the library would wait for ever
_ODD = (AttributeError, TypeError, LookupError, RecursionError)  # what an answer of odd form raises
_HERE = ("localhost", "127.0.0.1", "::1")
_ANONYMOUS = re.compile(r"anon_[A-Za-z0-9]+")
_FORMS = (".ipynb", ".py")


class CanvasUseError(UsageError):
    """What should be sent cannot be; the message says why and what to do."""


class CanvasFailedError(AutograderError):
    """Canvas has not taken the grades; the message says what it answered."""


@click.command()
@options.exercise
@click.option("--to", required=True, metavar="COURSE", help="The course's number in Canvas.")
@click.option("--assignment", default="", metavar="NUMBER", help="In Canvas, if not named EXERCISE.")
@click.option("--comments", is_flag=True, help="Also send the feedback, as a comment.")
@click.option("--all", "everything", is_flag=True, help="Send all grades, even those that were sent before.")
@options.final_only
@options.unreadable_as_zero
@click.option("--dry-run", is_flag=True, help="Only say what would be sent.")
def canvas(
    course: Course, exercise: Exercise, final_only: bool, unreadable_as_zero: bool, **what: Any
) -> None:
    """Send grades to Canvas.

    Only grades that changed since the last time are sent. Set the environment variables CANVAS_API_URL (the
    server) and CANVAS_API_TOKEN; the token is not stored.
    """
    sent = send_grades(course, exercise, choice=Choice(final_only, unreadable_as_zero), **what)
    scores = (f"{student}: {number(float(score))}" for student, score in sent.values.items())
    options.print_lines(f"{exercise.name} {score}" for score in scores)
    problems = (f"{exercise.name} left out: {problem}" for problem in sent.problems)
    options.print_lines((*problems, *sent.told), err=True)
    click.echo(f"{len(sent.values)} grades {'would go' if what['dry_run'] else 'went'} to Canvas")


@click.command("canvas-zip")
@options.exercise
@options.changed(help="Pack only feedback that changed since it was packed last.")
def canvas_zip(course: Course, exercise: Exercise, changed: bool) -> None:
    """Pack feedback for Canvas.

    Upload the zip in Canvas under "Upload Submissions". Canvas stores feedback under the submitted file's
    name, so the feedback is a notebook with scores and comments instead of a page.
    """
    options.show_sent(course, pack_for_canvas(course, exercise, changed=changed), "feedback for")


def send_grades(
    course: Course,
    exercise: Exercise,
    to: str,
    *,
    assignment: str = "",
    comments: bool = False,
    everything: bool = False,
    dry_run: bool = False,
    choice: Choice = ALL,
) -> Sent:
    """Send the grades of an exercise to the Canvas course of number `to`, with comments if asked for.

    Only grades and comments go that are others than those sent last, unless `everything` is to go. A
    `dry_run` asks Canvas for the assignment, and sends nothing.
    """
    works = list(read_graded_work(course, [exercise]))
    graded, leaving = {work.student: work.submission for work in works}, choice.of(exercise, works)
    scores, listed = leaving.scores, canvas_ids(course)
    texts = {student: "\n\n".join(feedback_texts(exercise.name, graded[student])) for student in scores}
    digests = {student: hashlib.sha256(text.encode()).hexdigest() for student, text in texts.items()}
    grades_sent, texts_sent = Exports(course, "canvas api"), Exports(course, "canvas api comments")
    new = set(scores) if everything else grades_sent.changed(exercise.name, scores)
    said = texts_sent.changed(exercise.name, digests) if comments else set[str]()
    numbers = {student: canvas_number(student, listed) for student in sorted(new | said)}
    known = [student for student, user in numbers.items() if user]
    lost = [f"{s}: has no Canvas user id; write it into students.csv" for s in numbers if s not in known]
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
                update_grades(target, {numbers[student]: data[student] for student in students})
            grades_sent.note(exercise.name, {student: scores[student] for student in students})
            texts_sent.note(exercise.name, {s: digests[s] for s in students if s in said})
    return Sent({student: scores[student] for student in known}, problems=tuple(lost), told=leaving.told)


def _canvas_course(to: str) -> CanvasCourse:
    from canvasapi import Canvas

    if not (token := os.environ.get(TOKEN, "").strip()):
        raise CanvasUseError(f"{TOKEN} is not set; make a token in Canvas's settings and export it")
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
        raise CanvasUseError(f"{ADDRESS} must be Canvas's address, such as https://canvas.uni.edu; export it")
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
        raise CanvasUseError(f"Canvas has {many} named {exercise.name}; choose one with --assignment NUMBER")
    (target,), points = found, points_of(exercise)
    if target.points_possible != points:
        shown = "none" if target.points_possible is None else number(target.points_possible)
        raise CanvasUseError(
            f"{target.name} has {shown} points in Canvas, but {number(points)} here; change them in Canvas"
        )
    return target


def _refuse_two_penalties(there: CanvasCourse) -> None:
    """Refuse where Canvas takes points off for being late as well."""
    from canvasapi.exceptions import ResourceDoesNotExist

    with suppress(ResourceDoesNotExist):
        if there.get_late_policy().late_submission_deduction_enabled:
            raise CanvasUseError(
                "Canvas takes points off late work, too, so that it would lose them twice; switch that off "
                "in the settings of Canvas's gradebook, or take `late` out of course.yaml"
            )


def update_grades(target: Assignment, data: Mapping[str, Mapping[str, str]]) -> None:
    """Send one request, and wait until Canvas has taken it in."""
    progress, end = target.submissions_bulk_update(grade_data=data), time.monotonic() + PATIENCE
    while progress.workflow_state in ("queued", "running"):
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(PAUSE)
        progress = progress.query()
    if progress.workflow_state != "completed":
        raise CanvasFailedError(f"Canvas has not taken the grades: {getattr(progress, 'message', '')}")


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
        raise CanvasUseError(f"sending grades to Canvas needs canvasapi; install it: {fix}") from None
    try:
        yield
    except (CanvasException, RequestException, TimeoutError, ValueError, *_ODD) as error:
        silent = isinstance(error, Timeout | TimeoutError)
        what = "no answer came in time" if silent else "the connection broke"
        if isinstance(error, _ODD):
            what = "an answer came that is not as Canvas documents it"
        if sent and isinstance(error, (RequestException, TimeoutError, *_ODD)):
            some = ", ".join(sent[:3]) + (f" and {len(sent) - 3} more" if len(sent) > 3 else "")
            raise CanvasFailedError(
                f"{_address()}: {what} after the grades of {some} were sent, so they may be there or not; "
                "look into Canvas's gradebook, and run the command again: it sends them again, with comments"
            ) from None
        if silent or isinstance(error, _ODD):
            raise CanvasFailedError(
                f"{_address()}: {what}, and nothing was sent; see whether Canvas can be reached there and "
                f"{ADDRESS} is right, and run the command again"
            ) from error
        secret = os.environ.get(TOKEN, "").strip()
        said = f"{type(error).__name__}: {error}".replace(secret or "\0", "(token)")
        raise CanvasFailedError(f"Canvas: {said[:500]}") from None


def pack_for_canvas(course: Course, exercise: Exercise, *, changed: bool = False) -> Sent:
    """Write build/exports/EXERCISE-feedback-canvas.zip, with a notebook or a script for each student."""
    listed = canvas_ids(course)

    def file_of(graded: GradebookSubmission) -> tuple[str, bytes]:
        submission = Submission(course.root, graded.student, exercise.name)
        return _canvas_file(submission, graded, canvas_number(graded.student, listed))

    return pack_feedback(course, exercise, "canvas", file_of, changed=changed)


def _canvas_file(submission: Submission, graded: GradebookSubmission, listed: str) -> tuple[str, bytes]:
    """Return the name and the content of one student's file.

    Before the upload's number stands whatever is no number, then the user's number.
    """
    arrival = arrival_of(submission)
    if arrival.upload is None:
        raise UnknownError("did not come from a Canvas archive; collect that archive again")
    form = arrival.form or _FORMS[0]
    if form not in _FORMS:
        raise UnknownError(f"handed in a {form} file, whose name Canvas would give to the feedback")
    user = arrival.number or listed
    anonymous = [name for name in (arrival.number, submission.student) if _ANONYMOUS.fullmatch(name)]
    if not anonymous and not user.isdigit():
        raise UnknownError("has no Canvas user id; write it into students.csv, in the column canvas")
    person = anonymous[0] if anonymous else f"id-{submission.student.replace('_', '-')}_{user}"
    content = _feedback_file(feedback_texts(submission.exercise, graded), form).encode()
    return f"{person}_{arrival.upload}_feedback{form}", content


def _feedback_file(texts: Sequence[str], form: str) -> str:
    """Return scores and comments, question by question, in a file with the suffix `form`."""
    cells = [new_markdown_cell(text, id=f"feedback-{place}") for place, text in enumerate(texts)]
    node = new_notebook(cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})
    if form == ".py":
        import jupytext  # here, since it takes seconds to load

        return str(jupytext.writes(node, fmt="py:percent"))
    return json.dumps(nbformat.from_dict(node), indent=1) + "\n"


def feedback_texts(exercise: str, graded: GradebookSubmission) -> list[str]:
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
