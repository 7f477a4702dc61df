"""Backs up a course's state into one file, and restores it into a course that has no state yet.

A backup contains everything that no command can recreate: the databases, all submissions, the course's secret
key, and the files that instructors edit. It does not contain solutions/ and course.yaml, which are usually in
git. course/kept.py lists the files and folders in a backup.
"""

import json
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from autograder.collecting.attempts import LOCK
from autograder.course.course import Course
from autograder.course.kept import (
    BEFORE_STORE,
    DATABASES,
    FILES,
    FOLDERS,
    FORMER,
    GRADEBOOK,
    OPEN,
    is_kept,
)
from autograder.errors import UsageError
from autograder.files import OWNER, Member, locked, write_zip
from autograder.gradebook.config import grading_lock
from autograder.records.database import copy_database, database_file

_CONTENTS = "contents.json"  # the file in a backup that names its course
# Suffixes of SQLite's extra files. If old extra files exist, SQLite would apply them to a restored database.
_RESTS = ("-journal", "-wal", "-shm")


def back_up(course: Course, path: Path) -> int:
    """Write the course's state to the new file `path`, and return the number of files in it."""
    if path.exists():
        raise UsageError(f"{path}: already exists; give another name or delete it")
    with ExitStack() as stack:
        stack.enter_context(grading_lock(course))
        stack.enter_context(locked(course.root / LOCK))
        folder = Path(stack.enter_context(TemporaryDirectory()))
        files = dict(sorted(_state(course)))
        for name in set(files) & set(DATABASES):
            copy_database(files[name], folder / name)
            files[name] = folder / name
        contents = json.dumps({"course": course.settings.course}).encode()
        members = [Member(name, file, OWNER) for name, file in files.items()]
        # Only the owner may read the backup, because it contains the course's secret key.
        write_zip(path, [*members, Member(_CONTENTS, contents, OWNER)], OWNER)
    return len(files)


def restore(course: Course, path: Path) -> int:
    """Restore the state in the file at `path`, and return the number of files in it.

    If the course has any state already, UsageError is raised and nothing is changed.
    """
    try:
        with ExitStack() as stack:
            archive = stack.enter_context(zipfile.ZipFile(path))
            names = _names(course, path, archive)
            stack.enter_context(grading_lock(course))
            stack.enter_context(locked(course.root / LOCK))
            _refuse_state(course, path)
            folder = Path(stack.enter_context(TemporaryDirectory(prefix=".restore-", dir=course.root)))
            drafts = [_unpack(archive, name, folder / str(number)) for number, name in enumerate(names)]
            for name, draft in zip(names, drafts, strict=True):
                (target := _path_in_course(course, name)).parent.mkdir(parents=True, exist_ok=True)
                draft.replace(target)
            return len(names)
    except (OSError, zipfile.BadZipFile, EOFError, ValueError, KeyError, RuntimeError, zlib.error) as error:
        raise UsageError(f"{path}: cannot be restored: {error}") from None


def _refuse_state(course: Course, path: Path) -> None:
    """Raise UsageError if the course already has files of the kinds that a backup contains.

    UsageError is also raised for SQLite's extra files, and if a folder of submissions is a symbolic link.
    """
    databases = [_path_in_course(course, name) for name in DATABASES]
    rests = [database.with_name(database.name + rest) for database in databases for rest in _RESTS]
    links = [course.root / name for name in FOLDERS if (course.root / name).is_symlink()]
    for present in (*rests, *links, *(file for _, file in sorted(_state(course)))):
        if present.exists():
            fix = f"restore into a fresh checkout of the course, or move {present.name} away first"
            raise UsageError(f"{present}: already exists, so {path.name} is not restored; {fix}")


def _unpack(archive: zipfile.ZipFile, name: str, draft: Path) -> Path:
    with archive.open(name) as packed, draft.open("xb") as file:
        shutil.copyfileobj(packed, file)
    draft.chmod(OWNER if name in (*DATABASES, *FILES) and name not in OPEN else 0o644)
    return draft


def _state(course: Course) -> Iterator[tuple[str, Path]]:
    """Yield, for each file of the course's state, its name in a backup and its path."""
    yield from ((name, path) for name in DATABASES if (path := _path_in_course(course, name)).is_file())
    yield from ((name, course.root / name) for name in FILES if (course.root / name).is_file())
    for path in (path for name in FOLDERS for path in (course.root / name).rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path.relative_to(course.root).as_posix(), path


def _names(course: Course, path: Path, archive: zipfile.ZipFile) -> list[str]:
    names = sorted(set(archive.namelist()) - {_CONTENTS})
    if _CONTENTS not in archive.namelist():
        raise UsageError(f"{path}: was not written by `autograder backup`")
    match json.loads(archive.read(_CONTENTS)):
        case {"course": str(name)} if name != course.settings.course:
            raise UsageError(
                f'{path}: is a backup of the course "{name}"; restore it in that course\'s folder'
            )
        case {"course": str()}:
            pass
        case _:
            raise UsageError(f"{path}: its file {_CONTENTS} names no course; make the backup again")
    for name in names:
        if any(fnmatch(name, pattern) for pattern in FORMER):
            raise UsageError(f"{path}: {BEFORE_STORE}; restore it with that version, and back up again")
        if not is_kept(name) or ".." in PurePosixPath(name).parts:
            raise UsageError(f"{path}: contains {name}, which is not part of a backup; make the backup again")
    return names


def _path_in_course(course: Course, name: str) -> Path:
    if name != GRADEBOOK:
        return course.root / name
    path = database_file(course.root)
    if path is None:
        raise UsageError("the gradebook is on a database server; back it up with the server's own tools")
    return path
