"""Keeps everything that was submitted, and copies the newest attempt to submitted/.

Each attempt is a row of the record. Its bytes lie in attempts/, in a file named by their digest. If the
same bytes come again, they are the same attempt, and its row tells the arrival that the surest source gives.
submitted/ is nbgrader's: its folders are reached through no link, and a notebook is written whole.
"""

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import Field, TypeAdapter
from sqlalchemy import ColumnElement, and_, select

from autograder.collecting.archive import EntryError
from autograder.collecting.names import plausible
from autograder.files import locked, write_whole
from autograder.records.database import reading, writing
from autograder.records.reports import parse_report
from autograder.records.tables import ATTEMPTS, REPORTS
from autograder.report.report import Report
from autograder.submission.notebook import MAX_WITH_OUTPUTS, Notebook, open_plain, without_large_outputs
from autograder.submission.students import folded
from autograder.submission.submission import Submission

_FORMAT = "%Y-%m-%d %H:%M:%S.%f UTC"  # nbgrader's


class Source(StrEnum):
    """Who tells when a notebook was handed in."""

    FILE = "file"  # the time of the file, which copying may have changed
    GIVEN = "told"  # the platform or the instructor gives it
    UNKNOWN = "nobody"  # the platform gives no time: its archives have that of the download
    IGNORED = "ignored"  # the instructor believes no time


@dataclass(frozen=True, slots=True)
class Arrival:
    """When a notebook was handed in, as far as anybody tells, and what else tells which one is newer."""

    when: datetime | None = None
    source: Annotated[Source, Field(alias="time")] = Source.FILE
    upload: int | None = None  # Canvas counts the files that it receives
    downloaded: datetime | None = None  # when the platform made the archive
    number: str = ""  # of the person, as Canvas or Moodle write it into a name; empty where it is a group's
    form: str = ""  # the suffix of the file that the platform has
    late: bool = False  # as Canvas writes into a name, which gives no time

    @property
    def is_late_untimed(self) -> bool:
        """Whether it is known to be late, and not by how much."""
        return self.late and self.when is None

    @property
    def time(self) -> str:
        """The time as nbgrader reads it beside the notebook; empty where nobody tells it."""
        return "" if self.when is None else self.when.astimezone(UTC).strftime(_FORMAT)

    @property
    def record(self) -> dict[str, Any]:
        """What else is stored with an attempt; nothing where the time is that of a file."""
        how: dict[str, Any] = {"mode": "json", "exclude_defaults": True, "by_alias": True}
        return {} if self.source in _UNSURE else _ARRIVALS.dump_python(self, exclude={"when"}, **how)

    def is_older_than(self, other: "Arrival") -> bool:
        """Whether this came before `other`, by the best that is known of both."""
        if self.upload is not None and other.upload is not None:
            return self.upload < other.upload
        if self.when is not None and other.when is not None and self.when != other.when:
            return self.when < other.when
        theirs = other.downloaded or other.when
        return self.downloaded is not None and theirs is not None and self.downloaded < theirs

    def settle(self, before: "Arrival") -> "Arrival":
        """Return what is known of a notebook that came as `before` and has now come again as this."""
        uploads = [one.upload for one in (self, before) if one.upload is not None]
        downloads = [one.downloaded for one in (self, before) if one.downloaded is not None]
        known = before if self._tells_less_than(before) else self
        return replace(
            known,
            upload=max(uploads, default=None),
            downloaded=max(downloads, default=None),
            number=self.number or before.number,
            form=self.form or before.form,
        )

    def _tells_less_than(self, before: "Arrival") -> bool:
        if self.source is Source.FILE:
            copied = self.when is None or (before.when is not None and before.when <= self.when)
            return copied or before.source is not Source.FILE
        return self.source is Source.UNKNOWN and before.source is Source.GIVEN


_ARRIVALS = TypeAdapter(Arrival)
_UNSURE = (Source.FILE, Source.IGNORED)  # a file's time is another one as soon as it is copied


def read_arrival(time: str, record: dict[str, Any] | None) -> Arrival:
    """Return what is stored with an attempt, or beside a notebook; a time in any other form tells nothing."""
    when = None
    with suppress(ValueError):
        when = plausible(datetime.strptime(time, _FORMAT).replace(tzinfo=UTC))
    return _ARRIVALS.validate_python({**(record or {}), "when": when})


