"""Backs a course up into one file, and restores it; nothing is overwritten unless asked.

The file holds what no command can make again: two databases, all submissions, the secret, and what people
have written into lists; course/kept.py names all of it. The course's own files, solutions/ and course.yaml,
are kept elsewhere, in git as a rule.
"""

import hashlib
import json
import shutil
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
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
    STORE,
    is_kept,
)
from autograder.errors import UsageError
from autograder.files import OWNER, Member, locked, write_zip
from autograder.gradebook.config import copy_database, gradebook_file
from autograder.gradebook.ledger import turn

_CONTENTS = "contents.json"


class BackupError(UsageError):
    """A backup cannot be made or restored; nothing is changed, and the message says why."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What restoring came to: how many files were written, and how many lay there that are in no backup."""

    written: int
    unchanged: int
    others: int


def back_up(course: Course, path: Path) -> int:
    """Write the course's state to the new file `path`, and return how many files it holds."""
    if path.exists():
        raise BackupError(f"{path}: already exists; give another name or delete it")
    with ExitStack() as stack:
        stack.enter_context(turn(course))
        stack.enter_context(locked(course.root / LOCK))
        folder = Path(stack.enter_context(TemporaryDirectory()))
        files = sorted(_state(course, folder), key=itemgetter(0))
        write_zip(path, _members(course, files), OWNER)  # it holds the secret
    return len(files)


def restore(course: Course, path: Path, *, overwrite: bool = False) -> Restored:
    """Bring back the state in the file at `path`; where other files lie, only if `overwrite` says so."""
    try:
        with zipfile.ZipFile(path) as archive:
            digests = _contents(course, path, archive)
            with turn(course), locked(course.root / LOCK):
                return _restore(course, path, archive, digests, overwrite)
    except (OSError, zipfile.BadZipFile, EOFError, ValueError, KeyError, RuntimeError, zlib.error) as error:
        raise BackupError(f"{path}: cannot be restored: {error}") from None


def _restore(
    course: Course, path: Path, archive: zipfile.ZipFile, digests: Mapping[str, str], overwrite: bool
) -> Restored:
    for above in {above for name in digests for above in PurePosixPath(name).parents if above.name}:
        if (course.root / above).is_symlink():
            raise BackupError(f"{above}/ is a link, through which nothing is written; put a folder there")
    places = {name: _place(course, name) for name in digests}
    if STORE not in digests and (course.root / STORE).exists():
        raise BackupError(f"{path}: holds no {STORE}; move yours away before you restore it")
    there = {name for name, place in places.items() if place.exists()}
    same = {name for name in there if _digest_there(name, places[name]) == digests[name]}
    if (changed := sorted(there - same)) and not overwrite:
        shown = ", ".join(changed[:3]) + (f" and {len(changed) - 3} more" if len(changed) > 3 else "")
        raise BackupError(f"{shown}: differs from {path.name}; add --overwrite to replace it")
    with TemporaryDirectory(prefix=".restore-", dir=course.root) as folder:
        drafts = {name: Path(folder, str(number)) for number, name in enumerate(sorted(set(digests) - same))}
        for name, draft in drafts.items():
            with archive.open(name) as packed, draft.open("xb") as file:
                shutil.copyfileobj(packed, file)
            draft.chmod(OWNER if name in (*DATABASES, *FILES) and name not in OPEN else 0o644)
            if _digest(draft) != digests[name]:
                raise BackupError(f"{path}: {name} in it is damaged; nothing is changed")
        for name, draft in drafts.items():
            places[name].parent.mkdir(parents=True, exist_ok=True)
            if name in DATABASES:
                for rest in ("-journal", "-wal", "-shm"):  # of the one that is replaced
                    places[name].with_name(places[name].name + rest).unlink(missing_ok=True)
            draft.replace(places[name])
    here = {str(file.relative_to(course.root)) for file in _files(course)}
    return Restored(len(drafts), len(same), len(here - set(digests)))


def _state(course: Course, folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield what a backup holds: each file by its name in it."""
    for name in DATABASES:
        if (path := _place(course, name)).is_file():
            copy_database(path, folder / name)
            yield name, folder / name
    for path in _files(course):
        yield path.relative_to(course.root).as_posix(), path


def _files(course: Course) -> Iterator[Path]:
    yield from (course.root / name for name in FILES if (course.root / name).is_file())
    for name in FOLDERS:
        for path in (course.root / name).rglob("*"):
            if path.is_file() and not path.is_symlink():
                yield path


def _members(course: Course, files: Sequence[tuple[str, Path]]) -> Iterator[Member]:
    """Yield the files of a backup, then their digests; each is read once, as some may change meanwhile."""
    digests = {}
    for name, source in files:
        if name in DATABASES:  # a copy that is ours alone, and may be large
            digests[name] = _digest(source)
            yield Member(name, source, OWNER)
        else:
            content = source.read_bytes()
            digests[name] = hashlib.sha256(content).hexdigest()
            yield Member(name, content, OWNER)
    contents = json.dumps({"course": course.settings.course, "files": digests}, indent=1).encode()
    yield Member(_CONTENTS, contents, OWNER, zipfile.ZIP_STORED)


def _contents(course: Course, path: Path, archive: zipfile.ZipFile) -> Mapping[str, str]:
    """Return the digests of the files in a backup of this course."""
    if _CONTENTS not in archive.namelist():
        raise BackupError(f"{path}: is not a backup that `autograder backup` has made")
    match known := json.loads(archive.read(_CONTENTS)):
        case {"course": str(), "files": dict(digests)} if all(isinstance(d, str) for d in digests.values()):
            pass
        case _:
            raise BackupError(f"{path}: {_CONTENTS} in it names no course and files; it is not as we made it")
    if known["course"] != course.settings.course:
        raise BackupError(
            f'{path}: is of the course "{known["course"]}"; restore it in that course\'s folder'
        )
    for name in digests:
        if any(fnmatch(name, pattern) for pattern in FORMER):
            raise BackupError(f"{path}: {BEFORE_STORE}; restore it with that version, and back up again")
        if not is_kept(name) or ".." in PurePosixPath(name).parts:
            raise BackupError(f"{path}: {name} has no place in a course; the file is not as we made it")
    return digests


def _place(course: Course, name: str) -> Path:
    """Return where a file of a backup lies in the course."""
    if name != GRADEBOOK:
        return course.root / name
    path = gradebook_file(course)
    if path is None:
        raise BackupError("the gradebook is on a database server; back it up with the server's own tools")
    return path


def _digest_there(name: str, path: Path) -> str:
    """Return the digest of what lies there; a database is copied for it, as into a backup."""
    if name not in DATABASES:
        return _digest(path)
    with TemporaryDirectory() as folder:
        copy_database(path, Path(folder, name))
        return _digest(Path(folder, name))


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
