"""Tells students of their attempts: when each came, what it scored, and which one counts."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, tzinfo

from autograder.collecting.attempts import Attempt, attempts_of, attempts_to_be
from autograder.collecting.entry import EntryError
from autograder.course.course import Course
from autograder.gradebook.folder_check import known_time
from autograder.gradebook.graded_attempts import graded_attempt
from autograder.report.gradebook_submission import ShownAttempt
from autograder.submission.notebook import Notebook
from autograder.submission.submission import Submission


def shown_attempts(
    course: Course, submission: Submission, fingerprint: str, told: Callable[[Attempt], bool] = lambda _: True
) -> Sequence[ShownAttempt]:
    """Return a student's attempts for the page, the newest last; scores only of those that may be `told`.

    The one that counts is the one that was graded with this `fingerprint`.
    """
    attempts: Sequence[Attempt] = ()
    with suppress(EntryError, ValueError):
        attempts = attempts_of(submission)
    zone = _zone(course, submission)
    known = [graded_attempt(attempt) for attempt in attempts]
    places = [place for place, one in enumerate(known) if one is not None and one.fingerprint == fingerprint]
    shown = []
    for place, attempt in enumerate(attempts):
        graded = known[place] if told(attempt) else None
        when = known_time(attempt.folder)
        score, points = (None, None) if graded is None else (graded.report.score, graded.report.max_score)
        shown.append(ShownAttempt(clock(when, zone), score, points, place in places[-1:]))
    return shown


def name_of_attempt(course: Course, submission: Submission, notebook: Notebook, came: datetime | None) -> str:
    """Return which of several attempts a notebook is, such as "attempt 2 of 3 of 2026-03-01 16:00 CET".

    It is empty where there is but one.
    """
    attempts: Sequence[Attempt] = ()
    with suppress(EntryError, ValueError):
        attempts = attempts_to_be(submission)
    same = [place for place, one in enumerate(attempts) if one.digest == notebook.digest]
    if len(attempts) < 2 or not same:
        return ""
    place = next((place for place in same if known_time(attempts[place].folder) == came), same[-1])
    when = clock(came, _zone(course, submission))
    return f"attempt {place + 1} of {len(attempts)}{f' of {when}' if when else ''}"


def _zone(course: Course, submission: Submission) -> tzinfo | None:
    due = course.due(submission.exercise)
    return due.tzinfo if due is not None else None


def clock(when: datetime | None, zone: tzinfo | None) -> str:
    """Return a time in UTC as a clock in this zone shows it; empty where nobody knows the time."""
    if when is None:
        return ""
    return when.replace(tzinfo=when.tzinfo or UTC).astimezone(zone or UTC).strftime("%Y-%m-%d %H:%M %Z")