LOCK = ".collecting.lock"
_FOLDER, _SUBMITTED = "attempts", "submitted"
_KEY = (ATTEMPTS.c.student, ATTEMPTS.c.exercise, ATTEMPTS.c.digest)
# Without these beside a page, nbgrader's exchange returns none.
TIMESTAMP, SECRET = COMPANIONS = "timestamp.txt", "submission_secret.txt"
_MAX_COMPANION = 1000  # bytes


class Placing(StrEnum):
    """What became of a notebook."""

    NEW = "new"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"
    RETIMED = "time corrected"  # the notebook is the same
    OLDER = "older"  # than what is there, which stays


@dataclass(frozen=True, slots=True)
class Attempt:
    """One submitted notebook: its bytes, its arrival, and the last report on it."""

    id: int  # in the order in which they were collected
    digest: str
    notebook: Path  # the file with its bytes
    time: str  # the content of timestamp.txt
    arrival: Arrival
    secret: bytes = b""
    told: datetime | None = None  # when `watch` accepted it for feedback
    shown: bool = False  # whether its feedback page was returned
    is_submitted: bool = False  # whether `adopt` found it in submitted/
    report: Report | None = None
    fingerprint: str = ""  # of the report: a digest of the notebook and of everything that affects its grade
    recorded: bool = False  # whether the gradebook has the scores of this report


class _Submitted(NamedTuple):
    """What lies in submitted/: a notebook, and the small files beside it."""

    content: bytes
    time: str = ""
    secret: bytes = b""


def attempts_of(submission: Submission) -> tuple[Attempt, ...]:
    """Return what a student has handed in for an exercise, the newest last."""
    return all_attempts(submission.root, submission.exercise, submission.student).get(submission.student, ())


def all_attempts(root: Path, exercise: str, student: str | None = None) -> dict[str, tuple[Attempt, ...]]:
    """Return what all students, or one of them, have handed in for an exercise, by student, the newest last.

    Where nobody tells when two were handed in, the one that came to us later is the newer one.
    """
    found = defaultdict[str, list[Attempt]](list)
    for name, attempt in _read(root, exercise, student):
        ordered = found[name]
        ordered.insert(_position(attempt.arrival, ordered), attempt)
    return {name: tuple(ordered) for name, ordered in found.items()}


def recorded_attempts(root: Path, exercise: str, student: str | None = None) -> dict[str, Attempt]:
    """Return the attempts whose scores the gradebook has, by student."""
    return {name: one for name, one in _read(root, exercise, student) if one.recorded}


def _read(root: Path, exercise: str, student: str | None) -> Iterator[tuple[str, Attempt]]:
    """Yield the attempts of an exercise, or of one student, with their reports, each with its student."""
    report = (REPORTS.c.report, REPORTS.c.fingerprint, REPORTS.c.recorded)
    same = and_(*(key == REPORTS.c[key.name] for key in _KEY))
    query = select(*ATTEMPTS.c, *report).join(REPORTS, same, isouter=True)
    query = query.where(ATTEMPTS.c.exercise == exercise).order_by(ATTEMPTS.c.id)
    if student is not None:
        query = query.where(ATTEMPTS.c.student == student)
    with reading(root) as store:
        rows = store.execute(query).all()
    yield from ((row.student, _attempt(root, row)) for row in rows)


def _of(submission: Submission) -> ColumnElement[bool]:
    return (ATTEMPTS.c.student == submission.student) & (ATTEMPTS.c.exercise == submission.exercise)


def stored_numbers(root: Path) -> dict[tuple[str, str], str]:
    """Return the students by the numbers that platforms gave them; the first who came with a number has it.

    A number of Canvas is a person's, and stands with an empty text. A number of Moodle counts participants
    anew in each exercise, and stands with the exercise.
    """
    numbers: dict[tuple[str, str], str] = {}
    with reading(root) as store:
        columns = (ATTEMPTS.c.student, ATTEMPTS.c.exercise, ATTEMPTS.c.arrival)
        for student, exercise, record in store.execute(select(*columns).order_by(ATTEMPTS.c.id)):
            arrival = read_arrival("", record)
            if arrival.number:
                scope = exercise if arrival.upload is None else ""
                numbers.setdefault((scope, arrival.number), student)
    return numbers


def _position(arrival: Arrival, attempts: Sequence[Attempt]) -> int:
    """Return how many attempts are older, of attempts in order."""
    later = (place for place, one in enumerate(attempts) if arrival.is_older_than(one.arrival))
    return next(later, len(attempts))


