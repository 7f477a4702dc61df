"""Chooses the attempt of a student that counts, by the rule in course.yaml.

Under all rules, some attempts cannot replace an earlier attempt: those whose file cannot be read, those that
answer no question of the exercise, and those that came so late that they score 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from functools import cached_property

from nbgrader.api import SubmittedAssignment

from autograder.collecting.attempts import Attempt, Placing
from autograder.collecting.collect import REFUSED, CollectedLine
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.notebook import build_notebook
from autograder.course.settings import Counts
from autograder.gradebook.attempts import known_time
from autograder.gradebook.lateness import Lateness
from autograder.report.report import Report, describe_unreadable
from autograder.report.text import one_line
from autograder.submission.matching import answers_anything
from autograder.submission.notebook import UnreadableError, read_notebook

_LONGEST = 300  # the maximum length of a reason, in characters
KEPT = "kept"  # the status of a collected notebook that is stored but does not count
NO_ANSWER = "answers no question of this exercise."
TOO_LATE = "came so late that it scores 0"


def with_late_note(course: Course, line: CollectedLine) -> CollectedLine:
    """Return the line with a note if the notebook came so late that it scores 0.

    The student's extension and the grace period of the late policy are taken into account.
    """
    exercise = course.exercises.get(line.exercise)
    if exercise is None or line.when is None or line.status == REFUSED:
        return line
    points = sum(exercise.points.values()) + sum(exercise.written.values())
    when = line.when.astimezone(UTC).replace(tzinfo=None)
    lateness = Lateness(course, exercise)
    line = replace(line, is_late=not lateness.in_time(line.student, None, when))
    if not lateness.takes_all(line.student, points, None, when):
        return line
    status = KEPT if line.status == Placing.REPLACED else line.status
    message = ", ".join(filter(None, (line.message, f"{TOO_LATE}, so it replaces no earlier attempt")))
    return replace(line, status=status, message=message, needs_look=True)


class AttemptSelection:
    """Chooses which attempt at an exercise counts. `rows` has nbgrader's submission rows, by student."""

    def __init__(
        self, exercise: Exercise, lateness: Lateness, rows: Mapping[str, SubmittedAssignment]
    ) -> None:
        settings = exercise.settings.attempts
        self.rule = settings.counts if settings is not None else None
        self._exercise, self._lateness, self._rows = exercise, lateness, rows
        self._problems: dict[str, str] = {}  # why a file cannot count, by the file's digest

    def candidates(self, student: str, attempts: Sequence[Attempt]) -> list[Attempt]:
        """Return the attempts that must be graded before `choose` can choose, the preferred attempt first.

        `attempts` has all attempts that may count, the newest last. If course.yaml has no rule for attempts,
        attempts newer than the notebook in submitted/ do not count, because an instructor may have put an
        older notebook there.
        """
        newest_first = list(reversed(attempts))
        if len(attempts) == 1 or self.rule is Counts.BEST:
            return newest_first
        if self.rule is Counts.BEFORE_DUE:
            # Late attempts come last. Among late attempts, and among all others, the newest is first.
            newest_first.sort(key=lambda attempt: not self._in_time(student, attempt))
        elif self.rule is None:  # leave out attempts newer than the notebook in submitted/
            submitted = (index for index, attempt in enumerate(newest_first) if attempt.is_submitted)
            newest_first = newest_first[next(submitted, 0) :]
        needed = list[Attempt]()
        for attempt in newest_first:
            if self._scores(student, attempt, self._points) and not self._problem(attempt):
                needed.append(attempt)
                if self._in_time(student, attempt):
                    break
        usable = [attempt for attempt in newest_first if not self._problem(attempt)]
        return needed or usable[:1] or newest_first[:1]

    def choose(self, student: str, candidates: Sequence[Attempt], reports: Mapping[str, Report]) -> Attempt:
        """Return the candidate that counts. `reports` has the up-to-date reports, by the attempt's digest.

        With Counts.BEST, the candidate with the most points after the penalty counts. If several candidates
        have the most points, the newest of them that answers a question counts. Under other rules, candidates
        that lose all points to the penalty are passed over, and the first other candidate counts. If there is
        no other candidate, the first candidate counts.
        """
        if self.rule is Counts.BEST:
            worths = [self._worth(student, each, reports.get(each.digest)) for each in candidates]
            best = [each for each, worth in zip(candidates, worths, strict=True) if worth == max(worths)]
            return next((each for each in best if len(best) > 1 and not self._problem(each)), best[0])
        for attempt in candidates:
            if self._scores(student, attempt, self._reachable(reports.get(attempt.digest))):
                return attempt
        return candidates[0]

    def is_certain(
        self, student: str, candidates: Sequence[Attempt], attempt: Attempt, report: Report
    ) -> bool:
        """Whether an attempt with this report will count, regardless of the other candidates' reports."""
        if len(candidates) == 1:
            return True
        is_preferred = self.rule is not Counts.BEST and attempt.digest == candidates[0].digest
        return is_preferred and self._scores(student, attempt, self._reachable(report))

    def why_passed_over(self, student: str, attempt: Attempt) -> str:
        """Return why an attempt cannot replace an earlier one, such as NO_ANSWER, or "" if it can."""
        if problem := self._problem(attempt):
            return problem
        return "" if self._scores(student, attempt, self._points) else f"{TOO_LATE}."

    def _in_time(self, student: str, attempt: Attempt) -> bool:
        return self._lateness.in_time(student, self._rows.get(student), known_time(attempt.time))

    def _scores(self, student: str, attempt: Attempt, worth: float) -> bool:
        row = self._rows.get(student)
        return not self._lateness.takes_all(student, worth, row, known_time(attempt.time))

    def _worth(self, student: str, attempt: Attempt, report: Report | None) -> float:
        """Return the points from tests minus the penalty, or -1 if there is no score."""
        if report is None or report.score is None:
            return -1.0
        row, submitted_at = self._rows.get(student), known_time(attempt.time)
        return round(report.score - self._lateness.penalty(student, report.score, row, submitted_at), 4)

    def _reachable(self, report: Report | None) -> float:
        """Return the highest score that an attempt can reach when its written answers are graded."""
        if report is None or report.score is None:
            return self._points
        return report.score + sum(self._exercise.written.values())

    @cached_property
    def _points(self) -> float:
        return sum(self._exercise.points.values()) + sum(self._exercise.written.values())

    @cached_property
    def _released_texts(self) -> frozenset[str]:
        return frozenset(
            ("", *("".join(cell["source"]).strip() for cell in build_notebook(self._exercise)["cells"]))
        )

    def _problem(self, attempt: Attempt) -> str:
        """Return the reason why the content of an attempt's file cannot count, or ""."""
        if attempt.digest not in self._problems:
            self._problems[attempt.digest] = self._read_problem(attempt)
        return self._problems[attempt.digest]

    def _read_problem(self, attempt: Attempt) -> str:
        try:
            cells = read_notebook(attempt.notebook).cells
        except UnreadableError as error:
            return describe_unreadable(one_line(str(error), _LONGEST))
        is_answered = answers_anything(self._exercise.cells, cells, self._released_texts)
        return "" if is_answered else NO_ANSWER
