"""Lists the files in a course's folder that no command can make again. A backup contains all of them.

A test runs a whole term and compares all files that it finds with this list and with `tests/course/made.py`,
which lists those that can be made again. A new file must be added to one of the two.
"""

import errno
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from autograder.course.course import KEY_FILE

GRADEBOOK = "gradebook.db"
STUDENTS = "students.csv"
EXTENSIONS = "extensions.csv"
COMMENTS = "comments.yaml"
REQUESTS = "regrade_requests.csv"
STORE = "autograder.db"
FILES = (KEY_FILE, STUDENTS, EXTENSIONS, COMMENTS, REQUESTS)
DATABASES = (GRADEBOOK, STORE)
FOLDERS = ("submitted", "attempts", "autograded")
# Files that earlier versions wrote. Backups of these versions contain them.
FORMER = ("audit.jsonl", "exports.jsonl", "regrade_done.jsonl", "attempts/*/*")
BEFORE_STORE = f"was written by a version without {STORE}; commit 3e0e7002 of the autograder converts it"
# Instructors edit these files, so they have ordinary permissions. Only the owner can read the other files.
OPEN = (STUDENTS, EXTENSIONS, COMMENTS, REQUESTS)


def is_kept(name: str) -> bool:
    """Whether a backup contains the file with this path relative to the course's folder."""
    return name in (*DATABASES, *FILES) or any(name.startswith(f"{folder}/") for folder in FOLDERS)


_FIX = "make room there or let this user write there, and run the command again"
_DENIED = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM)
_SQLITE_DENIED = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)
_PRIMARY = 0xFF  # mask of the primary code in SQLite's extended error codes


def unwritable(error: BaseException, course: Path) -> str:
    """Return a message with the file that cannot be written and a fix, or "" for an error of another kind.

    A relative file name may be relative to any folder, so the message then names the course's folder.
    """
    for cause in _causes(error):
        if isinstance(cause, OSError) and cause.errno in _DENIED:
            name = cause.filename2 or cause.filename  # filename2 is the target of a failed copy
            if isinstance(name, str | bytes):
                path = Path(os.fsdecode(name))
                path = path if path.is_absolute() else course
            elif isinstance(cause, PermissionError):  # an operation without a file was denied
                continue
            else:
                path = course
            return f"{path}: cannot be written: {os.strerror(cause.errno)}; {_FIX}"
        if (
            isinstance(cause, sqlite3.Error)
            and getattr(cause, "sqlite_errorcode", 0) & _PRIMARY in _SQLITE_DENIED
        ):
            return f"{course / GRADEBOOK}: cannot be written: {cause}; {_FIX}"
    return ""


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and its causes. SQLAlchemy has the database's own error in `orig`."""
    causes: list[BaseException] = []
    following: object = error
    while isinstance(following, BaseException) and following not in causes:
        causes.append(following)
        yield following
        following = getattr(following, "orig", None) or following.__cause__
