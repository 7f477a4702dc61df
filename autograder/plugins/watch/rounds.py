"""Works in rounds. Each round collects submissions, grades those that are due, and writes their pages.

The first page of a submission has marks and test results. A page with explanations replaces it later.

Before an attempt is graded, the time at which it was accepted is stored. So the attempt counts for the
student's daily limit even if the grader is killed. The next round then grades the attempt again.
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
from autograder.submission.students import Students, failure_line, listed_students, student_names, with_name
from autograder.submission.submission import Submission, find_submissions, is_student

_STEADY_SECONDS = 60
_NO_NEWS = (Placing.UNCHANGED, Placing.OLDER)


class FromExchange:
    """Collects submissions from nbgrader's exchange."""

    def __init__(self, course: Course, config: Config) -> None:
        self._course, self._config = course, config
        self._finished: set[Path] = set()  # folders that were stored or refused
        self.has_failed = False

    def take(self) -> Iterator[str]:
        """Collect the folders that no earlier call collected. Yield a line about each for the instructor."""
        listed = listed_students(self._course.root)
        for folder in inbound(self._course, self._config):
            if folder.path not in self._finished:
                yield from self._take_safely(folder, listed)

    def _take_safely(self, folder: Inbound, listed: Students | None) -> Iterator[str]:
        """Collect one folder. An error becomes a line, so that the other folders are still collected."""
        lines: list[str] = []
        try:
            with one_submission(self._course, folder.exercise, folder.student):
                lines += self._take(folder, listed)
        except SubmissionError as error:
            self._finished.add(folder.path)
            self.has_failed = True
            lines.append(failure_line(error, student_names(self._course.root)))
        yield from lines

    def _take(self, folder: Inbound, listed: Students | None) -> Iterator[str]:
        """Collect one folder. If it is incomplete or gone, yield nothing."""
        names = student_names(self._course.root)
        try:
            if (content := folder.receive()) is None:
                return
            self._finished.add(folder.path)
            student = _student(folder, listed)
            status = _place(folder, content, Submission(self._course.root, student, folder.exercise))
        except FileNotFoundError:
            return
        except (EntryError, ValueError, OSError, *EXHAUSTION) as error:
            self._finished.add(folder.path)
            owner = f"{folder.exercise} {with_name(folder.student, names)}"
            yield f"{owner}: {folder.path}: {REFUSED}: {error}"
        else:
            if status not in _NO_NEWS:
                line = CollectedLine(
                    "", "", status, content.note, student, folder.exercise, when=content.when
                )
                line = with_late_note(self._course, line)
                owner = f"{folder.exercise} {with_name(student, names)}"
                yield ": ".join(filter(None, (owner, line.status, line.message)))


def _student(folder: Inbound, listed: Students | None) -> str:
    if listed is None:
        if not is_student(folder.student):
            raise EntryError(f'"{folder.student}" is not a student\'s id')
        return folder.student
    students = listed.called(folder.student)
    if not students:
        raise EntryError(f'"{folder.student}" is not in {STUDENTS}; add this name there')
    if len(students) > 1:
        ids = ", ".join(student.id for student in students)
        problem = f'"{folder.student}" is the name of several students ({ids})'
        fix = f'in {STUDENTS}, write "{folder.student}" as the id or email of the student who uses it'
        raise EntryError(f"{problem}; {fix}")
    return students[0].id


def _place(folder: Inbound, content: Received, submission: Submission) -> Placing:
    """Store a notebook, unless the same bytes are already stored with this folder's time or a later time.

    So if the folder is read again, for example after a restart, a stored attempt keeps its time.
    """
    stored = matching_attempt(attempts_of(submission), Notebook(content.notebook).digest)
    if stored and stored.arrival.when and stored.arrival.when >= folder.time_in_name:
        return Placing.UNCHANGED
    return place(submission, content.notebook, Arrival(content.when, Source.GIVEN), content.secret)


