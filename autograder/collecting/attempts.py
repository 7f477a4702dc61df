"""Stores all notebooks that students submit, and writes each student's newest notebook into submitted/.

Each submitted notebook is an attempt. It has a row in the database, and a file in attempts/ that is named by
the digest of its bytes. If a student submits the same bytes again, no attempt is added, and the row keeps the
more reliable of the two times. nbgrader reads submitted/. This module follows no link in it, and writes each
notebook completely or not at all.
"""

import os
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import Field, TypeAdapter
from sqlalchemy import and_, select

from autograder.collecting.archive import EntryError
from autograder.collecting.names import plausible
from autograder.files import locked, write_whole
from autograder.records.database import Store, reading, writing
from autograder.records.reports import parse_report
from autograder.records.tables import ATTEMPTS, REPORTS
from autograder.report.report import Report
from autograder.submission.notebook import MAX_WITH_OUTPUTS, Notebook, open_plain, without_large_outputs
from autograder.submission.students import folded
from autograder.submission.submission import Submission

_FORMAT = "%Y-%m-%d %H:%M:%S.%f UTC"  # the format of the time in nbgrader's timestamp.txt


class Source(StrEnum):
    """The source of the time of a submission."""

    FILE = "file"  # the modification time of the file, which copying may have changed
    GIVEN = "told"  # the platform or the instructor gave the time
    UNKNOWN = "nobody"  # time unknown, because a platform's archive has only the time of the download
    IGNORED = "ignored"  # time ignored, because the instructor chose to collect without times


@dataclass(frozen=True, slots=True)
class Arrival:
    """The time of submission of a notebook, and other values that show which of two attempts is newer."""

    when: datetime | None = None  # the time of submission, if it is known
    source: Annotated[Source, Field(alias="time")] = Source.FILE
    upload: int | None = None  # the number that Canvas gave to the file; later files have greater numbers
    downloaded: datetime | None = None  # the time at which the platform made the archive
    number: str = ""  # the student's number on Canvas or Moodle, from the file name; empty for a group
    form: str = ""  # the suffix of the file's name on the platform, such as .ipynb
    late: bool = False  # whether Canvas marks the file as late

    @property
    def is_late_untimed(self) -> bool:
        """Whether the platform marks the file as late but gives no time."""
        return self.late and self.when is None

    @property
    def time(self) -> str:
        """The time in the format of nbgrader's timestamp.txt, or "" if it is unknown."""
        return "" if self.when is None else self.when.astimezone(UTC).strftime(_FORMAT)

    @property
    def record(self) -> dict[str, Any]:
        """The values for the database, without the time. Empty if the source is FILE or IGNORED."""
        options: dict[str, Any] = {"mode": "json", "exclude_defaults": True, "by_alias": True}
        return {} if self.source in _UNRELIABLE else _ARRIVALS.dump_python(self, exclude={"when"}, **options)

    def is_older_than(self, other: "Arrival") -> bool:
        """Whether this attempt came before `other`.

        The numbers that Canvas gave to the uploads decide. If a number is missing, the times of submission
        decide. If they are missing or equal, the times of download decide. If `other` has no time of
        download, its time of submission is used instead.
        """
        if self.upload is not None and other.upload is not None:
            return self.upload < other.upload
        if self.when is not None and other.when is not None and self.when != other.when:
            return self.when < other.when
        others_time = other.downloaded or other.when
        return self.downloaded is not None and others_time is not None and self.downloaded < others_time

    def merged_with(self, earlier: "Arrival") -> "Arrival":
        """Return the arrival of a notebook that is collected again. `earlier` is its stored arrival.

        The result has the more reliable time, the greater upload number and the later time of download.
        """
        uploads = [arrival.upload for arrival in (self, earlier) if arrival.upload is not None]
        downloads = [arrival.downloaded for arrival in (self, earlier) if arrival.downloaded is not None]
        return replace(
            earlier if self._is_less_reliable_than(earlier) else self,
            upload=max(uploads, default=None),
            downloaded=max(downloads, default=None),
            number=self.number or earlier.number,
            form=self.form or earlier.form,
        )

    def _is_less_reliable_than(self, earlier: "Arrival") -> bool:
        if self.source is Source.FILE:
            is_copy = self.when is None or (earlier.when is not None and earlier.when <= self.when)
            return is_copy or earlier.source is not Source.FILE
        return self.source is Source.UNKNOWN and earlier.source is Source.GIVEN


