"""Lists the files that commands write into a course's folder.

These are of what no command can make again, and a backup packs all of it. A test runs a whole term and finds
each file here or in `tests/course/made.py`, so whoever lets a command write a new one says which it is.
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
# Earlier versions kept these, and so do their backups.
FORMER = ("audit.jsonl", "exports.jsonl", "regrade_done.jsonl", "attempts/*/*")
BEFORE_STORE = f"is of a version before {STORE}, which commit 3e0e7002 of the autograder converts"
# People write these, too; the others are for their owner's eyes alone.
OPEN = (STUDENTS, EXTENSIONS, COMMENTS, REQUESTS)


def is_kept(name: str) -> bool:
    """Whether a backup holds the file of this name, as it is seen from the course's folder."""
    return name in (*DATABASES, *FILES) or any(name.startswith(f"{folder}/") for folder in FOLDERS)


_FIX = "make room there or let this user write there, and run the command again"
_DENIED = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM)
_SQLITE_DENIED = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)
_PRIMARY = 0xFF  # of an extended error code of SQLite's


def unwritable(error: BaseException, course: Path) -> str:
    """Return what cannot be written and what to do; empty for an error of any other kind.

    A name that is no whole path may be of any folder, so the course's stands in its place.
    """
    for one in _causes(error):
        if isinstance(one, OSError) and one.errno in _DENIED:
            name = one.filename2 or one.filename  # of a copy the first is what was read
            if isinstance(name, str | bytes):
                path = Path(os.fsdecode(name))
                path = path if path.is_absolute() else course
            elif isinstance(one, PermissionError):  # the system denies something that is no file
                continue
            else:
                path = course
            return f"{path}: cannot be written: {os.strerror(one.errno)}; {_FIX}"
        if (
            isinstance(one, sqlite3.Error)
            and getattr(one, "sqlite_errorcode", 0) & _PRIMARY in _SQLITE_DENIED
        ):
            return f"{course / GRADEBOOK}: cannot be written: {one}; {_FIX}"
    return ""


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and what it was raised from; SQLAlchemy keeps that of the database as `orig`."""
    seen: list[BaseException] = []
    following: object = error
    while isinstance(following, BaseException) and following not in seen:
        seen.append(following)
        yield following
        following = getattr(following, "orig", None) or following.__cause__
