"""Sends grades and comments to Canvas over its API, by way of the library canvasapi.

Canvas documents the calls (canvas.instructure.com/doc/api): it lists a course's assignments, takes the grades
and text comments of many students in one request (`update_grades`), and tells by a progress when it is done.
Each comment that is sent stands there as a new one, so only what has changed is sent. The token comes from
the environment and goes into no file and no message.
"""

from __future__ import annotations

import hashlib
import os
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.errors import AutograderError, UsageError
from autograder.plugins.canvas.feedback import feedback_texts
from autograder.publishing.export import ALL, Choice, Exports, canvas_ids, canvas_number, decimal, points_of
from autograder.publishing.graded_work import read_graded_work
from autograder.report.text import number

if TYPE_CHECKING:
    from canvasapi.assignment import Assignment
    from canvasapi.course import Course as CanvasCourse
    from canvasapi.paginated_list import PaginatedList

ADDRESS, TOKEN = "CANVAS_API_URL", "CANVAS_API_TOKEN"
AT_ONCE = 100  # students in a request
_MOST_PAGES = 100  # of a list, with up to a hundred entries each
PATIENCE, PAUSE = 300.0, 1.0  # seconds until Canvas has taken a request in, and between two questions
SECONDS = (10.0, 60.0)  # to be let in, and for each answer; the library would wait for ever
_ODD = (AttributeError, TypeError, LookupError, RecursionError)  # what an answer of odd form raises
_HERE = ("localhost", "127.0.0.1", "::1")


class CanvasUseError(UsageError):
    """What should be sent cannot be; the message says why and what to do."""


class CanvasFailedError(AutograderError):
    """Canvas has not taken the grades; the message says what it answered."""


@dataclass(frozen=True, slots=True)
class Sent:
    """Whose grades went to Canvas, or would go there, with the scores, and why others did not."""

    scores: Mapping[str, float]
    problems: tuple[str, ...]
    told: tuple[str, ...]  # of these scores


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
    lost = [student for student, user in numbers.items() if not user]
    problems = tuple(f"{s}: has no Canvas user id; write it into students.csv" for s in lost)
    known = {student: user for student, user in numbers.items() if user}
    data = {student: {"posted_grade": decimal(scores[student])} for student in known}
    for student in said & known.keys():
        data[student]["text_comment"] = texts[student]
    with _canvas_errors():
        there = _canvas_course(to)
        target = _assignment(exercise, there, assignment)
        if any(graded[student].penalty for student in known):
            _refuse_two_penalties(there)
        if not dry_run:
            for students in _parts(list(known)):
                with _uncertain(students):
                    update_grades(target, {known[student]: data[student] for student in students})
                grades_sent.note(exercise.name, {student: scores[student] for student in students})
                texts_sent.note(exercise.name, {s: digests[s] for s in students if s in said})
    return Sent({student: scores[student] for student in known}, problems, leaving.told)


def _canvas_course(to: str) -> CanvasCourse:
    from canvasapi import Canvas

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of addresses without TLS, which we refuse ourselves
        canvas = Canvas(_address(), _token())
    session = canvas._Canvas__requester._session  # the library has no setting for it (canvasapi, issue 629)
    session.request = partial(session.request, timeout=SECONDS)
    return canvas.get_course(to)


def _refuse_two_penalties(there: CanvasCourse) -> None:
    """Refuse where Canvas takes points off for being late as well."""
    from canvasapi.exceptions import ResourceDoesNotExist

    with suppress(ResourceDoesNotExist):
        if there.get_late_policy().late_submission_deduction_enabled:
            raise CanvasUseError(
                "Canvas takes points off late work, too, so that it would lose them twice; switch that off "
                "in the settings of Canvas's gradebook, or take `late` out of course.yaml"
            )


def _assignment(exercise: Exercise, there: CanvasCourse, assignment: str) -> Assignment:
    """Return Canvas's assignment, which must be worth what the exercise is worth."""
    if assignment:
        found = [there.get_assignment(assignment)]
    else:
        named = _listed(there.get_assignments(search_term=exercise.name))
        found = [one for one in named if one.name == exercise.name]
    if len(found) != 1:
        many = "several assignments" if found else "no assignment"
        raise CanvasUseError(f"Canvas has {many} named {exercise.name}; choose one with --assignment NUMBER")
    (target,) = found
    points = points_of(exercise)
    if target.points_possible != points:
        shown = "none" if target.points_possible is None else number(target.points_possible)
        raise CanvasUseError(
            f"{target.name} has {shown} points in Canvas, but {number(points)} here; change them in Canvas"
        )
    return target


def _listed(pages: PaginatedList[Assignment]) -> Iterator[Assignment]:
    """Yield what is on the pages of a list; the library would follow links to further ones for ever."""
    for _ in range(_MOST_PAGES):
        if not pages._has_next():
            return
        yield from pages._grow()
    raise CanvasFailedError(f"Canvas: a list has more than {_MOST_PAGES} pages; name --assignment NUMBER")


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


def _parts(students: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(students), AT_ONCE):
        yield students[start : start + AT_ONCE]


def _address() -> str:
    address = os.environ.get(ADDRESS, "").strip().rstrip("/").removesuffix("/api/v1")
    parts = urlsplit(address)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _HERE):
        raise CanvasUseError(f"{ADDRESS} must be Canvas's address, such as https://canvas.uni.edu; export it")
    return address


def _token() -> str:
    if not (token := os.environ.get(TOKEN, "").strip()):
        raise CanvasUseError(f"{TOKEN} is not set; make a token in Canvas's settings and export it")
    return token


@contextmanager
def _uncertain(students: Sequence[str]) -> Iterator[None]:
    """Say whose grades were sent, where no answer comes: nobody knows whether they have arrived."""
    from requests import RequestException

    try:
        yield
    except (RequestException, TimeoutError, *_ODD) as error:
        some = ", ".join(students[:3]) + (f" and {len(students) - 3} more" if len(students) > 3 else "")
        raise CanvasFailedError(
            f"{_address()}: {_silence(error)} after the grades of {some} were sent, so they may be there or "
            "not; look into Canvas's gradebook, and run the command again: it sends them again, with comments"
        ) from None


def _silence(error: Exception) -> str:
    from requests import Timeout

    if isinstance(error, _ODD):
        return "an answer came that is not as Canvas documents it"
    return "no answer came in time" if isinstance(error, Timeout | TimeoutError) else "the connection broke"


@contextmanager
def _canvas_errors() -> Iterator[None]:
    """Turn what the library raises into words; the token is in none of them, whatever a server answers."""
    try:
        from canvasapi.exceptions import CanvasException
        from requests import RequestException, Timeout
    except ImportError:
        fix = "pip install -c constraints.txt -e '.[canvas]'"
        raise CanvasUseError(f"sending grades to Canvas needs canvasapi; install it: {fix}") from None
    try:
        yield
    except Timeout as error:
        raise CanvasFailedError(
            f"{_address()}: {_silence(error)}, and nothing was sent; see whether Canvas can be reached there "
            f"and {ADDRESS} is right, and run the command again"
        ) from None
    except _ODD as error:
        raise CanvasFailedError(f"{_address()}: {_silence(error)}; see whether {ADDRESS} is right") from error
    except (CanvasException, RequestException, ValueError) as error:
        text: Any = f"{type(error).__name__}: {error}"
        secret = os.environ.get(TOKEN, "").strip()
        told = text.replace(secret, "(token)") if secret else text
        raise CanvasFailedError(f"Canvas: {told[:500]}") from None