def mark(submission: Submission, attempt: Attempt, when: datetime, *, shown: bool) -> None:
    """Store that the student is told of an attempt; a page shows one attempt, so the others are not shown."""
    with writing(submission.root) as store:
        store.execute(ATTEMPTS.update().where(_of(submission)).values(shown=False))
        about = {"told": when.isoformat(), "shown": shown}
        store.execute(ATTEMPTS.update().where(ATTEMPTS.c.id == attempt.id).values(**about))


def place(submission: Submission, content: bytes, arrival: Arrival, secret: bytes = b"") -> Placing:
    """Keep the notebook and the time when it came, and let it count unless the same or a newer one is there.

    `secret` is what nbgrader's exchange needs to return the page on this very notebook.
    """
    try:
        with locked(submission.root / LOCK):
            return _place(submission, adopt(submission), content, arrival, secret)
    except OSError as error:
        raise EntryError(f"cannot be written: {error.strerror}") from None


def adopt(submission: Submission, known: Sequence[Attempt] | None = None) -> tuple[Attempt, ...]:
    """Return all attempts, among them the notebook in submitted/, which need not have been collected.

    Nothing else reads submitted/ to grade. `known` are the attempts, if somebody has read them already.
    """
    attempts, found = attempts_of(submission) if known is None else known, _read_submitted(submission)
    if found is None:
        return tuple(attempts)
    digest = Notebook(found.content).digest
    same = matching_attempt(attempts, digest)
    if same is None or (found.time and (found.time, found.secret) != (same.time, same.secret)):
        if (same := matching_attempt(attempts_of(submission), digest)) is None:
            _keep(submission, found, read_arrival(found.time, None))
        else:
            _update(submission, same, time=found.time, secret=found.secret)  # somebody has corrected the time
        attempts = attempts_of(submission)
    return tuple(replace(one, is_submitted=one.digest == digest) for one in attempts)


def put_forward(submission: Submission, attempt: Attempt) -> bool:
    """Make `attempt` the one in submitted/, with its time; return whether that was another one before."""
    try:
        content = attempt.notebook.read_bytes()
    except FileNotFoundError:
        raise EntryError(f"{attempt.notebook} is missing; put it back from a backup") from None
    return _submit(submission, _Submitted(content, attempt.time, attempt.secret))


def arrival_of(submission: Submission) -> Arrival:
    """Return what is known of the arrival of the attempt that is graded, or else of the newest."""
    graded = recorded_attempts(submission.root, submission.exercise, submission.student)
    attempts = [*graded.values()] or attempts_of(submission)
    return attempts[-1].arrival if attempts else Arrival()


def _place(
    submission: Submission, attempts: Sequence[Attempt], content: bytes, arrival: Arrival, secret: bytes
) -> Placing:
    newest = attempts[-1] if attempts else None
    if newest and (same := matching_attempt(attempts, Notebook(content).digest)):
        retimed = _update_arrival(submission, same, arrival, secret)
        last = newest if arrival.source in _UNSURE else attempts_of(submission)[-1]
        if last.id != newest.id and put_forward(submission, last):
            return Placing.REPLACED
        if last.id != same.id:
            return Placing.OLDER
        return Placing.RETIMED if retimed else Placing.UNCHANGED
    submitted = _Submitted(content, arrival.time, secret)
    older = _position(arrival, attempts) < len(attempts)
    if not older:  # before it is kept: what lies there is kept later on, should we be stopped now
        _submit(submission, submitted)
    _keep(submission, submitted, arrival)
    return Placing.OLDER if older else Placing.NEW if newest is None else Placing.REPLACED


def matching_attempt(attempts: Sequence[Attempt], digest: str) -> Attempt | None:
    """Return the attempt that has these bytes, if there is one."""
    return next((attempt for attempt in attempts if attempt.digest == digest), None)


def _update_arrival(submission: Submission, attempt: Attempt, arrival: Arrival, secret: bytes) -> bool:
    """Update the arrival of an attempt whose bytes came again; return whether its time changed."""
    before = attempt.arrival
    if attempt.time and before.when is None and arrival.source in (Source.FILE, Source.UNKNOWN):
        return False  # somebody wrote the time into the file beside the notebook
    settled, secret = arrival.settle(before), secret or attempt.secret
    _update(submission, attempt, time=settled.time, arrival=settled.record, secret=secret)
    submitted = _Submitted(attempt.notebook.read_bytes(), attempt.time, attempt.secret)
    if _read_submitted(submission) == submitted:
        _submit(submission, submitted._replace(time=settled.time, secret=secret))
    return settled.when != before.when


