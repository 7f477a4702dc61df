"""Writes the gradebook as CSV tables: by question, by exercise, for Canvas and for Moodle."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from autograder.collecting.plain_folder import arrival_of
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.gradebook.pages import read_gradebook, read_people
from autograder.publishing import canvas, moodle
from autograder.publishing.csv_table import Row, write_table
from autograder.publishing.exported import Exports
from autograder.report.gradebook_submission import GradebookEntry, GradebookSubmission
from autograder.submission.students import listed_students
from autograder.submission.submission import Submission, find_submissions

_QUESTIONS = ("student", "exercise", "question", "score", "max_score", "status")
_EXERCISES = ("student", "exercise", "score", "max_score", "penalty", "status")
_LATE = "late, time unknown"
# The gravest first:
_STATUSES = ("grader error", "not graded yet", "to be reviewed", "to be graded by hand", _LATE)
_GRADED, _MISSING = "graded", "nothing handed in"


def write_tables(course: Course, exercises: Sequence[Exercise], *, changed: bool = False) -> tuple[Path, ...]:
    """Write questions, exercises, canvas and moodle.csv to build/exports/ and return their paths.

    Platforms take a column for a new assignment, and an empty cell for a grade to be deleted. So their files
    hold only exercises and students that have scores; `exercises.csv` names everybody. With `changed` they
    hold only those exercises and students of whom a score is another one than in the last export; what else
    such a student has in such an exercise is repeated, since a cell may not be empty.
    """
    people = read_people(course)
    graded = {  # without those who have left the class
        exercise: [one for one in read_gradebook(course, exercise) if not people or one.student in people]
        for exercise in exercises
    }
    scores = {exercise.name: scores_of(submissions) for exercise, submissions in graded.items()}
    points = {exercise.name: points_of(exercise) for exercise in exercises if scores[exercise.name]}
    chosen = set(chain.from_iterable(scores.values()))
    exports = Exports(course, "tables")
    if changed:
        new = {exercise: exports.changed(exercise, scores[exercise]) for exercise in points}
        points = {exercise: most for exercise, most in points.items() if new[exercise]}
        chosen = set(chain.from_iterable(new.values()))
    ordered = {
        student: {exercise: scores[exercise].get(student) for exercise in points}
        for student in sorted(chosen)
    }
    names = {student: people[student].name if student in people else student for student in ordered}
    folder = course.build / "exports"
    works = [(exercise.name, submission) for exercise, found in graded.items() for submission in found]
    questions = (row for exercise, submission in works for row in _by_question(exercise, submission))
    rows = (row for one, found in graded.items() for row in _by_exercise(course, one, found, people))
    for_canvas = canvas.rows(points, ordered, names, canvas_ids(course))
    written = (
        write_table(folder / "questions.csv", _QUESTIONS, questions),
        write_table(folder / "exercises.csv", _EXERCISES, rows),
        write_table(folder / "canvas.csv", (*canvas.STUDENT_COLUMNS, *points), for_canvas),
        write_table(folder / "moodle.csv", (*moodle.STUDENT_COLUMNS, *points), moodle.rows(points, ordered)),
    )
    for exercise, given in scores.items():
        exports.note(exercise, given)
    return written


def late_untimed(course: Course, exercises: Sequence[Exercise]) -> Iterator[str]:
    """Yield a line on each exercise with work that the platform calls late and that has no time."""
    for exercise in exercises:
        found = find_submissions(course, exercise)
        late = [one.student for one in found if arrival_of(one).is_late_untimed]
        if late:
            names = ", ".join(late[:5]) + (", ..." if len(late) > 5 else "")
            fix = "they lose no points until you collect again with --times"
            yield f"{exercise.name}: {len(late)} late, time unknown ({names}); {fix}"


def points_of(exercise: Exercise) -> float:
    """Return the points of an exercise, with those of its written answers."""
    return sum(exercise.points.values()) + sum(exercise.written.values())


def scores_of(submissions: Iterable[GradebookSubmission]) -> dict[str, float]:
    """Return the scores by student, of those who have one."""
    found = {submission.student: submission.score for submission in submissions}
    return {student: score for student, score in found.items() if score is not None}


def canvas_ids(course: Course) -> dict[str, str]:
    """Return what students.csv says in its column canvas, by student."""
    listed = listed_students(course.root)
    students = listed.all if listed else ()
    return {student.id: student.platforms["canvas"] for student in students if "canvas" in student.platforms}


def _by_question(exercise: str, submission: GradebookSubmission) -> Iterator[Row]:
    for entry in submission.entries:
        yield submission.student, exercise, entry.question, entry.score, entry.max_score, _status(entry)


def _by_exercise(
    course: Course, exercise: Exercise, submissions: Sequence[GradebookSubmission], people: Collection[str]
) -> Iterator[Row]:
    """Yield a row for each student: of the class, and of those who handed in."""
    found = {submission.student: submission for submission in submissions}
    for student in sorted({*found, *people}):
        if submission := found.get(student):
            statuses = {_status(entry) for entry in submission.entries}
            if arrival_of(Submission(course.root, student, exercise.name)).is_late_untimed:
                statuses.add(_LATE)
            unfinished = "; ".join(status for status in _STATUSES if status in statuses)
            scores = submission.score, submission.max_score, submission.penalty
            yield student, exercise.name, *scores, unfinished or _GRADED
        else:
            yield student, exercise.name, None, points_of(exercise), None, _MISSING


def _status(entry: GradebookEntry) -> str:
    """Return whether a score is final, and if not, what it waits for."""
    if entry.score is not None:
        return "to be reviewed" if entry.needs_person else _GRADED
    if entry.written:
        return "to be graded by hand"
    return "grader error" if entry.comment else "not graded yet"
