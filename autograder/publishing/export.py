"""Writes grades as CSV tables that spreadsheets open safely; remembers what went where.

How Canvas reads canvas.csv (instructure/canvas-lms, lib/gradebook_importer.rb): the first five columns are
fixed, and the others are assignments by title. The row "Points Possible" gives their points. ID is Canvas's
own number for a user; of any other text there it reads the leading digits as one, so we write only numbers.
An empty cell deletes a grade, and who is not in the file keeps theirs.

How Moodle reads moodle.csv (moodle/moodle, grade/import/csv): on import you map `username` to the user's
name, id number or address. An unknown one stops the whole import. "-" takes away a grade, and who is not in
the file keeps theirs. A new grade item is out of 100, so first create items with the points in
`exercises.csv`.
"""

import csv
import io
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from typing import Any

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.guard import OnFailure, SubmissionError, raise_failure, skipping
from autograder.files import Member, write_whole, write_zip
from autograder.gradebook.pages import read_gradebook, read_people
from autograder.publishing.graded_work import GradedWork, read_graded_work
from autograder.records.database import reading, writing
from autograder.records.tables import EXPORTS
from autograder.report.report import Entry, GradebookSubmission
from autograder.submission.students import listed_students

Row = tuple[str | float | None, ...]
Scores = Mapping[str, Mapping[str, float | None]]  # by student and exercise
# Spreadsheets take the full-width signs of East Asian keyboards for the plain ones.
_FORMULA_STARTS = (*"=+-@\uff1d\uff0b\uff0d\uff20", "\t", "\r", "\n")
_QUESTIONS = ("student", "exercise", "question", "score", "max_score", "status")
_EXERCISES = ("student", "exercise", "score", "max_score", "penalty", "status")
_CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
_MOODLE = ("username",)
_STATUSES = ("grader error", "not graded yet", "to be reviewed", "to be graded manually")  # the gravest first
_GRADED, _MISSING, _FAILED = "graded", "nothing handed in", "cannot be processed"


class Exports:
    """What has gone out to one place, such as "tables" or "canvas", for every exercise."""

    def __init__(self, course: Course, to: str) -> None:
        self._root, self._to = course.root, to
        with reading(self._root) as store:
            rows = store.execute(EXPORTS.select().where(EXPORTS.c.to == to).order_by(EXPORTS.c.id))
            self._last = {(row.exercise, row.student): row.value for row in rows}

    def changed(self, exercise: str, values: Mapping[str, Any]) -> set[str]:
        """Return the students for whom something else goes out now than went out last."""
        return {student for student, value in values.items() if self._last.get((exercise, student)) != value}

    def last(self, exercise: str, student: str) -> Any:
        """Return what went out last for a student; None if nothing did."""
        return self._last.get((exercise, student))

    def lost(self, exercise: str, students: Collection[str]) -> list[str]:
        """Return who had a value in the last export and is not among these students."""
        last = (
            student for (name, student), value in self._last.items() if name == exercise and value is not None
        )
        return sorted(student for student in last if student not in students)

    def note(self, exercise: str, values: Mapping[str, Any]) -> None:
        """Store that these values have gone out."""
        new = {student: values[student] for student in sorted(self.changed(exercise, values))}
        time = datetime.now(UTC).isoformat(timespec="seconds")
        about = {"time": time, "to": self._to, "exercise": exercise}
        if rows := [{**about, "student": student, "value": value} for student, value in new.items()]:
            with writing(self._root) as store:
                store.execute(EXPORTS.insert(), rows)
            self._last |= {(exercise, student): value for student, value in new.items()}


def write_table(path: Path, header: Row, rows: Iterable[Row]) -> Path:
    """Write a table to `path`, the same bytes for the same table, and return `path`."""
    text = io.StringIO()
    csv.writer(text).writerows([plain_cell(value) for value in row] for row in (header, *rows))
    return write_whole(path, text.getvalue())


def plain_cell(value: str | float | None) -> str:
    """Return a value as text; a quote in front keeps spreadsheets from taking it for a formula."""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA_STARTS) and len(value) > 1 else value
    return "" if value is None else decimal(value)


def decimal(value: float) -> str:
    """Return a score as programs read it, with four places at most."""
    return f"{value:.4f}".rstrip("0").rstrip(".")


