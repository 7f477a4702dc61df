"""Refuses submissions on which nbgrader would fail, and describes attempts."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime

from nbgrader.utils import parse_utc

from autograder.collecting.archive import EntryError
from autograder.collecting.attempts import TIMESTAMP, Attempt, read_plain
from autograder.collecting.names import plausible
from autograder.course.exercise import Exercise
from autograder.report.report import Report, Status
from autograder.report.text import number
from autograder.submission.submission import Submission, is_student

MAX_FILES = 200  # the maximum number of files in a submitted folder
_MAX_BYTES = 1000  # the maximum size of a timestamp.txt


def refusal(submission: Submission) -> str:
    """Return why the folder of `submission` is refused and how to fix it, or "" if it is accepted."""
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
    """Return the time that a timestamp.txt contains, or None if `text` is empty or not a plausible time."""
    with suppress(ValueError, OverflowError, TypeError, AttributeError):
        return plausible(parse_utc(text)) if text else None
    return None


def written_time(submission: Submission) -> str | None:
    """Return the content of timestamp.txt, "" if there is none, or None if it is not a small plain file."""
    try:
        content = read_plain(submission.folder / TIMESTAMP, _MAX_BYTES) or b""
    except EntryError:
        return None
    return content.decode(errors="replace").strip() if len(content) <= _MAX_BYTES else None


def is_final(report: Report, *, unsafe: bool) -> bool:
    """Whether grading worked in the sandbox that course.yaml demands. With `unsafe`, any sandbox will do."""
    return report.status is not Status.GRADER_ERROR and (unsafe or "unsafe" not in report.sandbox)


def describe_attempt(exercise: Exercise, attempt: Attempt, *, shows_score: bool) -> str:
    """Return a line on an attempt: its time, its points from tests, and whether it counts."""
    when = clock_time(exercise, attempt) or "at an unknown time"
    report = attempt.report if shows_score else None
    points = ""
    if report is not None and report.score is not None:
        points = f": {number(report.score)} of {number(report.max_score)} points from tests"
    return f"{when}{points}{'; this one counts' if attempt.recorded else ''}"


def name_of_attempt(exercise: Exercise, attempts: Sequence[Attempt], attempt: Attempt) -> str:
    """Return a name such as "attempt 2 of 3, 2026-03-01 16:00 CET", or "" if there is only one attempt."""
    digests = [attempt.digest for attempt in attempts]
    if len(digests) < 2 or attempt.digest not in digests:
        return ""
    position = f"attempt {digests.index(attempt.digest) + 1} of {len(digests)}"
    return ", ".join(filter(None, (position, clock_time(exercise, attempt))))


def clock_time(exercise: Exercise, attempt: Attempt) -> str:
    """Return the time of an attempt in the time zone of the due date, or "" if it is unknown."""
    if (when := known_time(attempt.time)) is None:
        return ""
    due = exercise.settings.due
    zone = due.tzinfo if due is not None else UTC
    return when.replace(tzinfo=UTC).astimezone(zone).strftime("%Y-%m-%d %H:%M %Z")
