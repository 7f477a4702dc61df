"""One round of watching: collects, grades what is due, writes the pages and returns them.

An attempt is marked before it is graded. So where the grader is killed nobody gains an attempt, and what was
marked but not shown is shown by the next round.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, tzinfo

from traitlets.config import Config

from autograder.batch.grade import grade_submissions
from autograder.batch.pool import Executor
from autograder.collecting.archive import EntryError
from autograder.collecting.attempts import LOCK, Attempt, adopt, mark
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.settings import AttemptSettings, Tells
from autograder.files import locked
from autograder.gradebook.attempts import refusal
from autograder.gradebook.config import ConversionError, load
from autograder.gradebook.exchange import release_page
from autograder.gradebook.lateness import Lateness
from autograder.gradebook.pages import View, write_feedback
from autograder.plugins.watch.arrivals import Arrivals
from autograder.submission.submission import Submission, find_submissions


def may_be_told(attempts: Sequence[Attempt], settings: AttemptSettings, now: datetime, zone: tzinfo) -> bool:
    """Whether the student of these attempts may be told of one more now; days are those of `zone`."""
    times = sorted(one.told for one in attempts if one.told is not None)
    today = [when for when in times if when.astimezone(zone).date() == now.astimezone(zone).date()]
    return len(today) < settings.a_day and not (times and now < settings.pause.after(times[-1]))


class Watch:
    """Grades what comes in; each round can be stopped at any moment and the next one goes on from there."""

    def __init__(
        self,
        course: Course,
        exercises: Sequence[Exercise],
        arrivals: Arrivals,
        *,
        config: Config | None = None,
        release: bool = False,
        jobs: int = 1,
        executor: Executor | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._course, self._exercises, self._arrivals = course, exercises, arrivals
        self._config = config or load(course)
        self._release, self._jobs, self._executor, self._clock = release, jobs, executor, clock

    def round(self) -> Iterator[str]:
        """Do what there is to do now, and yield a line on each thing that was done."""
        yield from self._arrivals.take()
        for exercise in self._exercises:
            if due := self._due(exercise):
                yield from self._grade(exercise, due)

    def _due(self, exercise: Exercise) -> dict[str, Attempt]:
        """Return the attempts that may be told now, by student; those that are marked already come again."""
        settings = settings_of(self._course, exercise)
        date = self._course.due(exercise.name)
        zone = (date.tzinfo if date is not None else None) or UTC
        found = {}
        for submission in find_submissions(self._course, exercise):
            attempts = self._attempts(submission)
            newest = attempts[-1] if attempts else None
            if newest is None:
                continue
            same = [one.told for one in attempts if one.digest == newest.digest and one.told is not None]
            if same and newest.shown:
                continue
            if same:
                when = newest.told or same[-1]
            elif may_be_told(attempts, settings, self._clock(), zone):
                when = self._clock()
            else:
                continue
            mark(submission, newest, when, shown=False)
            found[submission.student] = replace(newest, told=when)
        return found

    def _attempts(self, submission: Submission) -> Sequence[Attempt]:
        if refusal(submission):
            return ()
        try:
            with locked(self._course.root / LOCK):
                return adopt(submission)
        except EntryError:
            return ()

    def _grade(self, exercise: Exercise, due: dict[str, Attempt]) -> Iterator[str]:
        summary = grade_submissions(
            self._course, [exercise], list(due), jobs=self._jobs, executor=self._executor, eligible=_is_told
        )
        failed = {line.student for line in summary.failures}
        for student in failed:  # which an instructor has to fix; to try again each round would help nobody
            self._show(exercise, student, due[student], self._clock())
        for line in summary.lines:
            yield f"{line.exercise} {line.student}: {line.status}" + (
                f": {line.message}" if line.ours else ""
            )
        ready = set(due) - failed
        lateness = Lateness(self._course, exercise, self._config)
        view = View(lambda student: self._tells(exercise, lateness, student), _is_told)
        for page in write_feedback(self._course, exercise, ready, view):
            if isinstance(page, ConversionError):
                yield str(page)
                continue
            student = page.parts[-3]
            returned = self._release and release_page(self._config, page)
            self._show(exercise, student, due[student], due[student].told or self._clock())
            yield f"{exercise.name} {student}: {'returned' if returned else 'wrote'} the page"

    def _show(self, exercise: Exercise, student: str, attempt: Attempt, when: datetime) -> None:
        """Store that an attempt needs nothing more."""
        mark(Submission(self._course.root, student, exercise.name), attempt, when, shown=True)

    def _tells(self, exercise: Exercise, lateness: Lateness, student: str) -> Tells | None:
        """Return how much a page may tell now; after the due date, the student's own, everything."""
        due = lateness.due(student, None)
        if due is not None and self._clock() > due:
            return None
        return settings_of(self._course, exercise).tells


def settings_of(course: Course, exercise: Exercise) -> AttemptSettings:
    """Return what holds for several attempts, by course.yaml or by default."""
    return course.attempts(exercise.name) or AttemptSettings()


def _is_told(attempt: Attempt) -> bool:
    return attempt.told is not None
