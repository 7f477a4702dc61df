"""Grades submissions one after another, whatever happens to the worker or to us."""

import traceback
from contextlib import nullcontext, suppress
from dataclasses import replace

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.limits import Tier
from autograder.course.secret import course_secret
from autograder.errors import AutograderError
from autograder.grading.graded import Graded, failure_report
from autograder.grading.grader import Grader
from autograder.report.report import Status, Verdict
from autograder.sandbox.errors import WallError, ZygoteError
from autograder.sandbox.launch import prelaunched
from autograder.sandbox.process import StarvedError, WorkerError
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import Notebook
from autograder.testing.suite import Suite

_BUSY = "The machine was too busy to grade this submission. It has no score yet, and is graded again."
_PROBLEM_BUSY = "the machine was too busy: this submission could not use the time that it has; grade it again"
_MAX_PROBLEM, _MAX_TRACEBACK = 2000, 20_000  # characters: an error may quote what a submission sent


class RestartingGrader:
    """Grades submissions of a course with one zygote; use it in a `with` block.

    A zygote that dies is replaced, and the submission at which it died is graded once more. What fails on
    our side becomes a report as well, and the next submission is graded as if nothing had happened.
    """

    def __init__(self, course: Course, *, unsafe: bool = False) -> None:
        self._course = course
        self._unsafe = unsafe
        self._zygote: Zygote | None = None
        self._graders: dict[str, Grader] = {}

    def grade(self, exercise: Exercise, notebook: Notebook) -> Graded:
        """Grade `notebook` as a submission of `exercise`; only missing walls raise, as a WallError."""
        graded = self._grade(exercise, notebook)
        if graded.report.status is Status.GRADER_ERROR and not self._alive():
            self.close()
            graded = self._grade(exercise, notebook)
        return graded

    def close(self) -> None:
        """End the zygote; the next submission starts another."""
        self._graders.clear()
        if self._zygote is not None:
            self._zygote.close()
            self._zygote = None

    def __enter__(self) -> "RestartingGrader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _grade(self, exercise: Exercise, notebook: Notebook) -> Graded:
        try:
            graded = self._grader(exercise).grade(notebook)
        except WallError:
            raise
        except StarvedError:
            walls = self._zygote.reported_walls if self._zygote else ()
            return Graded(failure_report(exercise, walls, _BUSY), {}, _PROBLEM_BUSY, was_busy=True)
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"[:_MAX_PROBLEM]
            # A message that tells people what to do needs no traceback beside it.
            details = "" if isinstance(error, AutograderError) else traceback.format_exc()[-_MAX_TRACEBACK:]
            walls = self._zygote.reported_walls if self._zygote else ()
            return Graded(failure_report(exercise, walls), {}, problem, details)
        failed = [q.name for q in graded.report.questions if q.verdict is Verdict.GRADER_ERROR]
        problem = f"grader error in {', '.join(failed)}; see the report" if failed else ""
        return replace(graded, problem=problem)

    def _grader(self, exercise: Exercise) -> Grader:
        if exercise.name in self._graders:
            return self._graders[exercise.name]
        with prelaunched() if self._zygote is None else nullcontext():
            try:
                suite = Suite(exercise)  # while the zygote's process imports torch
            finally:  # reports of our own failures name the walls, too
                zygote = self._zygote = self._zygote or self._started()
        secret = course_secret(self._course)
        grader = Grader.of_course(self._course, exercise, zygote, secret, suite)
        return self._graders.setdefault(exercise.name, grader)

    def _started(self) -> Zygote:
        return Zygote(Tier(self._course.settings.walls), unsafe=self._unsafe)

    def _alive(self) -> bool:
        """Whether the zygote still forks."""
        with suppress(ZygoteError, WorkerError, OSError):
            if self._zygote is not None:
                self._zygote.fork(self._course.limits(next(iter(self._course.exercises)))).close()
                return True
        return False