class FromUploads:
    """Collects submissions from archives and folders that get new submissions while the command runs."""

    has_failed = False  # always, because a refused submission does not count as a failure

    def __init__(self, course: Course, uploads: Sequence[Path]) -> None:
        self._course, self._uploads = course, uploads
        self._last_files: object = None
        self._collected_files: object = None
        self._yielded: set[str] = set()

    def take(self) -> Iterator[str]:
        """Collect all submissions, or nothing if files are still changing: such a file may be incomplete."""
        files, newest = self._list_files()
        is_steady, self._last_files = (
            files == self._last_files or newest < time.time() - _STEADY_SECONDS,
            files,
        )
        if not is_steady or files == self._collected_files:
            return
        names, students = student_names(self._course.root), listed_students(self._course.root)
        rules = NamingRules(exercises=list(self._course.exercises), students=students)
        for collected in collect_archives(self._course, self._uploads, rules):
            line = with_late_note(self._course, collected)
            owner = f"{line.exercise} {with_name(line.student, names)}" if line.student else ""
            path = line.path if line.status == REFUSED else ""
            text = ": ".join(filter(None, (owner, path, line.status, line.message)))
            if line.status not in _NO_NEWS and text not in self._yielded:
                self._yielded.add(text)
                yield text
        self._collected_files = files

    def _list_files(self) -> tuple[object, float]:
        """Return the path, size, time and inode number of each file, and the time of the last change."""
        files, newest = [], 0.0
        for path in sorted(path for upload in self._uploads for path in _paths_below(upload)):
            with suppress(OSError):  # the file has been deleted meanwhile
                about = path.lstat()
                files.append((str(path), about.st_size, about.st_mtime_ns, about.st_ino))
                newest = max(newest, about.st_ctime)
        return files, newest


def _paths_below(upload: Path) -> Iterator[Path]:
    """Yield a path and all paths below it. Folders that are gone or cannot be read count as empty."""
    yield upload
    for folder, folders, files in os.walk(upload):
        yield from (Path(folder, name) for name in (*folders, *files))