_ARRIVALS = TypeAdapter(Arrival)
# If a notebook is collected again with a time from these sources, submitted/ keeps its notebook.
_UNRELIABLE = (Source.FILE, Source.IGNORED)


def read_arrival(time: str, record: dict[str, Any] | None) -> Arrival:
    """Return an arrival from the text of timestamp.txt and a `record`. Times in other formats are ignored."""
    when = None
    with suppress(ValueError):
        when = plausible(datetime.strptime(time, _FORMAT).replace(tzinfo=UTC))
    return _ARRIVALS.validate_python({**(record or {}), "when": when})


LOCK = ".collecting.lock"
_FOLDER, _SUBMITTED = "attempts", "submitted"
_KEY = (ATTEMPTS.c.student, ATTEMPTS.c.exercise, ATTEMPTS.c.digest)
# Small files next to a notebook. Without them, nbgrader's exchange does not return the feedback page.
TIMESTAMP, SECRET = COMPANIONS = "timestamp.txt", "submission_secret.txt"
_MAX_COMPANION = 1000  # the most bytes of such a file


class Placing(StrEnum):
    """The result of storing a notebook."""

    NEW = "new"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"
    RETIMED = "time corrected"  # the same notebook, with a corrected time
    OLDER = "older"  # stored, but submitted/ still has a newer attempt


@dataclass(frozen=True, slots=True)
class Attempt:
    """One submitted notebook: its bytes, its arrival, and the last report on it."""

    id: int  # increases in the order of collection
    digest: str  # the digest of the notebook's bytes
    notebook: Path  # the file with the notebook's bytes
    time: str  # the content of timestamp.txt
    arrival: Arrival
    secret: bytes = b""  # the content of submission_secret.txt
    accepted_at: datetime | None = None  # the time at which `watch` accepted the attempt for feedback
    shown: bool = False  # true after `watch` wrote the feedback page or failed to grade the attempt
    is_submitted: bool = False  # whether submitted/ has this attempt's notebook
    report: Report | None = None
    fingerprint: str = ""  # digest of the notebook and of everything else on which `report` depends
    recorded: bool = False  # whether the gradebook has the scores of this report

    @property
    def companions(self) -> dict[str, bytes]:
        """The content of timestamp.txt and submission_secret.txt, by name, without empty files."""
        files = {TIMESTAMP: self.time.encode(), SECRET: self.secret}
        return {name: content for name, content in files.items() if content}


class _Submitted(NamedTuple):
    """The files of one submission in submitted/."""

    content: bytes
    time: str = ""
    secret: bytes = b""


def attempts_of(submission: Submission) -> tuple[Attempt, ...]:
    """Return a student's attempts at an exercise, the newest last."""
    with reading(submission.root) as store:
        return _attempts_in(store, submission)


def _attempts_in(store: Store, submission: Submission) -> tuple[Attempt, ...]:
    student = submission.student
    return read_attempts(store, submission.root, submission.exercise, student).get(student, ())


def read_attempts(
    store: Store, root: Path, exercise: str, student: str | None = None
) -> dict[str, tuple[Attempt, ...]]:
    """Return each student's attempts at an exercise, the newest last; with `student`, only this student's.

    If it is unknown which of two attempts was submitted later, the one that was collected later is the newer.
    """
    report = (REPORTS.c.report, REPORTS.c.fingerprint, REPORTS.c.recorded)
    is_same = and_(*(key == REPORTS.c[key.name] for key in _KEY))
    query = select(*ATTEMPTS.c, *report).join(REPORTS, is_same, isouter=True)
    query = query.where(ATTEMPTS.c.exercise == exercise).order_by(ATTEMPTS.c.id)
    if student is not None:
        query = query.where(ATTEMPTS.c.student == student)
    rows = store.execute(query).all()
    by_student = defaultdict[str, list[Attempt]](list)
    for row in rows:
        attempt, ordered = _attempt(root, row), by_student[row.student]
        ordered.insert(_position(attempt.arrival, ordered), attempt)
    return {id_: tuple(ordered) for id_, ordered in by_student.items()}


def recorded_attempt(attempts: Sequence[Attempt]) -> Attempt | None:
    """Return the attempt in `attempts` whose scores are in the gradebook, or None."""
    return next((attempt for attempt in attempts if attempt.recorded), None)