def _keep(submission: Submission, found: _Submitted, arrival: Arrival) -> None:
    """Keep a notebook as one more attempt: its bytes first, so that no row is without them."""
    folder, digest = submission.root / _FOLDER, Notebook(found.content).digest
    if folder.is_symlink():
        raise EntryError(f"{_FOLDER}/ is a link; put a folder there")
    if not (path := folder / f"{digest}.ipynb").exists():
        write_whole(path, found.content)
    row = {"student": submission.student, "exercise": submission.exercise, "digest": digest}
    about = {"time": found.time, "secret": found.secret, "arrival": arrival.record}
    with writing(submission.root) as store:
        store.execute(ATTEMPTS.insert().values(**row, **about))


def _update(submission: Submission, attempt: Attempt, **values: Any) -> None:
    with writing(submission.root) as store:
        store.execute(ATTEMPTS.update().where(ATTEMPTS.c.id == attempt.id).values(**values))


def _attempt(root: Path, row: Any) -> Attempt:
    time = row.time or ""
    return Attempt(
        id=row.id,
        digest=row.digest,
        notebook=root / _FOLDER / f"{row.digest}.ipynb",
        time=time,
        arrival=read_arrival(time, row.arrival),
        secret=row.secret or b"",
        told=datetime.fromisoformat(row.told) if row.told else None,
        shown=bool(row.shown),
        report=parse_report(row.report),
        fingerprint=row.fingerprint or "",
        recorded=bool(row.recorded),
    )


def _read_submitted(submission: Submission) -> _Submitted | None:
    """Return what lies in submitted/; None where there is no notebook."""
    if not submission.folder.is_dir():
        return None
    folder = _folder(submission)
    content = read_plain(folder / submission.notebook.name, MAX_WITH_OUTPUTS)
    time, secret = (read_plain(folder / name, _MAX_COMPANION) for name in COMPANIONS)
    if content is None:
        return None
    text = (time or b"").decode(errors="replace").strip()
    known = secret if secret and len(secret) <= _MAX_COMPANION else b""
    return _Submitted(without_large_outputs(content), text, known)


def _submit(submission: Submission, new: _Submitted) -> bool:
    """Write a notebook and its time into submitted/; return whether another notebook was there before.

    If we are stopped on the way, no notebook is left with the time of another one.
    """
    folder = _folder(submission)
    before = _read_submitted(submission)
    is_new = before is None or before.content != new.content
    if is_new:
        _write_companions(folder, _Submitted(b""))
        try:
            write_whole(folder / submission.notebook.name, new.content)
        except OSError:
            with suppress(OSError):
                _write_companions(folder, before or _Submitted(b""))
            raise
    _write_companions(folder, new)
    return is_new


def _write_companions(folder: Path, new: _Submitted) -> None:
    for path, content in ((folder / TIMESTAMP, new.time.encode()), (folder / SECRET, new.secret)):
        if not content:
            path.unlink(missing_ok=True)
        elif content != read_plain(path, _MAX_COMPANION):
            write_whole(path, content)


def _folder(submission: Submission) -> Path:
    """Return a submission's folder in submitted/, made if missing; a link or another student's is refused."""
    folder = submission.root
    for name in (_SUBMITTED, submission.student, submission.exercise):
        names = os.listdir(folder) if name == submission.student else [name]  # noqa: PTH208 - much faster
        if name not in names and (twins := [one for one in names if folded(one) == folded(name)]):
            raise EntryError(f'{_SUBMITTED}/ has "{twins[0]}" already, which some systems take for the same')
        folder /= name
        with suppress(FileExistsError):
            folder.mkdir()
        if folder.is_symlink() or not folder.is_dir():
            raise EntryError(f"{name} in {_SUBMITTED}/ is a link or no folder; put a folder there")
    return folder


def read_plain(path: Path, limit: int) -> bytes | None:
    """Return what a plain file holds, or None where there is none; anything else there is an error."""
    try:
        file = open_plain(path, os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    except OSError:
        raise EntryError(f"{path.parent.name}/{path.name} is not a plain file; delete it") from None
    with file:
        return file.read(limit + 1)
