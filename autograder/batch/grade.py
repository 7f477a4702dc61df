"""Grades the submissions of a class, stores their scores in the gradebook, and returns a line on each.

Explanations are added after all submissions have scores (explain.py).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from autograder.batch.pool import Executor, Task
from autograder.batch.suite_check import suite_problem
from autograder.collecting.attempts import Attempt
from autograder.course.course import Course, CourseError
from autograder.course.exercise import Exercise
from autograder.course.guard import SubmissionError, skipping
from autograder.course.names import closest
from autograder.course.source import SourceError
from autograder.errors import OUR_FAILURE, UsageError
from autograder.gradebook.attempts import refusal
from autograder.gradebook.book import Eligible, ExerciseGradebook
from autograder.gradebook.ledger import SubmissionLine
from autograder.grading.graded import describe_failure
from autograder.records.audit import NEW
from autograder.report.report import Status
from autograder.submission.notebook import read_notebook
from autograder.submission.students import Students, listed_students
from autograder.submission.submission import Submission, find_submissions, students_in


@dataclass(frozen=True, slots=True)
class Summary:
    """The results of grading: a line on each submission, in order of exercise and student."""

    lines: tuple[SubmissionLine, ...]
    stopped: tuple[str, ...] = ()  # a line on each exercise that could not be graded

    @property
    def failures(self) -> tuple[SubmissionLine, ...]:
        """The lines on submissions whose grading failed, or whose folder was refused as invalid."""
        return tuple(line for line in self.lines if line.ours)

    @property
    def waiting(self) -> tuple[SubmissionLine, ...]:
        """The lines in `failures`, and those on submissions that an instructor has to check."""
        return tuple(line for line in self.lines if line.ours or line.waiting)

    @property
    def changes(self) -> tuple[SubmissionLine, ...]:
        """The lines on submissions that were graded before and whose scores have changed."""
        return tuple(line for line in self.lines if line.why not in ("", NEW))

    def marked(self, exercise: Exercise) -> set[str]:
        """Return the students who have a line on this exercise that is not in `failures`."""
        return {line.student for line in self.lines if line.exercise == exercise.name and not line.ours}

    @property
    def exit_code(self) -> int:
        """The exit code of the command: 0, or 3 after any failure."""
        return OUR_FAILURE if self.failures or self.stopped else 0


def grade_submissions(
    course: Course,
    exercises: Sequence[Exercise],
    students: Sequence[str] = (),
    *,
    executor: Executor,
    force: bool = False,
    unsafe: bool = False,
    eligible: Eligible = lambda _: True,
    notify: Callable[[SubmissionLine], None] = lambda _: None,
) -> Summary:
    """Grade the submissions of `students`, or of all students if `students` is empty, without explanations.

    An attempt with an up-to-date report is graded again only with `force`. Attempts for which `eligible` is
    false are left out if the newest eligible attempt can count. If an exercise's solution fails the hidden
    tests, the submissions for this exercise are not graded. `notify` gets the line on each submission as soon
    as the submission is graded.
    """
    lines, stopped = list[SubmissionLine](), list[str]()

    def keep(line: SubmissionLine) -> None:
        lines.append(line)
        notify(line)

    for exercise in exercises:
        if not (submissions := submissions_of(course, exercise, students)):
            continue
        if problem := suite_problem(course, exercise, executor):
            stopped.append(f"{exercise.name} was not graded: {problem}")
            continue
        try:
            gradebook = ExerciseGradebook(course, exercise, eligible, unsafe=unsafe)
        except (SourceError, CourseError) as error:
            stopped.append(f"{exercise.name} was not graded: {error}")
            continue
        with gradebook:
            _ExerciseRound(course, gradebook, keep, force).grade(submissions, executor)
    position = [exercise.name for exercise in exercises].index
    lines.sort(key=lambda line: (position(line.exercise), line.student))
    return Summary(tuple(lines), tuple(stopped))


@dataclass(frozen=True, slots=True)
class _ExerciseRound:
    """Grades submissions for one exercise and stores their scores. `keep` gets a line on each submission."""

    course: Course
    gradebook: ExerciseGradebook
    keep: Callable[[SubmissionLine], None]
    force: bool
    # The ungraded attempts of each submission, by the digest of the notebook.
    _waiting: dict[Submission, dict[str, Attempt]] = field(default_factory=dict)

    def grade(self, submissions: Sequence[Submission], executor: Executor) -> None:
        """Grade each attempt that has no up-to-date report, then store the score of its submission."""
        failures = self.gradebook.ledger.failures
        for student in sorted(failures.keys() - {submission.student for submission in submissions}):
            submission = Submission(self.course.root, student, self.gradebook.exercise.name)
            self.keep(_failed(submission, failures[student].problem))
        for submission, notebook, graded in executor.map(self._tasks(submissions), marks_only=True):
            with self._guard(submission):
                title = f"{submission.exercise} {submission.student}"
                problem = describe_failure(self.course, title, graded)
                if (waiting := self._waiting.get(submission)) is not None:
                    self.gradebook.take_in(submission, waiting.pop(notebook.digest), notebook, graded)
                    if not waiting:
                        self.keep(self.gradebook.finish(submission, problem, graded=True))

    def _tasks(self, submissions: Sequence[Submission]) -> Iterator[Task]:
        """Yield a task for each attempt that must be graded.

        If all reports on a submission are up to date, the submission's score is stored here.
        """
        for submission in submissions:
            attempts = list[Attempt]()
            with self._guard(submission):
                attempts += self._begin(submission)
                self._waiting[submission] = {attempt.digest: attempt for attempt in attempts}
            for attempt in attempts:
                yield Task(submission, read_notebook(attempt.notebook))

    def _begin(self, submission: Submission) -> Sequence[Attempt]:
        if (failure := self.gradebook.ledger.failures.get(submission.student)) is not None:
            raise failure
        if why := refusal(submission):
            self.keep(_failed(submission, why, "refused"))
            return ()
        if (attempts := self.gradebook.begin(submission, force=self.force)) is None:
            why = f"no {submission.notebook.name} in {submission.folder.relative_to(self.course.root)}"
            self.keep(SubmissionLine(submission.student, submission.exercise, "missing", message=why))
            return ()
        if not attempts:
            self.keep(self.gradebook.finish(submission))
        return attempts

    def _guard(self, submission: Submission) -> AbstractContextManager[None]:
        """If the `with` block fails, report this in the submission's line.

        Then the results of the submission's other attempts are ignored.
        """

        def fail(error: SubmissionError) -> None:
            self._waiting.pop(submission, None)
            self.keep(_failed(submission, error.problem))

        return skipping(self.course, submission.exercise, submission.student, fail)


def _failed(submission: Submission, why: str, status: str = Status.GRADER_ERROR) -> SubmissionLine:
    return SubmissionLine(submission.student, submission.exercise, status, message=why, ours=True)


def submissions_of(course: Course, exercise: Exercise, students: Sequence[str] = ()) -> list[Submission]:
    """Return the submissions of these students, or of all students if `students` is empty."""
    chosen = [Submission(course.root, student, exercise.name) for student in dict.fromkeys(students)]
    return chosen or list(find_submissions(course, exercise))


def refuse_strangers(course: Course, students: Sequence[str]) -> None:
    """Raise UsageError if one of these ids is neither in the list of students nor in submitted/."""
    listed = listed_students(course.root) or Students(())
    ids = {student.id for student in listed.all} | students_in(course)
    for name in students:
        if name not in ids:
            namesakes = [student.id for student in listed.called(name)]
            hint = " or ".join(f'"{id_}"' for id_ in namesakes or filter(None, [closest(name, ids)]))
            raise UsageError(f'nobody has the id "{name}"' + (f"; did you mean {hint}?" if hint else ""))


def is_work_certain(submissions: Iterable[Submission], *, force: bool = False) -> bool:
    """Whether at least one submission certainly has to be graded: it is new, or `force` is true."""
    present = (submission for submission in submissions if submission.notebook.is_file())
    return any(force or not submission.autograded.exists() for submission in present)