def stored_numbers(root: Path) -> dict[tuple[str, str], str]:
    """Return the student's id for each number on a platform, from the first submission with this number.

    The keys are (exercise, number) for Moodle, which numbers the participants of each assignment differently.
    They are ("", number) for Canvas, where a user has the same number in all assignments.
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
    """Return the index of a new attempt in the order of time."""
    later = (index for index, attempt in enumerate(attempts) if arrival.is_older_than(attempt.arrival))
    return next(later, len(attempts))


def mark(submission: Submission, attempt: Attempt, when: datetime, *, shown: bool) -> None:
    """Store `accepted_at` and `shown` of an attempt for the command `watch`.

    A student has one page for an exercise, so `shown` becomes false for the other attempts.
    """
    is_same_student = ATTEMPTS.c.student == submission.student
    is_same_exercise = ATTEMPTS.c.exercise == submission.exercise
    with writing(submission.root) as store:
        store.execute(ATTEMPTS.update().where(is_same_student & is_same_exercise).values(shown=False))
        values = {"told": when.isoformat(), "shown": shown}
        store.execute(ATTEMPTS.update().where(ATTEMPTS.c.id == attempt.id).values(**values))


def place(submission: Submission, content: bytes, arrival: Arrival, secret: bytes = b"") -> Placing:
    """Store a notebook and its arrival. Write the notebook into submitted/ unless a stored attempt is newer.

    `secret` lets nbgrader's exchange return the feedback page on this notebook.
    """
    try:
        with locked(submission.root / LOCK):
            return _place(submission, adopt(submission), content, arrival, secret)
    except OSError as error:
        raise EntryError(f"cannot be written: {error.strerror}") from None


def adopt(submission: Submission, stored: Sequence[Attempt] | None = None) -> tuple[Attempt, ...]:
    """Return all attempts. If the notebook in submitted/ was not collected, first store it as an attempt."""
    attempts = attempts_of(submission) if stored is None else stored
    submitted = _read_submitted(submission)
    if submitted is None:
        return tuple(attempts)
    digest = Notebook(submitted.content).digest
    same = matching_attempt(attempts, digest)
    if same is None or (submitted.time and (submitted.time, submitted.secret) != (same.time, same.secret)):
        with writing(submission.root) as store:
            same = matching_attempt(_attempts_in(store, submission), digest)
            if same is None:
                _store(store, submission, submitted, read_arrival(submitted.time, None))
            else:  # the files next to the notebook have changed; an instructor may have corrected the time
                _update(store, same, time=submitted.time, secret=submitted.secret)
            attempts = _attempts_in(store, submission)
    return tuple(replace(attempt, is_submitted=attempt.digest == digest) for attempt in attempts)


def make_current(submission: Submission, attempt: Attempt) -> bool:
    """Write an attempt's notebook and time into submitted/. Return whether the notebook there changed."""
    expect_stored(attempt)
    return _submit(submission, _Submitted(attempt.notebook.read_bytes(), attempt.time, attempt.secret))


def expect_stored(attempt: Attempt) -> None:
    """Raise EntryError if the file of a stored attempt is missing."""
    if not os.path.lexists(attempt.notebook):
        raise EntryError(f"{attempt.notebook} is missing; put it back from a backup")


def arrival_of(submission: Submission) -> Arrival:
    """Return the recorded attempt's arrival, else the newest attempt's arrival, else an empty arrival."""
    attempts = attempts_of(submission)
    return (recorded_attempt(attempts) or attempts[-1]).arrival if attempts else Arrival()


def _place(
    submission: Submission, attempts: Sequence[Attempt], content: bytes, arrival: Arrival, secret: bytes
) -> Placing:
    newest = attempts[-1] if attempts else None
    if newest and (same := matching_attempt(attempts, Notebook(content).digest)):
        retimed = _update_arrival(submission, same, arrival, secret)
        last = newest if arrival.source in _UNRELIABLE else attempts_of(submission)[-1]
        if last.id != newest.id and make_current(submission, last):
            return Placing.REPLACED
        if last.id != same.id:
            return Placing.OLDER
        return Placing.RETIMED if retimed else Placing.UNCHANGED
    submitted = _Submitted(content, arrival.time, secret)
    is_older = _position(arrival, attempts) < len(attempts)
    # The notebook is written to submitted/ first. If a crash follows, `adopt` stores the attempt later.
    if not is_older:
        _submit(submission, submitted)
    with writing(submission.root) as store:
        _store(store, submission, submitted, arrival)
    return Placing.OLDER if is_older else Placing.NEW if newest is None else Placing.REPLACED


