"""Says what of a submission's folder cannot be given to nbgrader, which would hang or fail on it."""

from pathlib import Path

from nbgrader.utils import parse_utc

from autograder.submission.submission import Submission, is_student

MAX_FILES = 200
TIMESTAMP = "timestamp.txt"
_KEPT = (TIMESTAMP, "submission_secret.txt")  # without the second nbgrader releases no feedback
_MAX_BYTES = 1000


def refusal(submission: Submission) -> str:
    """Return what is wrong with the folder of `submission`, and the mend; empty where nothing is."""
    if not is_student(submission.student):
        return "is no student's id; use letters, digits and . _ @ + -, and rename the folder"
    if submission.folder.is_symlink() or submission.folder.parent.is_symlink():
        return "the folder is a link; put the files themselves there"
    if not submission.folder.is_dir():
        return ""
    if sum(1 for _ in submission.folder.iterdir()) > MAX_FILES:
        return f"the folder holds more than {MAX_FILES} files; leave the notebook alone in it"
    return _bad_timestamp(submission)


def companions(submission: Submission) -> list[Path]:
    """Return the files that nbgrader needs besides the notebook; all others stay where they are."""
    kept = (submission.folder / name for name in _KEPT)
    return [path for path in kept if _is_small_file(path)]


def _is_small_file(path: Path) -> bool:
    return not path.is_symlink() and path.is_file() and path.stat().st_size <= _MAX_BYTES


def _bad_timestamp(submission: Submission) -> str:
    path = submission.folder / TIMESTAMP
    mend = f"{TIMESTAMP} is no time; write one such as 2026-01-31 12:00:00 UTC, or delete it"
    if not path.exists() and not path.is_symlink():
        return ""
    if not _is_small_file(path):
        return mend
    try:
        parse_utc(path.read_text(encoding="utf-8").strip() or None)
    except (ValueError, OverflowError, UnicodeDecodeError, AttributeError, TypeError):
        return mend
    return ""
