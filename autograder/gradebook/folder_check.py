"""Refuses submission folders on which nbgrader would hang or fail, and says why."""

import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from nbgrader.utils import parse_utc

from autograder.submission.submission import Submission, is_student

MAX_FILES = 200
TIMESTAMP = "timestamp.txt"
KEPT = (TIMESTAMP, "submission_secret.txt")  # without which nbgrader's exchange releases no feedback
_MAX_BYTES = 1000
_NO_TIME = (ValueError, OverflowError, TypeError, AttributeError)  # raised by words that are none


def refusal(submission: Submission) -> str:
    """Return why the folder of `submission` is refused and how to fix it; empty where nothing is wrong."""
    if not is_student(submission.student):
        return "is no student's id; use letters, digits and . _ @ + -, and rename the folder"
    if submission.folder.is_symlink() or submission.folder.parent.is_symlink():
        return "the folder is a link; put the files themselves there"
    if not submission.folder.is_dir():
        return ""
    if sum(1 for _ in submission.folder.iterdir()) > MAX_FILES:
        return f"the folder holds more than {MAX_FILES} files; leave the notebook alone in it"
    timestamp = submission.folder / TIMESTAMP
    if os.path.lexists(timestamp) and not _holds_time(timestamp):
        return f"{TIMESTAMP} is no time; write one such as 2026-01-31 12:00:00 UTC, or delete it"
    return ""


def companions(submission: Submission) -> list[Path]:
    """Return the files that nbgrader needs besides the notebook; it gets to see no others."""
    return [path for name in KEPT if _is_small_file(path := submission.folder / name)]


def handed_in(submission: Submission) -> datetime | None:
    """Return when a submission came, in UTC and without a zone, as nbgrader keeps it."""
    path = submission.folder / TIMESTAMP
    text = path.read_text(encoding="utf-8").strip() if _is_small_file(path) else ""
    return parse_utc(text) if text else None


def known_time(text: str) -> datetime | None:
    """Return the time of an attempt in the same way, and None also for words that are no time."""
    with suppress(*_NO_TIME):
        return parse_utc(text) if text else None
    return None


def _is_small_file(path: Path) -> bool:
    return not path.is_symlink() and path.is_file() and path.stat().st_size <= _MAX_BYTES


def _holds_time(path: Path) -> bool:
    with suppress(*_NO_TIME):
        if _is_small_file(path):
            parse_utc(path.read_text(encoding="utf-8").strip() or None)
            return True
    return False
