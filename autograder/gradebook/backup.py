"""Backs a course up into one file, and restores it where the course has no such files yet.

The file holds what no command can make again: the database, all submissions, the secret, and what people
have written into lists; course/kept.py names all of it. The course's own files, solutions/ and course.yaml,
are kept elsewhere, in git as a rule.
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

_CONTENTS = "contents.json"  # says of which course a backup is
_RESTS = ("-journal", "-wal", "-shm")  # of a database: SQLite would apply them to another one in its place


def back_up(course: Course, path: Path) -> int:
    """Write the course's state to the new file `path`, and return how many files it holds."""
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
        write_zip(path, [*members, Member(_CONTENTS, contents, OWNER)], OWNER)  # it holds the secret
    return len(files)


def restore(course: Course, path: Path) -> int:
    """Bring back the state in the file at `path`, and return how many files it holds.

    A course that has any state already is refused, and nothing is changed.
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
                (place := _place(course, name)).parent.mkdir(parents=True, exist_ok=True)
                draft.replace(place)
            return len(names)
    except (OSError, zipfile.BadZipFile, EOFError, ValueError, KeyError, RuntimeError, zlib.error) as error:
        raise UsageError(f"{path}: cannot be restored: {error}") from None


def _refuse_state(course: Course, path: Path) -> None:
    """Raise a UsageError if the course holds anything of which a backup is made, or a link in its place."""
    databases = [_place(course, name) for name in DATABASES]
    rests = [database.with_name(database.name + rest) for database in databases for rest in _RESTS]
    links = [course.root / name for name in FOLDERS if (course.root / name).is_symlink()]
    for found in (*rests, *links, *(file for _, file in sorted(_state(course)))):
        if found.exists():
            fix = "restore into a fresh checkout of the course, or move this away first"
            raise UsageError(f"{found}: is there already, so {path.name} is not restored; {fix}")


def _unpack(archive: zipfile.ZipFile, name: str, draft: Path) -> Path:
    with archive.open(name) as packed, draft.open("xb") as file:
        shutil.copyfileobj(packed, file)
    draft.chmod(OWNER if name in (*DATABASES, *FILES) and name not in OPEN else 0o644)
    return draft


def _state(course: Course) -> Iterator[tuple[str, Path]]:
    """Yield the course's files that a backup holds, each with its name in it."""
    yield from ((name, path) for name in DATABASES if (path := _place(course, name)).is_file())
    yield from ((name, course.root / name) for name in FILES if (course.root / name).is_file())
    for path in (path for name in FOLDERS for path in (course.root / name).rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path.relative_to(course.root).as_posix(), path


def _names(course: Course, path: Path, archive: zipfile.ZipFile) -> list[str]:
    """Return the names of the files in a backup of this course, in order."""
    names = sorted(set(archive.namelist()) - {_CONTENTS})
    if _CONTENTS not in archive.namelist():
        raise UsageError(f"{path}: is not a backup that `autograder backup` has made")
    match json.loads(archive.read(_CONTENTS)):
        case {"course": str(known)} if known != course.settings.course:
            raise UsageError(f'{path}: is of the course "{known}"; restore it in that course\'s folder')
        case {"course": str()}:
            pass
        case _:
            raise UsageError(f"{path}: {_CONTENTS} in it names no course; it is not as we made it")
    for name in names:
        if any(fnmatch(name, pattern) for pattern in FORMER):
            raise UsageError(f"{path}: {BEFORE_STORE}; restore it with that version, and back up again")
        if not is_kept(name) or ".." in PurePosixPath(name).parts:
            raise UsageError(f"{path}: {name} has no place in a course; the file is not as we made it")
    return names


def _place(course: Course, name: str) -> Path:
    """Return where a file of a backup lies in the course."""
    if name != GRADEBOOK:
        return course.root / name
    path = database_file(course.root)
    if path is None:
        raise UsageError("the gradebook is on a database server; back it up with the server's own tools")
    return path