def matching_attempt(attempts: Sequence[Attempt], digest: str) -> Attempt | None:
    """Return the attempt with this digest, or None if the notebook was not submitted before."""
    return next((attempt for attempt in attempts if attempt.digest == digest), None)


def _update_arrival(submission: Submission, attempt: Attempt, arrival: Arrival, secret: bytes) -> bool:
    """Update the arrival of an attempt that is collected again. Return whether its time changed."""
    before = attempt.arrival
    if attempt.time and before.when is None and arrival.source in (Source.FILE, Source.UNKNOWN):
        # The time in timestamp.txt is not in _FORMAT. An instructor has written it, so it stays.
        return False
    merged, secret = arrival.merged_with(before), secret or attempt.secret
    with writing(submission.root) as store:
        _update(store, attempt, time=merged.time, arrival=merged.record, secret=secret)
    submitted = _Submitted(attempt.notebook.read_bytes(), attempt.time, attempt.secret)
    if _read_submitted(submission) == submitted:
        _submit(submission, submitted._replace(time=merged.time, secret=secret))
    return merged.when != before.when


def _store(store: Store, submission: Submission, submitted: _Submitted, arrival: Arrival) -> None:
    """Store a notebook as a new attempt. The file is written before the row, so that every row has a file."""
    folder, digest = submission.root / _FOLDER, Notebook(submitted.content).digest
    if folder.is_symlink():
        raise EntryError(f"{_FOLDER}/ is a link; replace it by a folder")
    if not (path := folder / f"{digest}.ipynb").exists():
        write_whole(path, submitted.content)
    key = {"student": submission.student, "exercise": submission.exercise, "digest": digest}
    values = {"time": submitted.time, "secret": submitted.secret, "arrival": arrival.record}
    store.execute(ATTEMPTS.insert().values(**key, **values))


def _update(store: Store, attempt: Attempt, **values: Any) -> None:
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
        accepted_at=datetime.fromisoformat(row.told) if row.told else None,
        shown=bool(row.shown),
        report=parse_report(row.report),
        fingerprint=row.fingerprint or "",
        recorded=bool(row.recorded),
    )


def _read_submitted(submission: Submission) -> _Submitted | None:
    """Return a submission's files in submitted/, or None if there is no notebook."""
    if not submission.folder.is_dir():
        return None
    folder = _folder(submission)
    content = read_plain(folder / submission.notebook.name, MAX_WITH_OUTPUTS)
    time, secret = (read_plain(folder / name, _MAX_COMPANION) for name in COMPANIONS)
    if content is None:
        return None
    text = (time or b"").decode(errors="replace").strip()
    usable_secret = secret if secret and len(secret) <= _MAX_COMPANION else b""
    return _Submitted(without_large_outputs(content), text, usable_secret)


def _submit(submission: Submission, new: _Submitted) -> bool:
    """Write a notebook and its time into submitted/. Return whether the notebook there changed.

    The old time is deleted first, so that a crash never leaves a notebook with the time of another notebook.
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
    """Return a submission's folder in submitted/, created if missing.

    Links are refused. If a student has no folder yet, the id must differ from the names of other folders in
    more than case and Unicode form, which some file systems ignore.
    """
    folder = submission.root
    for name in (_SUBMITTED, submission.student, submission.exercise):
        names = os.listdir(folder) if name == submission.student else [name]  # noqa: PTH208 - much faster
        if name not in names and (twins := [other for other in names if folded(other) == folded(name)]):
            problem = f'{_SUBMITTED}/ has "{twins[0]}", so it cannot have "{name}": some file systems'
            raise EntryError(f"{problem} do not distinguish these names; use only one of them")
        folder /= name
        with suppress(FileExistsError):
            folder.mkdir()
        if folder.is_symlink() or not folder.is_dir():
            raise EntryError(f"{name} in {_SUBMITTED}/ is a link or not a folder; replace it by a folder")
    return folder


def read_plain(path: Path, limit: int) -> bytes | None:
    """Return at most `limit` + 1 bytes of a plain file, or None if `path` does not exist.

    Raise EntryError if `path` is something else, such as a link or a folder.
    """
    try:
        file = open_plain(path, os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    except OSError:
        raise EntryError(f"{path.parent.name}/{path.name} is not a plain file; delete it") from None
    with file:
        return file.read(limit + 1)
