"""Takes a notebook in: it is kept as an attempt, and goes into submitted/ if it is the newest one."""

from collections.abc import Sequence
from enum import StrEnum

from autograder.collecting.arrival import TIMESTAMP, Arrival, Source, arrival_in, files_of
from autograder.collecting.attempts import (
    SECRET,
    SUBMITTED,
    Attempt,
    adopt,
    attempts_of,
    digest_of,
    keep,
    opened,
    put_forward,
    read_files,
    submit,
    write_files,
)
from autograder.collecting.entry import EntryError
from autograder.files import locked
from autograder.submission.submission import Submission

LOCK = ".collecting.lock"
_UNSURE = (Source.FILE, Source.IGNORED)  # a file's time is another one as soon as it is copied


class Placing(StrEnum):
    """What became of a notebook."""

    NEW = "new"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"
    RETIMED = "time corrected"  # the notebook is the same
    OLDER = "older"  # than what is there, which stays


def place(submission: Submission, content: bytes, arrival: Arrival, secret: bytes = b"") -> Placing:
    """Keep the notebook and the time when it came, and let it count unless the same or a newer one is there.

    `secret` is what nbgrader's exchange needs to return the page on this very notebook.
    """
    try:
        with locked(submission.root / LOCK):
            return _place(submission, adopt(submission), content, arrival, secret)
    except OSError as error:
        raise EntryError(f"cannot be written: {error.strerror}") from None


def _place(
    submission: Submission, attempts: Sequence[Attempt], content: bytes, arrival: Arrival, secret: bytes
) -> Placing:
    newest = attempts[-1] if attempts else None
    if (known := _known(attempts, digest_of(content), arrival)) is not None:
        status = _settle(submission, known, arrival)
        last = attempts_of(submission)[-1] if arrival.source is Source.GIVEN else newest
        if newest is None or last is None or last.number == newest.number == known.number:
            return status
        if last.number != newest.number and put_forward(submission, last):
            return Placing.REPLACED  # by what the corrected time makes the newest
        return Placing.UNCHANGED if last.digest == known.digest else Placing.OLDER
    files = files_of(arrival) | ({SECRET: secret} if secret else {})
    older = any(arrival.is_older_than(one.arrival) for one in attempts)
    if not older:  # before it is kept: what lies there is kept later on, should we be stopped now
        submit(submission, content, files)
    keep(submission, content, files)
    return Placing.OLDER if older else Placing.NEW if newest is None else Placing.REPLACED


def _known(attempts: Sequence[Attempt], digest: str, arrival: Arrival) -> Attempt | None:
    """Return the attempt that this notebook is; None where it is one more, perhaps of the same bytes.

    The same bytes are one more attempt only where somebody tells that they came after other ones again.
    """
    same = [one for one in attempts if one.digest == digest]
    marks = ("when", "upload", "downloaded")  # if one of them is the same, it is the same upload
    for one in same:
        pairs = [(getattr(one.arrival, mark), getattr(arrival, mark)) for mark in marks]
        if any(known is not None and known == new for known, new in pairs):
            return one
    if arrival.source in _UNSURE:
        return same[-1] if same else None
    later = (place for place, one in enumerate(attempts) if arrival.is_older_than(one.arrival))
    last = next(later, len(attempts))
    earlier = (place for place in reversed(range(last)) if attempts[place].arrival.is_older_than(arrival))
    first = next(earlier, 0)  # this one came before it, and the one at `last` after it; nobody tells more
    between = [*reversed(attempts[first:last]), *attempts[last : last + 1]]
    unsure = [one for one in same if one.arrival.source in _UNSURE]
    return next((one for one in (*between, *reversed(unsure)) if one.digest == digest), None)


def _settle(submission: Submission, attempt: Attempt, arrival: Arrival) -> Placing:
    """Correct the time of an attempt that has come again."""
    files = read_files(submission, attempt)
    before = arrival_in(files)
    if files.get(TIMESTAMP) and before.when is None and arrival.source in (Source.FILE, Source.UNKNOWN):
        return Placing.UNCHANGED  # somebody has written the time by hand
    settled = arrival.settle(before)
    corrected = files_of(settled) | ({SECRET: files[SECRET]} if SECRET in files else {})
    write_files(submission, attempt, corrected)
    with opened(submission, SUBMITTED) as folder:
        present = folder.read_notebook()
        if present is not None and digest_of(present) == attempt.digest and folder.read_files() == files:
            folder.write_files(corrected)
    return Placing.UNCHANGED if settled.when == before.when else Placing.RETIMED
