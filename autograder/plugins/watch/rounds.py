"""One round of watching: collects, grades what is due, writes the pages and returns them.

A page with marks and test results comes first. It is replaced as soon as there are explanations.

An attempt is marked before it is graded. So where the grader is killed nobody gains an attempt, and what was
marked but not shown is shown by the next round.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from datetime import time as clock
from pathlib import Path

from traitlets.config import Config

from autograder.batch.explain import explain, unexplained
from autograder.batch.grade import grade_submissions
from autograder.batch.pool import Executor
from autograder.collecting.archive import EXHAUSTION, EntryError
from autograder.collecting.attempts import (
    LOCK,
    Arrival,
    Attempt,
    Placing,
    Source,
    adopt,
    attempts_of,
    mark,
    matching_attempt,
    place,
)
from autograder.collecting.attribution import NamingRules
from autograder.collecting.collect import REFUSED, CollectedLine, collect_archives
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.guard import SubmissionError, one_submission, skipping
from autograder.course.kept import STUDENTS
from autograder.course.settings import AttemptSettings, Tells
from autograder.files import locked
from autograder.gradebook.attempts import refusal
from autograder.gradebook.exchange import release_page
from autograder.gradebook.lateness import Lateness
from autograder.gradebook.pages import View, write_feedback
from autograder.gradebook.selection import with_late_note
from autograder.plugins.watch.inbox import Inbound, Received, inbound
from autograder.publishing.overview import publish_scores, student_of, write_student_pages
from autograder.submission.notebook import Notebook
from autograder.submission.students import Students, listed_students
from autograder.submission.submission import Submission, find_submissions, is_student

_STEADY_SECONDS = 60
_NO_NEWS = (Placing.UNCHANGED, Placing.OLDER)


class FromExchange:
    """Submissions that students hand in through nbgrader's exchange.

    Like `FromUploads` it takes in what is new, and yields a line on each that somebody should know of.
    """

    def __init__(self, course: Course, config: Config) -> None:
        self._course, self._config = course, config
        self._known: set[Path] = set()
        self.has_failed = False

    def take(self) -> Iterator[str]:
        """Take in every submission once."""
        listed = listed_students(self._course.root)
        for one in inbound(self._course, self._config):
            if one.folder not in self._known:
                yield from self._take(one, listed)

    def _take(self, one: Inbound, listed: Students | None) -> Iterator[str]:
        """Take in one folder; whatever is wrong with it stops no other. One that is gone gets no line."""
        lines: list[str] = []
        try:
            with one_submission(self._course, one.exercise, one.student):
                lines += self._taken(one, listed)
        except SubmissionError as error:
            self._known.add(one.folder)
            self.has_failed = True
            lines.append(str(error))
        yield from lines

    def _taken(self, one: Inbound, listed: Students | None) -> Iterator[str]:
        try:
            if (received := one.receive()) is None:
                return
            self._known.add(one.folder)
            student = _student(one, listed)
            status = _place(one, received, Submission(self._course.root, student, one.exercise))
        except FileNotFoundError:
            return
        except (EntryError, ValueError, OSError, *EXHAUSTION) as error:
            self._known.add(one.folder)
            yield f"{one.exercise} {one.student}: {one.folder}: {REFUSED}: {error}"
        else:
            if status not in _NO_NEWS:
                line = CollectedLine("", "", status, received.note, student, one.exercise, when=received.when)
                line = with_late_note(self._course, line)
                yield ": ".join(filter(None, (f"{one.exercise} {student}", line.status, line.message)))


def _student(one: Inbound, listed: Students | None) -> str:
    """Return the id of whoever handed this in."""
    if listed is None:
        if not is_student(one.student):
            raise EntryError(f'"{one.student}" is not a student\'s id')
        return one.student
    found = listed.called(one.student)
    if len(found) != 1:
        raise EntryError(f'"{one.student}" is not in {STUDENTS}; add this name there')
    return found[0].id


def _place(one: Inbound, received: Received, submission: Submission) -> Placing:
    """Store a notebook, unless its bytes are stored with this time or a later one.

    So no folder that is read again makes anything late or older.
    """
    same = matching_attempt(attempts_of(submission), Notebook(received.notebook).digest)
    if same and same.arrival.when and same.arrival.when >= one.named:
        return Placing.UNCHANGED
    return place(submission, received.notebook, Arrival(received.when, Source.GIVEN), received.secret)


class FromUploads:
    """Archives and folders as `autograder collect` takes them, which somebody keeps adding to."""

    has_failed = False  # whatever cannot be taken is refused

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
        for collected in collect_archives(self._course, self._uploads, rules):
            line = with_late_note(self._course, collected)
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
        for path in sorted(path for upload in self._uploads for path in _below(upload)):
            with suppress(OSError):  # gone meanwhile
                about = path.lstat()
                seen.append((str(path), about.st_size, about.st_mtime_ns, about.st_ino))
                newest = max(newest, about.st_ctime)
        return seen, newest


def _below(upload: Path) -> Iterator[Path]:
    """Yield a path and all paths below it, without those in a folder that is gone or cannot be read."""
    yield upload
    for folder, folders, files in os.walk(upload):
        yield from (Path(folder, name) for name in (*folders, *files))


@dataclass
class Watch:
    """Grades what comes in; each round can be stopped at any moment and the next one goes on from there."""

    course: Course
    exercises: Sequence[Exercise]
    arrivals: FromExchange | FromUploads
    config: Config
    executor: Executor
    release: bool = False
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    _waiting: set[int] = field(default_factory=set)  # attempts on which a line was yielded
    _failures: set[str] = field(default_factory=set)  # lines on failures that were yielded
    _is_first: bool = True  # whether no round has ended yet

    @property
    def has_failed(self) -> bool:
        """Whether any submission could not be processed in a round so far."""
        return bool(self._failures) or self.arrivals.has_failed

    def round(self) -> Iterator[str]:
        """Do what there is to do now, and yield a line on each thing that was done."""
        yield from self.arrivals.take()
        for exercise in self.exercises:
            due: dict[str, Attempt] = {}
            for one in find_submissions(self.course, exercise):
                lines: list[str] = []
                with self._skipping(exercise, one.student, lines):
                    lines += self._choose(exercise, one, due)
                yield from lines
            if due:
                yield from self._grade(exercise, due)
            if due or self._is_first:  # an earlier watch may have ended before its explanations
                yield from self._explain(exercise)
        self._is_first = False

    def _choose(self, exercise: Exercise, submission: Submission, due: dict[str, Attempt]) -> Iterator[str]:
        """Put the newest attempt into `due` if its page may be shown now, or yield until when it waits."""
        if not (attempts := self._attempts(submission)):
            return
        newest, now = attempts[-1], self.clock()
        if newest.shown:
            return
        until = now if newest.told else _until(attempts, exercise, now)
        if until <= now:  # mark it, or mark it again
            when = newest.told or now
            mark(submission, newest, when, shown=False)
            due[submission.student] = replace(newest, told=when)
        elif newest.id not in self._waiting:
            self._waiting.add(newest.id)
            waits = f"waits until {until:%Y-%m-%d %H:%M %Z}, as `attempts` in course.yaml says"
            yield f"{exercise.name} {submission.student}: {waits}"

    def _skipping(self, exercise: Exercise, student: str, lines: list[str]) -> AbstractContextManager[None]:
        """Append the line on a failure in the `with` block, unless an earlier round has yielded it."""
        return skipping(
            self.course, exercise.name, student, lambda error: lines.extend(self._new_failure(str(error)))
        )

    def _new_failure(self, line: str) -> list[str]:
        is_new = line not in self._failures
        self._failures.add(line)
        return [line] if is_new else []

    def _attempts(self, submission: Submission) -> Sequence[Attempt]:
        if refusal(submission):
            return ()
        try:
            with locked(self.course.root / LOCK):
                return adopt(submission)
        except EntryError:
            return ()

    def _grade(self, exercise: Exercise, due: dict[str, Attempt]) -> Iterator[str]:
        with self.course.without_explanations():
            summary = grade_submissions(
                self.course, [exercise], list(due), executor=self.executor, eligible=_is_told
            )
        if summary.stopped:  # the attempts stay due, and the pages as they are
            for problem in summary.stopped:
                yield from self._new_failure(problem)
            return
        failed = {line.student for line in summary.failures}
        for student in failed & due.keys():
            # An instructor has to fix these. To try again each round would help nobody.
            lines: list[str] = []
            with self._skipping(exercise, student, lines):
                self._show(exercise, student, due[student])
            yield from lines
        for line in summary.lines:
            said = f": {line.message}" if line.message and (line.ours or line.student in due) else ""
            text = f"{line.exercise} {line.student}: {line.status}{said}"
            if line.student in due:
                if line.ours:
                    self._failures.add(text)
                yield text
            else:  # a failure of somebody whom this round does not grade
                yield from self._new_failure(text)
        yield from self._return_pages(
            exercise, set(due) - failed, lambda student: self._show(exercise, student, due[student])
        )

    def _explain(self, exercise: Exercise) -> Iterator[str]:
        """Explain the wrong answers of submissions that have only marks, and replace their pages."""
        students = {one.student for one in find_submissions(self.course, exercise)}
        submissions, explained = unexplained(self.course, exercise, students), set[str]()
        for submission, problem in explain(self.course, exercise, submissions, self.executor):
            if problem:
                line = f"{exercise.name} {submission.student}: not explained: {problem}"
                yield from self._new_failure(line)
            else:
                explained.add(submission.student)
        if explained:
            yield from self._return_pages(exercise, explained)

    def _return_pages(
        self, exercise: Exercise, students: set[str], done: Callable[[str], None] = lambda _: None
    ) -> Iterator[str]:
        """Write the pages of these students, and return them where they came through the exchange."""
        lateness = Lateness(self.course, exercise)
        view = View(lambda student: self._tells(exercise, lateness, student), _is_told)
        written = set[str]()
        for page in write_feedback(self.course, exercise, students, view):
            if not isinstance(page, Path):
                yield from self._new_failure(str(page))
                continue
            lines: list[str] = []
            student = student_of(page)
            written.add(student)
            with self._skipping(exercise, student, lines):
                said = release_page(self.config, page) if self.release else "wrote the page"
                done(student)
                lines.append(f"{exercise.name} {student}: {said}")
            yield from lines
        publish_scores(self.course, exercise, written)
        write_student_pages(self.course, written)

    def _show(self, exercise: Exercise, student: str, attempt: Attempt) -> None:
        """Store that an attempt needs nothing more."""
        submission = Submission(self.course.root, student, exercise.name)
        mark(submission, attempt, attempt.told or self.clock(), shown=True)

    def _tells(self, exercise: Exercise, lateness: Lateness, student: str) -> Tells | None:
        """Return how much a page may tell now; after the due date, the student's own, everything."""
        due = lateness.due(student, None)
        over = due is not None and self.clock() > due
        return None if over else settings_of(exercise).tells


def _until(attempts: Sequence[Attempt], exercise: Exercise, now: datetime) -> datetime:
    """Return when the student may be told of one more attempt; days are those of the due date's zone."""
    settings, due = settings_of(exercise), exercise.settings.due
    now = now.astimezone((due.tzinfo if due else None) or UTC)
    times = sorted(one.told.astimezone(now.tzinfo) for one in attempts if one.told)
    until = settings.pause.after(times[-1]) if times else now
    if sum(when.date() == now.date() for when in times) >= settings.a_day:
        until = max(until, datetime.combine(now.date() + timedelta(days=1), clock.min, now.tzinfo))
    return until


def _is_told(attempt: Attempt) -> bool:
    return attempt.told is not None


def settings_of(exercise: Exercise) -> AttemptSettings:
    """Return what holds for several attempts, by course.yaml or by default."""
    return exercise.settings.attempts or AttemptSettings()
