"""Takes what is new from nbgrader's exchange, or from uploads, into attempts/ and submitted/."""

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from traitlets.config import Config

from autograder.collecting.archive import EntryError
from autograder.collecting.attempts import Arrival, Placing, Source, attempts_of, place
from autograder.collecting.attribution import NamingRules
from autograder.collecting.collect import REFUSED, collect_archives
from autograder.course.course import Course
from autograder.course.kept import STUDENTS
from autograder.gradebook.exchange import Inbound, inbound
from autograder.submission.notebook import Notebook
from autograder.submission.students import Students, listed_students
from autograder.submission.submission import Submission, is_student

_STEADY_SECONDS = 60
_NO_NEWS = (Placing.UNCHANGED, Placing.OLDER)


class Arrivals(Protocol):
    """Where submissions come from."""

    def take(self) -> Iterator[str]:
        """Take in what is new, and yield a line on each that somebody should know of."""
        ...


class FromExchange:
    """Submissions that students hand in through nbgrader's exchange."""

    def __init__(self, course: Course, config: Config) -> None:
        self._course, self._config = course, config
        self._known: set[Path] = set()

    def take(self) -> Iterator[str]:
        """Take in every submission once."""
        listed = listed_students(self._course.root)
        for one in inbound(self._course, self._config):
            if one.folder in self._known or not one.complete:
                continue
            self._known.add(one.folder)
            try:
                student = _student(one, listed)
                status = _place(one, Submission(self._course.root, student, one.exercise))
            except (EntryError, ValueError, OSError) as error:
                yield f"{one.exercise} {one.student}: {one.folder}: {REFUSED}: {error}"
            else:
                if status not in _NO_NEWS:
                    yield ": ".join(filter(None, (f"{one.exercise} {student}", status, one.note)))


def _student(one: Inbound, listed: Students | None) -> str:
    """Return the id of whoever handed this in."""
    if one.problem:
        raise EntryError(one.problem)
    if listed is None:
        if not is_student(one.student):
            raise EntryError(f'"{one.student}" is not a student\'s id')
        return one.student
    found = listed.called(one.student)
    if len(found) != 1:
        raise EntryError(f'"{one.student}" is not in {STUDENTS}; add this name there')
    return found[0].id


def _place(one: Inbound, submission: Submission) -> Placing:
    """Keep a notebook with the time when it came: a folder that is copied later makes nothing late."""
    content, secret = one.read()
    digest = Notebook(content).digest
    known = [same.arrival.when for same in attempts_of(submission) if same.digest == digest]
    when = min(when for when in (one.when, *known) if when and when >= one.named)
    return place(submission, content, Arrival(when, Source.GIVEN), secret)


class FromUploads:
    """Archives and folders as `autograder collect` takes them, which somebody keeps adding to."""

    def __init__(self, course: Course, uploads: Sequence[Path]) -> None:
        self._course, self._uploads = course, uploads
        self._seen: object = None
        self._taken: object = None
        self._told: set[str] = set()

    def take(self) -> Iterator[str]:
        """Take in what is there, once it has been the same for a while: a file may still be on its way."""
        seen, newest = self._look()
        steady, self._seen = seen == self._seen or newest < time.time() - _STEADY_SECONDS, seen
        if not steady or seen == self._taken:
            return
        students = listed_students(self._course.root)
        rules = NamingRules(exercises=list(self._course.exercises), students=students)
        for line in collect_archives(self._course, self._uploads, rules):
            who = f"{line.exercise} {line.student}" if line.student else ""
            where = line.path if line.status == REFUSED else ""
            said = ": ".join(filter(None, (who, where, line.status, line.message)))
            if line.status not in _NO_NEWS and said not in self._told:
                self._told.add(said)
                yield said
        self._taken = seen

    def _look(self) -> tuple[object, float]:
        """Return what lies there, and when any of it was last written."""
        seen, newest = [], 0.0
        for path in sorted(path for upload in self._uploads for path in (upload, *upload.rglob("*"))):
            with suppress(OSError):  # gone meanwhile
                about = path.lstat()
                seen.append((str(path), about.st_size, about.st_mtime_ns, about.st_ino))
                newest = max(newest, about.st_ctime)
        return seen, newest