@dataclass(frozen=True, slots=True)
class Sent:
    """What has gone out, or may: what is whose, in which files, who is left out and why, what else to say."""

    values: Mapping[str, Any]  # by student: a score, or a file
    paths: tuple[Path, ...] = ()
    problems: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    alarms: tuple[str, ...] = ()  # lines after which nobody should upload the files unread


@dataclass(frozen=True, slots=True)
class Choice:
    """Which scores leave: perhaps no provisional ones, and a 0 or nothing for a file that cannot be read."""

    final_only: bool = False
    unreadable_as_zero: bool = False


ALL = Choice()


def leaving(exercise: Exercise, works: Sequence[GradedWork], choice: Choice = ALL) -> Sent:
    """Return the scores of an exercise's graded work that leave, and what to say of them and the others."""
    scores = {work.student: score for work in works if (score := work.submission.score) is not None}
    unreadable = sorted(work.student for work in works if work.is_unreadable)
    unsettled = {work.student for work in works if work.submission.is_provisional}
    provisional = unsettled & scores.keys() - {*unreadable}
    late = sorted(work.student for work in works if work.is_late_untimed)
    out = {*(provisional if choice.final_only else ()), *(() if choice.unreadable_as_zero else unreadable)}
    settle = f"{', left out' * choice.final_only}: an instructor has to settle them"
    how = "given as 0" if choice.unreadable_as_zero else "left out; --unreadable-as-zero gives 0"
    told = (
        provisional and f"{len(provisional)} of {len(works)} scores are provisional{settle}",
        unreadable and f"unreadable, {how}: {', '.join(unreadable)}",
        late and f"late, time unknown, so nothing is taken off: {', '.join(late)}",
    )
    left = {student: score for student, score in scores.items() if student not in out}
    return Sent(left, told=tuple(f"{exercise.name}: {line}" for line in told if line))


def write_tables(
    course: Course,
    exercises: Sequence[Exercise],
    choice: Choice = ALL,
    *,
    changed: bool = False,
    on_failure: OnFailure = raise_failure,
) -> Sent:
    """Write questions, exercises, canvas and moodle.csv to build/exports/ and return what was written.

    Platforms take a column for a new assignment, and an empty cell for a grade to be deleted. So their files
    hold only exercises and students that have scores; `exercises.csv` names everybody. With `changed` they
    hold only those exercises and students of whom a score is another one than in the last export; what else
    such a student has in such an exercise is repeated, since a cell may not be empty.
    """
    people, exports, folder = read_people(course), Exports(course, "tables"), course.build / "exports"
    graded = {exercise: list[GradedWork]() for exercise in exercises}
    questions, rows = list[Row](), {exercise.name: dict[str, Row]() for exercise in exercises}

    def fail(error: SubmissionError) -> None:
        exercise = course.exercises[error.exercise]
        rows[error.exercise][error.student] = _row_without_score(error.student, exercise, _FAILED)
        on_failure(error)

    for work in read_graded_work(course, exercises, fail):
        if not people or work.student in people:  # who has left the class is in no table
            with skipping(course, work.exercise, work.student, fail):
                own = [
                    (
                        work.student,
                        work.exercise,
                        entry.question,
                        entry.score,
                        entry.max_score,
                        _status(entry),
                    )
                    for entry in work.submission.entries
                ]
                rows[work.exercise][work.student] = _row(work)
                questions += own
                graded[course.exercises[work.exercise]].append(work)
    outgoing = {exercise.name: leaving(exercise, works, choice) for exercise, works in graded.items()}
    new = {
        name: exports.changed(name, one.values) if changed else set(one.values)
        for name, one in outgoing.items()
    }
    points = {exercise.name: points_of(exercise) for exercise in exercises if new[exercise.name]}
    scores = {
        student: {name: outgoing[name].values.get(student) for name in points}
        for student in sorted(set[str]().union(*new.values()))
    }
    names = {student: people[student].name if student in people else student for student in scores}
    by_exercise = (row for one in exercises for row in _by_exercise(one, rows[one.name], people))
    for_canvas = canvas_rows(points, scores, names, canvas_ids(course))
    written = (
        write_table(folder / "questions.csv", _QUESTIONS, questions),
        write_table(folder / "exercises.csv", _EXERCISES, by_exercise),
        write_table(folder / "canvas.csv", (*_CANVAS, *points), for_canvas),
        write_table(folder / "moodle.csv", (*_MOODLE, *points), moodle_rows(points, scores)),
    )
    alarms = list[str]()
    if not any(one.values for one in outgoing.values()):
        alarms.append("WARNING: no student has a score that can be exported; the tables hold headings alone")
    for name, one in outgoing.items():
        lost = [student for student in exports.lost(name, one.values) if not people or student in people]
        if lost:
            alarms.append(f"WARNING: {name}: {len(lost)} fewer than in the last export: {', '.join(lost)}")
        exports.note(name, {**one.values, **dict.fromkeys(lost)})
    told = tuple(line for one in outgoing.values() for line in one.told)
    return Sent({}, written, told=told, alarms=tuple(alarms))


