"""Grades what lies in submitted/: reports, autograded notebooks, the gradebook, a line on each."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from autograder.batch import pool as crew
from autograder.course.course import Course, CourseError
from autograder.course.exercise import Exercise
from autograder.course.source import SourceError
from autograder.gradebook import ConversionError, ExerciseGradebook, refusal
from autograder.grading.graded import Mark
from autograder.report.gradebook_submission import GradebookSubmission
from autograder.report.report import Report, Status
from autograder.submission.submission import Submission, find_submissions

OUR_FAILURE = 3


@dataclass(frozen=True, slots=True)
class Line:
    """What became of one submission, for those who run the course."""

    student: str
    exercise: str
    status: str  # a Status, or "refused" or "missing"
    score: float | None = None
    max_score: float | None = None
    seconds_late: float = 0.0
    message: str = ""
    ours: bool = False  # a failure of ours: somebody has to act
    graded: bool = True  # now, not before


@dataclass(frozen=True, slots=True)
class Summary:
    """What became of all submissions, in order of exercise and student."""

    lines: tuple[Line, ...]

    @property
    def failures(self) -> tuple[Line, ...]:
        """The submissions on which we failed."""
        return tuple(line for line in self.lines if line.ours)

    @property
    def exit_code(self) -> int:
        """0, or 3 where a submission has no score through our own failure."""
        return OUR_FAILURE if self.failures else 0


def grade_submissions(
    course: Course,
    exercises: Sequence[Exercise],
    students: Sequence[str] = (),
    *,
    jobs: int = 1,
    force: bool = False,
    unsafe: bool = False,
    marking: crew.Crew | None = None,
    tell: Callable[[Line], None] | None = None,
) -> Summary:
    """Grade the submissions of `exercises`, of all students or some.

    What is graded already, and has not changed since, is graded again only with `force`.
    `marking` grades elsewhere, such as on a cluster; `tell` hears of each submission as it is done.
    """
    lines: list[Line] = []
    with ExitStack() as stack:
        if marking is None and jobs == 1:
            marking = stack.enter_context(crew.Alone(unsafe=unsafe))
        elif marking is None:
            certain = force or any(_is_new(s) for e in exercises for s in submissions_of(course, e, students))
            marking = stack.enter_context(crew.Together(course, jobs, unsafe=unsafe, certain=certain))
        for exercise in exercises:
            for line in _Round(course, exercise, students, force=force, unsafe=unsafe).lines(marking):
                lines.append(line)
                if tell is not None:
                    tell(line)
    place = [exercise.name for exercise in exercises].index
    return Summary(tuple(sorted(lines, key=lambda line: (place(line.exercise), line.student))))


def submissions_of(course: Course, exercise: Exercise, students: Sequence[str]) -> list[Submission]:
    """Return the submissions of these students, each once, or all that there are."""
    asked = [Submission(course.root, student, exercise.name) for student in dict.fromkeys(students)]
    return asked or list(find_submissions(course, exercise))


def _is_new(submission: Submission) -> bool:
    return submission.notebook.is_file() and not submission.autograded.exists()


class _Round:
    """The submissions of one exercise."""

    def __init__(
        self, course: Course, exercise: Exercise, students: Sequence[str], *, force: bool, unsafe: bool
    ) -> None:
        self._course = course
        self._exercise = exercise
        self._force = force
        self._unsafe = unsafe
        self._submissions = submissions_of(course, exercise, students)

    def lines(self, marking: crew.Crew) -> Iterator[Line]:
        """Grade what needs it and yield a line on each submission."""
        with ExitStack() as stack:
            try:
                if self._submissions:
                    book = stack.enter_context(ExerciseGradebook(self._course, self._exercise))
            except (SourceError, CourseError) as error:
                yield from (_failed(submission, str(error)) for submission in self._submissions)
                return
            yield from self._graded(book, marking) if self._submissions else ()

    def _graded(self, book: ExerciseGradebook, marking: crew.Crew) -> Iterator[Line]:
        todo = []
        known = {} if self._force else book.handins()
        for submission in self._submissions:
            if line := self._beforehand(submission) or self._unchanged(book, submission, known):
                yield line
            else:
                todo.append(submission)
        for submission, mark in marking(self._course, todo) if todo else ():
            yield _recorded(book, submission, mark)

    def _beforehand(self, submission: Submission) -> Line | None:
        """Return the line on a submission that cannot be graded, or None."""
        if why := refusal(submission):
            return Line(submission.student, submission.exercise, "refused", message=why, ours=True)
        if not os.path.lexists(submission.notebook):
            why = f"no {submission.notebook.name} in {submission.folder.relative_to(self._course.root)}"
            return Line(submission.student, submission.exercise, "missing", message=why)
        return None

    def _unchanged(
        self, book: ExerciseGradebook, submission: Submission, known: Mapping[str, GradebookSubmission]
    ) -> Line | None:
        """Return the line on a submission that is graded already, by us and behind the walls, or None."""
        handin = known.get(submission.student)
        report = book.report(submission.student) if handin else None
        if handin is None or report is None or report.status is Status.GRADER_ERROR:
            return None
        if "unsafe" in report.sandbox and not self._unsafe:
            return None
        return _line(submission, report, handin.seconds_late, graded=False)


def _recorded(book: ExerciseGradebook, submission: Submission, mark: Mark) -> Line:
    try:
        late = book.record(submission.student, mark.graded)
    except ConversionError as error:
        return _failed(submission, str(error))
    return _line(submission, mark.graded.report, late, fault=mark.fault)


def _line(
    submission: Submission, report: Report, late: float, *, fault: str = "", graded: bool = True
) -> Line:
    return Line(
        submission.student,
        submission.exercise,
        report.status,
        report.score,
        report.max_score,
        late,
        fault or report.message,
        ours=report.status is Status.GRADER_ERROR,
        graded=graded,
    )


def _failed(submission: Submission, why: str) -> Line:
    return Line(submission.student, submission.exercise, Status.GRADER_ERROR, message=why, ours=True)
