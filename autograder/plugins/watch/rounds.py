"""One round of watching: collects, grades what is due, writes the pages and returns them.

An attempt is marked before it is graded. So where the grader is killed nobody gains an attempt, and what was
marked but not shown is shown by the next round.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

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
from autograder.gradebook.config import ConversionError
from autograder.gradebook.exchange import release_page
from autograder.gradebook.lateness import Lateness
from autograder.gradebook.pages import View, write_feedback
from autograder.plugins.watch.arrivals import Arrivals
from autograder.submission.submission import Submission, find_submissions


@dataclass
class Watch:
    """Grades what comes in; each round can be stopped at any moment and the next one goes on from there."""

    course: Course
    exercises: Sequence[Exercise]
    arrivals: Arrivals
    config: Config
    release: bool = False
    jobs: int = 1
    executor: Executor | None = None
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    def round(self) -> Iterator[str]:
        """Do what there is to do now, and yield a line on each thing that was done."""
        yield from self.arrivals.take()
        for exercise in self.exercises:
            found = find_submissions(self.course, exercise)
            due = {one.student: attempt for one in found if (attempt := self._due(one, exercise))}
            if due:
                yield from self._grade(exercise, due)

    def _due(self, submission: Submission, exercise: Exercise) -> Attempt | None:
        """Mark and return the newest attempt if its student may be told now; if marked already, again."""
        if not (attempts := self._attempts(submission)):
            return None
        newest = attempts[-1]
        same = [one.told for one in attempts if one.digest == newest.digest and one.told is not None]
        if (same and newest.shown) or not (same or self._may_be_told(attempts, exercise)):
            return None
        when = (newest.told or same[-1]) if same else self.clock()
        mark(submission, newest, when, shown=False)
        return replace(newest, told=when)

    def _may_be_told(self, attempts: Sequence[Attempt], exercise: Exercise) -> bool:
        """Whether the student may be told of one more attempt now; days are those of the due date's zone."""
        settings, now, due = settings_of(self.course, exercise), self.clock(), self.course.due(exercise.name)
        zone = (due.tzinfo if due else None) or UTC
        times = sorted(one.told for one in attempts if one.told is not None)
        today = [when for when in times if when.astimezone(zone).date() == now.astimezone(zone).date()]
        return len(today) < settings.a_day and not (times and now < settings.pause.after(times[-1]))

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
            self.course, [exercise], list(due), jobs=self.jobs, executor=self.executor, eligible=_is_told
        )
        failed = {line.student for line in summary.failures}
        for student in failed:  # which an instructor has to fix; to try again each round would help nobody
            self._show(exercise, student, due[student], self.clock())
        for line in summary.lines:
            said = f": {line.message}" if line.ours else ""
            yield f"{line.exercise} {line.student}: {line.status}{said}"
        lateness = Lateness(self.course, exercise)
        view = View(lambda student: self._tells(exercise, lateness, student), _is_told)
        for page in write_feedback(self.course, exercise, set(due) - failed, view):
            if isinstance(page, ConversionError):
                yield str(page)
                continue
            student = page.parts[-3]
            returned = self.release and release_page(self.config, page)
            self._show(exercise, student, due[student], due[student].told or self.clock())
            yield f"{exercise.name} {student}: {'returned' if returned else 'wrote'} the page"

    def _show(self, exercise: Exercise, student: str, attempt: Attempt, when: datetime) -> None:
        """Store that an attempt needs nothing more."""
        mark(Submission(self.course.root, student, exercise.name), attempt, when, shown=True)

    def _tells(self, exercise: Exercise, lateness: Lateness, student: str) -> Tells | None:
        """Return how much a page may tell now; after the due date, the student's own, everything."""
        due = lateness.due(student, None)
        over = due is not None and self.clock() > due
        return None if over else settings_of(self.course, exercise).tells


def _is_told(attempt: Attempt) -> bool:
    return attempt.told is not None


def settings_of(course: Course, exercise: Exercise) -> AttemptSettings:
    """Return what holds for several attempts, by course.yaml or by default."""
    return course.attempts(exercise.name) or AttemptSettings()
