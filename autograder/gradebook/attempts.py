"""Refuses submissions on which nbgrader would fail, and says how attempts are shown on a page."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from nbgrader.utils import parse_utc

from autograder.collecting.attempts import TIMESTAMP, Attempt, attempts_of
from autograder.collecting.names import plausible
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.report.report import Report, ShownAttempt, Status
from autograder.submission.submission import Submission, is_student

MAX_FILES = 200  # all of which nbgrader would list
_MAX_BYTES = 1000


def refusal(submission: Submission) -> str:
    """Return why the folder of `submission` is refused and how to fix it; empty where nothing is wrong."""
    if not is_student(submission.student):
        return "is not a student's id; use letters, digits and . _ @ + -, and rename the folder"
    if submission.folder.is_symlink() or submission.folder.parent.is_symlink():
        return "the folder is a link; put the files themselves there"
    if not submission.folder.is_dir():
        return ""
    if sum(1 for _ in submission.folder.iterdir()) > MAX_FILES:
        return f"the folder holds more than {MAX_FILES} files; leave only the notebook in it"
    text = written_time(submission)
    if text is None or (text and known_time(text) is None):
        return f"{TIMESTAMP} is not a time; write one such as 2026-01-31 12:00:00 UTC, or delete it"
    return ""


def known_time(text: str) -> datetime | None:
    """Return the time of an attempt in the same way; None for words that are no time."""
    with suppress(ValueError, OverflowError, TypeError, AttributeError):
        return plausible(parse_utc(text)) if text else None
    return None


def written_time(submission: Submission) -> str | None:
    """Return what stands beside a notebook as its time: nothing, some words, or None for no small file."""
    path = submission.folder / TIMESTAMP
    if not os.path.lexists(path):
        return ""
    return path.read_text(encoding="utf-8", errors="replace").strip() if _is_small_file(path) else None


def _is_small_file(path: Path) -> bool:
    return not path.is_symlink() and path.is_file() and path.stat().st_size <= _MAX_BYTES


def is_final(report: Report, *, unsafe: bool) -> bool:
    """Whether grading need not be repeated: it did not fail, and had the walls that it needs now."""
    return report.status is not Status.GRADER_ERROR and (unsafe or "unsafe" not in report.sandbox)


def shown_attempts(
    course: Course,
    submission: Submission,
    told: Callable[[Attempt], bool] = lambda _: True,
    why_passed_over: Callable[[Attempt], str] = lambda _: "",
) -> Sequence[ShownAttempt]:
    """Return a student's attempts for the page, the newest last; scores only of those that may be `told`.

    If the newest does not count, `why_passed_over` says why.
    """
    shown = list[ShownAttempt]()
    attempts = attempts_of(submission)
    for attempt in attempts:
        report = attempt.report if told(attempt) else None
        score, points = (report.score, report.max_score) if report else (None, None)
        when = _clock(course.exercises[submission.exercise], known_time(attempt.time))
        why = why_passed_over(attempt) if attempt is attempts[-1] and not attempt.recorded else ""
        shown.append(ShownAttempt(when, score, points, attempt.recorded, why))
    return shown


def name_of_attempt(exercise: Exercise, attempts: Sequence[Attempt], attempt: Attempt) -> str:
    """Return which of several attempts this is, such as "attempt 2 of 3 of 2026-03-01 16:00 CET".

    It is empty where there is but one.
    """
    digests = [one.digest for one in attempts]
    if len(digests) < 2 or attempt.digest not in digests:
        return ""
    when = _clock(exercise, known_time(attempt.time))
    number = digests.index(attempt.digest) + 1
    return f"attempt {number} of {len(digests)}{f' of {when}' if when else ''}"


def _clock(exercise: Exercise, when: datetime | None) -> str:
    """Return a time in UTC as a clock shows it where the exercise is due; empty where nobody knows it."""
    due = exercise.settings.due
    zone = due.tzinfo if due is not None else UTC
    return when.replace(tzinfo=UTC).astimezone(zone).strftime("%Y-%m-%d %H:%M %Z") if when else ""
