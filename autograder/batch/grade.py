"""Grades the notebooks in submitted/ into the gradebook, and reports each with a line."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field

from autograder.batch.pool import Executor, ProcessPool, Task
from autograder.course.course import Course, CourseError
from autograder.course.exercise import Exercise
from autograder.course.guard import SubmissionError, one_submission, skipping
from autograder.course.names import closest
from autograder.course.source import SourceError
from autograder.errors import OUR_FAILURE, UsageError
from autograder.gradebook.attempts import is_final, refusal, store_report
from autograder.gradebook.book import Counting, Eligible, ExerciseGradebook, copied_state
from autograder.gradebook.ledger import NEW, Ledger, ScoreChange, grading_lock
from autograder.grading.graded import describe_failure
from autograder.report.report import Report, Status
from autograder.submission.notebook import read_notebook
from autograder.submission.students import Students, listed_students
from autograder.submission.submission import Submission, find_submissions, students_in


@dataclass(frozen=True, slots=True)
class SubmissionLine:
    """What became of one submission, for those who run the course."""

    student: str
    exercise: str
    status: str  # a Status, or "refused" or "missing"
    score: float | None = None
    max_score: float | None = None
    seconds_late: float = 0.0
    message: str = ""
    ours: bool = False  # the submission has no score, and somebody who runs the course has to act
    graded: bool = True  # by this run, not by one before
    waiting: tuple[str, ...] = ()  # the questions at which an instructor has to look
    open_points: float = 0.0  # of questions that a grader has yet to score
    change: ScoreChange | None = None  # against what the gradebook had before


@dataclass(frozen=True, slots=True)
class Summary:
    """What became of all submissions, in order of exercise and student."""

    lines: tuple[SubmissionLine, ...]

    @property
    def failures(self) -> tuple[SubmissionLine, ...]:
        """The submissions that have no score because of us or of their folder."""
        return tuple(line for line in self.lines if line.ours)

    @property
    def waiting(self) -> tuple[SubmissionLine, ...]:
        """The submissions that a person has to help, because of a failure or for some of their questions."""
        return tuple(line for line in self.lines if line.ours or line.waiting)

    @property
    def changes(self) -> tuple[ScoreChange, ...]:
        """What has changed, or would, about submissions that were graded before."""
        changes = (line.change for line in self.lines)
        return tuple(change for change in changes if change is not None and change.why != NEW)

    @property
    def exit_code(self) -> int:
        """0, or 3 if there is any failure."""
        return OUR_FAILURE if self.failures else 0


def grade_submissions(
    course: Course,
    exercises: Sequence[Exercise],
    students: Sequence[str] = (),
    *,
    jobs: int = 1,
    force: bool = False,
    unsafe: bool = False,
    dry_run: bool = False,
    executor: Executor | None = None,
    eligible: Eligible = lambda _: True,
    notify: Callable[[SubmissionLine], None] = lambda _: None,
) -> Summary:
    """Grade the submissions of `exercises`, of all students or some.

    What is graded already, and has not changed since, is graded again only with `force`. An `executor` grades
    in place of `jobs` processes; `notify` gets each line as soon as it is known. A `dry_run` grades in a copy
    of the course's state, and so changes nothing. Only `eligible` attempts may count.
    """
    lines: list[SubmissionLine] = []

    def keep(line: SubmissionLine) -> None:
        lines.append(line)
        notify(line)

    with ExitStack() as stack:
        if executor is None:
            executor = stack.enter_context(ProcessPool(course, jobs, unsafe=unsafe))
        if dry_run:
            course = stack.enter_context(copied_state(course))
        for exercise in exercises:
            if submissions := submissions_of(course, exercise, students):
                one = _ExerciseRound(course, exercise, keep, force, unsafe, eligible)
                one.grade(submissions, executor)
    place = [exercise.name for exercise in exercises].index
    return Summary(tuple(sorted(lines, key=lambda line: (place(line.exercise), line.student))))


@dataclass(frozen=True, slots=True)
class _ExerciseRound:
    """Grades submissions of one exercise into the gradebook; `keep` gets the line on each."""

    course: Course
    exercise: Exercise
    keep: Callable[[SubmissionLine], None]
    force: bool
    unsafe: bool
    eligible: Eligible
    _unsettled: dict[str, SubmissionError] = field(default_factory=dict)  # by student

    def grade(self, submissions: Sequence[Submission], executor: Executor) -> None:
        """Grade those that need it and take them into the gradebook."""
        with ExitStack() as stack:
            stack.enter_context(grading_lock(self.course))
            try:
                gradebook = stack.enter_context(ExerciseGradebook(self.course, self.exercise))
            except (SourceError, CourseError) as error:
                for submission in submissions:
                    self.keep(_failed(submission, str(error)))
                return
            self._choose(submissions, gradebook, executor)
            self._note_failures(submissions, gradebook.ledger)
            for submission, notebook, graded in executor.map(self._tasks(submissions, gradebook)):
                try:
                    with self._guard(submission):
                        whose = f"{submission.exercise} {submission.student}"
                        problem = describe_failure(self.course, whose, graded)
                        gradebook.take_in(submission, notebook, graded)
                        line = _line(submission, graded.report, gradebook.ledger, problem=problem)
                except SubmissionError as error:
                    line = _failed(submission, error.problem)
                self.keep(line)

    def _choose(
        self, submissions: Sequence[Submission], gradebook: ExerciseGradebook, executor: Executor
    ) -> None:
        """Put the attempts that count into submitted/; where the best counts, all are graded for it."""
        counting = Counting(self.exercise, gradebook, self.eligible, unsafe=self.unsafe)
        for submission, notebook, graded in executor.map(self._ungraded(submissions, counting)):
            with self._noting(submission):
                whose = f"an attempt at {submission.exercise} {submission.student}"
                describe_failure(self.course, whose, graded)
                store_report(submission, notebook, gradebook.rules, graded.report)
        for submission in submissions:
            with self._noting(submission):
                counting.settle(submission)

    def _ungraded(self, submissions: Sequence[Submission], counting: Counting) -> Iterator[Task]:
        for submission in submissions:
            tasks: list[Task] = []
            with self._noting(submission):
                tasks += counting.ungraded([submission])
            yield from tasks

    def _note_failures(self, submissions: Sequence[Submission], ledger: Ledger) -> None:
        """Keep submissions whose row failed from being graded, and keep the lines of those not chosen."""
        self._unsettled.update(ledger.failures)
        for student in sorted(ledger.failures.keys() - {one.student for one in submissions}):
            submission = Submission(self.course.root, student, self.exercise.name)
            self.keep(_failed(submission, ledger.failures[student].problem))

    def _noting(self, submission: Submission) -> AbstractContextManager[None]:
        """Keep the failure to find the attempt that counts; `_task` yields its line."""
        student = submission.student
        return skipping(
            self.course, submission.exercise, student, lambda error: self._unsettled.update({student: error})
        )

    def _guard(self, submission: Submission) -> AbstractContextManager[None]:
        return one_submission(self.course, submission.exercise, submission.student)

    def _tasks(self, submissions: Sequence[Submission], gradebook: ExerciseGradebook) -> Iterator[Task]:
        """Yield what needs to be graded, each notebook read just before, and keep a line on all others."""
        known = set() if self.force else set(gradebook.ledger.known)
        for submission in submissions:
            task = None
            try:
                with self._guard(submission):
                    task = self._task(submission, gradebook, is_known=submission.student in known)
            except SubmissionError as error:
                self.keep(_failed(submission, error.problem))
            if task is not None:
                yield task

    def _task(self, submission: Submission, gradebook: ExerciseGradebook, *, is_known: bool) -> Task | None:
        """Return what needs to be graded, or keep a line on a submission that does not, and return None."""
        if (unsettled := self._unsettled.get(submission.student)) is not None:
            raise unsettled
        if why := refusal(submission):
            self.keep(_failed(submission, why, "refused"))
            return None
        if not os.path.lexists(submission.notebook):
            why = f"no {submission.notebook.name} in {submission.folder.relative_to(self.course.root)}"
            self.keep(SubmissionLine(submission.student, submission.exercise, "missing", message=why))
            return None
        notebook = read_notebook(submission.notebook)
        report = gradebook.report(submission, notebook) if is_known else None
        if report is None or not is_final(report, unsafe=self.unsafe):
            return submission, notebook
        gradebook.ledger.arrived(submission)
        self.keep(_line(submission, report, gradebook.ledger, graded=False))
        return None


def _line(
    submission: Submission, report: Report, ledger: Ledger, *, problem: str = "", graded: bool = True
) -> SubmissionLine:
    known = ledger.known[submission.student]
    return SubmissionLine(
        submission.student,
        submission.exercise,
        report.status,
        report.score,
        report.max_score,
        known.seconds_late,
        problem or report.message,
        ours=report.status is Status.GRADER_ERROR,
        graded=graded,
        waiting=tuple(entry.question for entry in known.entries if entry.needs_person),
        open_points=known.open_points,
        change=ledger.change(submission.student),
    )


def _failed(submission: Submission, why: str, status: str = Status.GRADER_ERROR) -> SubmissionLine:
    return SubmissionLine(submission.student, submission.exercise, status, message=why, ours=True)


def submissions_of(course: Course, exercise: Exercise, students: Sequence[str] = ()) -> list[Submission]:
    """Return the submissions of these students, each once, or of all students if none is named."""
    asked = [Submission(course.root, student, exercise.name) for student in dict.fromkeys(students)]
    return asked or list(find_submissions(course, exercise))


def refuse_strangers(course: Course, students: Sequence[str]) -> None:
    """Raise UsageError on one of these ids that neither the list of students nor submitted/ has."""
    listed = listed_students(course.root) or Students(())
    known = {student.id for student in listed.all} | students_in(course)
    for name in students:
        if name not in known:
            found = listed.called(name)
            meant = [student.id for student in found] or filter(None, [closest(name, known)])
            hint = " or ".join(f'"{id_}"' for id_ in meant)
            raise UsageError(f'nobody has the id "{name}"' + (f"; did you mean {hint}?" if hint else ""))


def is_work_certain(submissions: Iterable[Submission], *, force: bool = False) -> bool:
    """Whether one of them was never graded, or all are to be graded again; others may have changed."""
    present = (one for one in submissions if one.notebook.is_file())
    return any(force or not one.autograded.exists() for one in present)
