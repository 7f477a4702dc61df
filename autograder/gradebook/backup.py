"""Backs a course up into one file, and restores it; nothing is overwritten unless asked.

The file holds what no command can make again: the database, all submissions, the secret, and what people
have written into lists; course/kept.py names all of it. The course's own files, solutions/ and course.yaml,
are kept elsewhere, in git as a rule.
"""

import filecmp
import json
import shutil
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from fnmatch import fnmatch
from operator import itemgetter
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
from autograder.gradebook.ledger import grading_lock
from autograder.records.database import copy_database, database_file, has_database, prepare

_CONTENTS = "contents.json"  # says of which course a backup is


@dataclass(frozen=True, slots=True)
class Restored:
    """What restoring came to: how many files were written, and how many lay there that are in no backup."""

    written: int
    unchanged: int
    others: int


def back_up(course: Course, path: Path) -> int:
    """Write the course's state to the new file `path`, and return how many files it holds."""
    if path.exists():
        raise UsageError(f"{path}: already exists; give another name or delete it")
    with ExitStack() as stack:
        stack.enter_context(grading_lock(course))
        stack.enter_context(locked(course.root / LOCK))
        folder = Path(stack.enter_context(TemporaryDirectory()))
        files = sorted(_state(course, folder), key=itemgetter(0))
        contents = json.dumps({"course": course.settings.course}).encode()
        members = [Member(name, file, OWNER) for name, file in files]
        write_zip(path, [*members, Member(_CONTENTS, contents, OWNER)], OWNER)  # it holds the secret
    return len(files)


def restore(course: Course, path: Path, *, overwrite: bool = False) -> Restored:
    """Bring back the state in the file at `path`; where other files lie, only if `overwrite` says so."""
    try:
        with ExitStack() as stack:
            archive = stack.enter_context(zipfile.ZipFile(path))
            names = _names(course, path, archive)
            stack.enter_context(grading_lock(course))
            stack.enter_context(locked(course.root / LOCK))
            folder = Path(stack.enter_context(TemporaryDirectory(prefix=".restore-", dir=course.root)))
            return _restore(course, path, archive, names, folder, overwrite)
    except (OSError, zipfile.BadZipFile, EOFError, ValueError, KeyError, RuntimeError, zlib.error) as error:
        raise UsageError(f"{path}: cannot be restored: {error}") from None


def _restore(
    course: Course, path: Path, archive: zipfile.ZipFile, names: Sequence[str], folder: Path, overwrite: bool
) -> Restored:
    """Unpack everything into `folder`, compare it with what is there, and only then replace files."""
    for above in {above for name in names for above in PurePosixPath(name).parents if above.name}:
        if (course.root / above).is_symlink():
            raise UsageError(f"{above}/ is a link, through which nothing is written; put a folder there")
    places = {name: _place(course, name) for name in names}
    drafts = {name: _unpack(archive, name, folder / str(number)) for number, name in enumerate(names)}
    here = dict(_state(course, folder))
    same = {name for name in names if name in here and filecmp.cmp(here[name], drafts[name], shallow=False)}
    if (changed := sorted(n for n in names if n not in same and places[n].exists())) and not overwrite:
        shown = ", ".join(changed[:3]) + (f" and {len(changed) - 3} more" if len(changed) > 3 else "")
        raise UsageError(f"{shown}: differs from {path.name}; add --overwrite to replace it")
    if folders := [name for name in changed if places[name].is_dir()]:
        raise UsageError(f"{folders[0]}: is a folder, and a file in {path.name}; move it away")
    for name in (name for name in names if name not in same):
        _put(drafts[name], places[name], is_database=name in DATABASES)
    others = set(here) - set(names) - set(DATABASES)
    return Restored(len(names) - len(same), len(same), len(others))


def _unpack(archive: zipfile.ZipFile, name: str, draft: Path) -> Path:
    with archive.open(name) as packed, draft.open("xb") as file:
        shutil.copyfileobj(packed, file)
    draft.chmod(OWNER if name in (*DATABASES, *FILES) and name not in OPEN else 0o644)
    return draft


def _put(draft: Path, place: Path, *, is_database: bool) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    for rest in ("-journal", "-wal", "-shm") if is_database else ():  # of the one that is replaced
        place.with_name(place.name + rest).unlink(missing_ok=True)
    draft.replace(place)


def _state(course: Course, folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield what a backup holds, each file by its name in it; databases are copied into `folder`."""
    if has_database(course.root):
        path = _place(course, GRADEBOOK)
        prepare(course.root)
        copy_database(path, folder / GRADEBOOK)
        yield GRADEBOOK, folder / GRADEBOOK
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