@dataclass
class Watch:
    """Grades new submissions in rounds. If a round is stopped, the next round does the remaining work."""

    course: Course
    exercises: Sequence[Exercise]
    arrivals: FromExchange | FromUploads
    config: Config
    executor: Executor
    release: bool = False
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    _waiting: set[int] = field(default_factory=set)  # ids of attempts that are reported as waiting
    _failures: set[str] = field(default_factory=set)  # the lines that reported failures
    _is_first: bool = True
    _names: dict[str, str] = field(default_factory=dict)  # full names in students.csv, by id

    @property
    def has_failed(self) -> bool:
        """Whether processing a submission has failed in any round."""
        return bool(self._failures) or self.arrivals.has_failed

    def round(self) -> Iterator[str]:
        """Collect submissions, grade those that are due, write their pages; yield a line about each step."""
        yield from self.arrivals.take()
        self._names = student_names(self.course.root)
        for exercise in self.exercises:
            due: dict[str, Attempt] = {}
            for submission in find_submissions(self.course, exercise):
                lines: list[str] = []
                with self._skipping(exercise, submission.student, lines):
                    lines += self._choose(exercise, submission, due)
                yield from lines
            if due:
                yield from self._grade(exercise, due)
            # The first round also explains wrong answers that an earlier run of `watch` did not explain.
            if due or self._is_first:
                yield from self._explain(exercise)
        self._is_first = False

    def _choose(self, exercise: Exercise, submission: Submission, due: dict[str, Attempt]) -> Iterator[str]:
        """Add the newest attempt to `due` if it may be graded now. Otherwise, yield a line about the wait."""
        if not (attempts := self._attempts(submission)):
            return
        newest, now = attempts[-1], self.clock()
        if newest.shown:
            return
        until = now if newest.accepted_at else _due_time(attempts, exercise, now)
        if until <= now:
            when = newest.accepted_at or now
            mark(submission, newest, when, shown=False)
            due[submission.student] = replace(newest, accepted_at=when)
        elif newest.id not in self._waiting:
            self._waiting.add(newest.id)
            reason = f"waits until {until:%Y-%m-%d %H:%M %Z}, because of `attempts` in course.yaml"
            yield f"{self._owner(exercise, submission.student)}: {reason}"

    def _owner(self, exercise: Exercise, student: str) -> str:
        return f"{exercise.name} {with_name(student, self._names)}"

    def _skipping(self, exercise: Exercise, student: str, lines: list[str]) -> AbstractContextManager[None]:
        """If the `with` block fails, append a line about the failure to `lines`. Known lines are left out."""

        def on_failure(error: SubmissionError) -> None:
            lines.extend(self._new_failure(failure_line(error, self._names)))

        return skipping(self.course, exercise.name, student, on_failure)

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
        summary = grade_submissions(
            self.course, [exercise], list(due), executor=self.executor, eligible=_is_accepted
        )
        if summary.stopped:  # the next round continues with these attempts, and returns their pages
            for problem in summary.stopped:
                yield from self._new_failure(problem)
            return
        failed = {line.student for line in summary.failures}
        for student in failed & due.keys():
            # Unlike an interrupted attempt, a failed attempt is not tried again: an instructor has to act.
            lines: list[str] = []
            with self._skipping(exercise, student, lines):
                self._mark_done(exercise, student, due[student])
            yield from lines
        for line in summary.lines:
            message = f": {line.message}" if line.message and (line.ours or line.student in due) else ""
            text = f"{self._owner(exercise, line.student)}: {line.status}{message}"
            if line.student in due:
                if line.ours:
                    self._failures.add(text)
                yield text
            else:  # this submission is not due, and its failure is reported only once
                yield from self._new_failure(text)
        yield from self._return_pages(
            exercise, set(due) - failed, lambda student: self._mark_done(exercise, student, due[student])
        )

    def _explain(self, exercise: Exercise) -> Iterator[str]:
        """Explain graded wrong answers that are not explained yet, and write these students' pages again."""
        students = {submission.student for submission in find_submissions(self.course, exercise)}
        submissions, explained_students = unexplained(self.course, exercise, students), set[str]()
        for submission, problem in explain(self.course, submissions, self.executor):
            if problem:
                line = f"{self._owner(exercise, submission.student)}: not explained: {problem}"
                yield from self._new_failure(line)
            else:
                explained_students.add(submission.student)
        if explained_students:
            yield from self._return_pages(exercise, explained_students)

    def _return_pages(
        self, exercise: Exercise, students: set[str], on_written: Callable[[str], None] = lambda _: None
    ) -> Iterator[str]:
        """Write the pages of these students. With --release, also return them through the exchange.

        `on_written` is called with each student whose page was written and returned.
        """
        lateness = Lateness(self.course, exercise)
        view = View(lambda student: self._feedback_level(exercise, lateness, student), _is_accepted)
        written = set[str]()
        for page in write_feedback(self.course, exercise, students, view):
            if not isinstance(page, Path):
                line = failure_line(page, self._names) if isinstance(page, SubmissionError) else str(page)
                yield from self._new_failure(line)
                continue
            lines: list[str] = []
            student = student_of(page)
            written.add(student)
            with self._skipping(exercise, student, lines):
                message = release_page(self.config, page) if self.release else "wrote the page"
                on_written(student)
                lines.append(f"{self._owner(exercise, student)}: {message}")
            yield from lines
        publish_scores(self.course, exercise, written)
        write_student_pages(self.course, written)

    def _mark_done(self, exercise: Exercise, student: str, attempt: Attempt) -> None:
        submission = Submission(self.course.root, student, exercise.name)
        mark(submission, attempt, attempt.accepted_at or self.clock(), shown=True)

    def _feedback_level(self, exercise: Exercise, lateness: Lateness, student: str) -> Tells | None:
        """Return the level of detail of a student's page. After the due date, return None: no limit."""
        due = lateness.due(student, None)
        over = due is not None and self.clock() > due
        return None if over else settings_of(exercise).tells


def _due_time(attempts: Sequence[Attempt], exercise: Exercise, now: datetime) -> datetime:
    """Return the time from which one more attempt is accepted.

    A day begins at midnight in the time zone of the due date.
    """
    settings, due = settings_of(exercise), exercise.settings.due
    now = now.astimezone((due.tzinfo if due else None) or UTC)
    times = sorted(attempt.accepted_at.astimezone(now.tzinfo) for attempt in attempts if attempt.accepted_at)
    until = settings.pause.after(times[-1]) if times else now
    if sum(when.date() == now.date() for when in times) >= settings.a_day:
        until = max(until, datetime.combine(now.date() + timedelta(days=1), clock.min, now.tzinfo))
    return until


def _is_accepted(attempt: Attempt) -> bool:
    return attempt.accepted_at is not None


def settings_of(exercise: Exercise) -> AttemptSettings:
    """Return the settings for repeated attempts, from course.yaml or the defaults."""
    return exercise.settings.attempts or AttemptSettings()
