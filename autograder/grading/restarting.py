"""Grades submissions one after another, whatever happens to the worker or to us."""

import traceback
from contextlib import nullcontext
from dataclasses import replace

from autograder.course.course import Course, course_secret
from autograder.course.exercise import Exercise
from autograder.course.settings import Tier
from autograder.errors import AutograderError
from autograder.grading.graded import Graded, failure_report
from autograder.grading.grader import Grader
from autograder.report.report import Verdict
from autograder.sandbox.errors import StarvedError, WallError, ZygoteError
from autograder.sandbox.launch import prelaunched
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import Notebook
from autograder.testing.suite import Suite

_BUSY = "The machine was too busy to grade this submission."
_MAX_PROBLEM, _MAX_TRACEBACK = 2000, 20_000  # characters: an error may quote what a submission sent


class RestartingGrader:
    """Grades submissions of a course with one zygote; use it in a `with` block.

    What fails on our side becomes a report as well, and the next submission is graded as if nothing had
    happened. Where the sandbox failed, this one is worth another attempt, with a new zygote.
    """

    def __init__(self, course: Course, *, unsafe: bool = False) -> None:
        self._course = course
        self._unsafe = unsafe
        self._zygote: Zygote | None = None
        self._graders: dict[str, Grader] = {}

    def grade(self, exercise: Exercise, notebook: Notebook) -> Graded:
        """Grade `notebook` as a submission of `exercise`; only missing walls raise, as a WallError."""
        try:
            grader = self._grader(exercise)
            grader.marks_only = self._course.marks_only
            graded = grader.grade(notebook)
        except WallError:
            raise
        except ZygoteError as error:
            why = _BUSY if isinstance(error, StarvedError) else ""
            report = failure_report(exercise, self._walls, why)
            if not why:
                self.close()
            return Graded(report, {}, str(error), again=True)
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"[:_MAX_PROBLEM]
            # A message that tells people what to do needs no traceback beside it.
            details = "" if isinstance(error, AutograderError) else traceback.format_exc()[-_MAX_TRACEBACK:]
            return Graded(failure_report(exercise, self._walls), {}, problem, details)
        errors = [q.name for q in graded.report.questions if q.verdict is Verdict.GRADER_ERROR]
        problem = f"grader error in {', '.join(errors)}; see the report" if errors else ""
        return replace(graded, problem=problem)

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

    @property
    def _walls(self) -> tuple[str, ...]:
        return self._zygote.reported_walls if self._zygote else ()

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
