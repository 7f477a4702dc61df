"""Takes into autograder.db what earlier versions of this engine have kept in files of a course's folder.

The submitted bytes go into attempts/ by their digest. All else is read once and then moved into a folder of
its own, where nobody needs it.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from autograder.files import read_lines, write_whole
from autograder.submission.notebook import without_large_outputs
from autograder.submission.store import ATTEMPTS, AUDIT, EXPORTS, REPORTS, REQUESTS

OLD = "autograder.db.from"  # where the files lie afterwards
_FOLDER = "attempts"
_AUDIT, _EXPORTS, _DONE = "audit.jsonl", "exports.jsonl", "regrade_done.jsonl"
_ATTEMPT = re.compile(r"([1-9][0-9]{0,8})-([0-9a-f]{64})", re.ASCII)
_RENAMED = "renamed from"


def has_old_files(root: Path) -> bool:
    """Whether anything is there to take over."""
    return any((root / name).exists() for name in (_AUDIT, _EXPORTS, _DONE)) or any(_attempts(root))


def take_over(store: Connection, root: Path) -> None:
    """Read the files into the tables."""
    for _, student, exercise, folder in sorted(_attempts(root)):
        _attempt(store, root, student, exercise, folder)
    _audit(store, root / _AUDIT)
    _exports(store, root / _EXPORTS)
    _requests(store, root / _DONE)


def put_away(root: Path) -> None:
    """Move away what is in the database by now."""
    names = (_AUDIT, _EXPORTS, _DONE, *{f"{_FOLDER}/{student}" for _, student, _, _ in _attempts(root)})
    for name in names:
        if (root / name).exists():
            (root / OLD / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).rename(root / OLD / name)


def _attempts(root: Path) -> Iterator[tuple[int, str, str, Path]]:
    """Yield number, student and exercise of each attempt, and its folder; links are passed over."""
    for folder in (root / _FOLDER).glob("*/*/*"):
        match = _ATTEMPT.fullmatch(folder.name)
        if match and not any(path.is_symlink() for path in (folder, *folder.parents[:3])):
            yield int(match[1]), folder.parents[1].name, folder.parent.name, folder


def _attempt(store: Connection, root: Path, student: str, exercise: str, folder: Path) -> None:
    content = _bytes(folder / f"{exercise}.ipynb")
    if content is None:
        return
    content = without_large_outputs(content)
    digest = hashlib.sha256(content).hexdigest()
    write_whole(root / _FOLDER / f"{digest}.ipynb", content)
    told, time = _object(folder / "told.json"), _bytes(folder / "timestamp.txt")
    row = {"student": student, "exercise": exercise, "digest": digest}
    more = {
        "time": None if time is None else time.decode(errors="replace").strip(),
        "arrival": _object(folder / "collected.json"),
        "secret": _bytes(folder / "submission_secret.txt"),
        "told": told.get("when"),
        "shown": told.get("shown"),
    }
    store.execute(ATTEMPTS.insert().values(**row, **more))
    if graded := _object(folder / "graded.json"):
        report = {
            "fingerprint": str(graded.get("fingerprint", "")),
            "report": json.dumps(graded.get("report")),
        }
        store.execute(REPORTS.insert().prefix_with("OR REPLACE").values(**row, **report))


def _audit(store: Connection, path: Path) -> None:
    for line in read_lines(path):
        with suppress(KeyError, TypeError):
            student, exercise, why = str(line["student"]), str(line["exercise"]), str(line["why"])
            if why.startswith(f"{_RENAMED} "):
                mine = (AUDIT.c.student == why.removeprefix(f"{_RENAMED} ")) & (AUDIT.c.exercise == exercise)
                store.execute(AUDIT.update().where(mine).values(student=student))
            names = ("before", "score", "penalty", "questions", "digests", "by")
            row = {name: line.get(name) for name in names} | {"saved": str(line.get("saved", ""))}
            row |= {"time": str(line["time"]), "student": student, "exercise": exercise, "why": why}
            store.execute(AUDIT.insert().values(**row))


def _exports(store: Connection, path: Path) -> None:
    for line in read_lines(path):
        with suppress(KeyError, TypeError, AttributeError):
            if _RENAMED in line:
                old, new = str(line[_RENAMED]), str(line["student"])
                store.execute(EXPORTS.update().where(EXPORTS.c.student == old).values(student=new))
                continue
            row = {"time": str(line["time"]), "to": str(line["to"]), "exercise": str(line["exercise"])}
            for student, value in line["grades"].items():
                store.execute(EXPORTS.insert().values(**row, student=str(student), value=value))


def _requests(store: Connection, path: Path) -> None:
    for line in read_lines(path):
        with suppress(KeyError, TypeError):
            if _RENAMED in line:
                old, new = str(line[_RENAMED]), str(line["student"])
                store.execute(REQUESTS.update().where(REQUESTS.c.student == old).values(student=new))
                continue
            row = {name: str(line[name]) for name in ("time", "student", "exercise", "question", "digest")}
            store.execute(REQUESTS.insert().values(**row, asked_as=row["student"]))


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() and not path.is_symlink() else None


def _object(path: Path) -> Mapping[str, Any]:
    """Return what a file of JSON holds; nothing where it is spoilt."""
    with suppress(ValueError, RecursionError):
        found = json.loads(_bytes(path) or b"{}")
        return found if isinstance(found, dict) else {}
    return {}