def canvas_rows(
    points: Mapping[str, float], scores: Scores, names: Mapping[str, str], listed: Mapping[str, str]
) -> Iterator[Row]:
    """Yield the row of points, then one for each student; `listed` is students.csv's column canvas."""
    yield ("    Points Possible", "", "", "", "", *points.values())
    for student, grades in scores.items():
        marks = (grades.get(exercise) for exercise in points)
        yield (names[student], canvas_number(student, listed), student, student, "", *marks)


def moodle_rows(points: Mapping[str, float], scores: Scores) -> Iterator[Row]:
    """Yield a row for each student; a dash is no grade."""
    for student, grades in scores.items():
        known = (grades.get(exercise) for exercise in points)
        yield (student, *("-" if score is None else score for score in known))


def canvas_number(student: str, listed: Mapping[str, str]) -> str:
    """Return Canvas's own number for a student: that in students.csv, else the id if it is all digits."""
    number = listed.get(student, student)
    return number if number.isascii() and number.isdigit() else ""


def points_of(exercise: Exercise) -> float:
    """Return the points of an exercise, with those of its written answers."""
    return sum(exercise.points.values()) + sum(exercise.written.values())


def canvas_ids(course: Course) -> dict[str, str]:
    """Return what students.csv says in its column canvas, by student."""
    listed = listed_students(course.root)
    students = listed.all if listed else ()
    return {student.id: student.platforms["canvas"] for student in students if "canvas" in student.platforms}


def _by_exercise(exercise: Exercise, rows: Mapping[str, Row], people: Collection[str]) -> Iterator[Row]:
    """Yield a row for each student of the class, and of those who handed in, once anybody has."""
    for student in sorted({*rows, *people} if rows else ()):
        yield rows.get(student) or _row_without_score(student, exercise, _MISSING)


def _row(work: GradedWork) -> Row:
    statuses = {_status(entry) for entry in work.submission.entries}
    told = ["unreadable"] if work.is_unreadable else [one for one in _STATUSES if one in statuses]
    told += ["late, time unknown"] if work.is_late_untimed else []
    score = None if work.is_unreadable else work.submission.score
    scores = score, work.submission.max_score, work.submission.penalty
    return work.student, work.exercise, *scores, "; ".join(told) or _GRADED


def _row_without_score(student: str, exercise: Exercise, status: str) -> Row:
    return student, exercise.name, None, points_of(exercise), None, status


def _status(entry: Entry) -> str:
    """Return whether a score is final, and if not, what it waits for."""
    if entry.score is not None:
        return "to be reviewed" if entry.needs_person else _GRADED
    if entry.written:
        return "to be graded manually"
    return "grader error" if entry.comment else "not graded yet"


class UnknownError(Exception):
    """The platform would not know whose feedback it is; the message says why and what to do."""


def pack_feedback(
    course: Course,
    exercise: Exercise,
    to: str,
    file_of: Callable[[GradebookSubmission], tuple[str, bytes]],
    on_failure: OnFailure = raise_failure,
) -> Sent:
    """Write build/exports/EXERCISE-feedback-PLATFORM.zip with the feedback on each graded submission.

    `file_of` returns the name by which the platform knows a student, and the content, or raises UnknownError.
    """
    files, problems = dict[str, Member](), list[str]()
    for graded in read_gradebook(course, exercise, on_failure=on_failure):
        with skipping(course, exercise.name, graded.student, on_failure):
            try:
                files[graded.student] = Member(*file_of(graded))
            except UnknownError as problem:
                problems.append(f"{graded.student}: {problem}")
    path = course.build / "exports" / f"{exercise.name}-feedback-{to}.zip"
    write_zip(path, sorted(files.values(), key=attrgetter("name")))
    return Sent(files, (path,), tuple(problems))
