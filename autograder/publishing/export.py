"""Writes grades as CSV tables that are safe to open in spreadsheets, and stores which values were exported.

How Canvas reads canvas.csv (instructure/canvas-lms, lib/gradebook_importer.rb): the first five columns are
fixed. The heading of each other column is the title of an assignment, and the row "Points Possible" has the
assignments' points. The column ID has Canvas's user numbers. Canvas would read a text such as "12b" as 12,
the number of another user, so we write only numbers into this column. An empty cell deletes a grade. Students
who are not in the file keep their grades.

How Moodle reads moodle.csv (moodle/moodle, grade/import/csv): on import you map the column `username` to the
user's name, id number or address. An unknown user stops the whole import. "-" deletes a grade. Students who
are not in the file keep their grades. If the import creates a grade item, the item has 100 points. So create
the items before the import, with the points in the column max_score of exercises.csv.
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
from autograder.submission.students import listed_students, student_names, with_name

Row = tuple[str | float | None, ...]
Scores = Mapping[str, Mapping[str, float | None]]  # by student and exercise; None if there is no score
# The first characters of formulas. Spreadsheets also accept full-width =, +, - and @.
_FORMULA_STARTS = (*"=+-@\uff1d\uff0b\uff0d\uff20", "\t", "\r", "\n")
_QUESTIONS = ("student", "exercise", "question", "score", "max_score", "status")
_EXERCISES = ("student", "exercise", "score", "max_score", "penalty", "status")
_CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
_MOODLE = ("username",)
# The statuses of questions, the most serious first.
_STATUSES = ("grader error", "not graded yet", "to be reviewed", "to be graded manually")
_GRADED, _MISSING, _FAILED = "graded", "nothing handed in", "cannot be processed"


class Exports:
    """The values that were last exported to one destination, such as the CSV tables or Canvas."""

    def __init__(self, course: Course, to: str) -> None:
        self._root, self._to = course.root, to
        with reading(self._root) as store:
            rows = store.execute(EXPORTS.select().where(EXPORTS.c.to == to).order_by(EXPORTS.c.id))
            self._last = {(row.exercise, row.student): row.value for row in rows}

    def changed(self, exercise: str, values: Mapping[str, Any]) -> set[str]:
        """Return the students whose value differs from the last exported value."""
        return {student for student, value in values.items() if self._last.get((exercise, student)) != value}

    def last(self, exercise: str, student: str) -> Any:
        """Return the value that was exported last for a student, or None."""
        return self._last.get((exercise, student))

    def lost(self, exercise: str, students: Collection[str]) -> list[str]:
        """Return the students who had a value in the last export, but are not in `students`."""
        last = (
            student for (name, student), value in self._last.items() if name == exercise and value is not None
        )
        return sorted(student for student in last if student not in students)

    def note(self, exercise: str, values: Mapping[str, Any]) -> None:
        """Store each student's value as exported."""
        new = {student: values[student] for student in sorted(self.changed(exercise, values))}
        time = datetime.now(UTC).isoformat(timespec="seconds")
        about = {"time": time, "to": self._to, "exercise": exercise}
        if rows := [{**about, "student": student, "value": value} for student, value in new.items()]:
            with writing(self._root) as store:
                store.execute(EXPORTS.insert(), rows)
            self._last |= {(exercise, student): value for student, value in new.items()}


def write_table(path: Path, header: Row, rows: Iterable[Row]) -> Path:
    """Write a table as CSV to `path`, and return `path`."""
    text = io.StringIO()
    csv.writer(text).writerows([plain_cell(value) for value in row] for row in (header, *rows))
    return write_whole(path, text.getvalue())


def plain_cell(value: str | float | None) -> str:
    """Return a value as text. If a spreadsheet would read it as a formula, put an apostrophe in front."""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA_STARTS) and len(value) > 1 else value
    return "" if value is None else decimal(value)


def decimal(value: float) -> str:
    """Return a score as text with a decimal point, never a comma, and at most four decimals."""
    return f"{value:.4f}".rstrip("0").rstrip(".")


@dataclass(frozen=True, slots=True)
class Sent:
    """The result of an export: the exported values, the written files, and lines to print."""

    values: Mapping[str, Any]  # by student: a score, or the content of a file
    paths: tuple[Path, ...] = ()
    problems: tuple[str, ...] = ()  # lines about students who are left out, with the reason
    notes: tuple[str, ...] = ()  # lines about provisional, unreadable and late work
    alarms: tuple[str, ...] = ()  # warnings for the user, who has to read them before the upload


@dataclass(frozen=True, slots=True)
class Choice:
    """The scores that the user wants to export."""

    final_only: bool = False  # whether provisional scores are left out
    unreadable_as_zero: bool = False  # whether an unreadable file gets the score 0 instead of no score


ALL = Choice()


def scores_to_export(exercise: Exercise, works: Sequence[GradedWork], choice: Choice = ALL) -> Sent:
    """Return the scores to export for an exercise, with notes about provisional, unreadable and late work."""
    scores = {work.student: score for work in works if (score := work.submission.score) is not None}
    unreadable = sorted(work.student for work in works if work.is_unreadable)
    unsettled = {work.student for work in works if work.submission.is_provisional}
    provisional = unsettled & scores.keys() - {*unreadable}
    late = sorted(work.student for work in works if work.is_late_untimed)
    excluded = {
        *(provisional if choice.final_only else ()),
        *(() if choice.unreadable_as_zero else unreadable),
    }
    decide = f"until an instructor has graded or checked them{', so they are left out' * choice.final_only}"
    how = "exported as 0" if choice.unreadable_as_zero else "left out (add --unreadable-as-zero to export 0)"
    notes = (
        provisional and f"{len(provisional)} of {len(works)} scores are provisional {decide}",
        unreadable and f"unreadable files are {how}: {', '.join(unreadable)}",
        late and f"late, but the time is unknown, so there is no penalty: {', '.join(late)}",
    )
    exported = {student: score for student, score in scores.items() if student not in excluded}
    return Sent(exported, notes=tuple(f"{exercise.name}: {line}" for line in notes if line))


def write_tables(
    course: Course,
    exercises: Sequence[Exercise],
    choice: Choice = ALL,
    *,
    changed: bool = False,
    on_failure: OnFailure = raise_failure,
) -> Sent:
    """Write questions.csv, exercises.csv, canvas.csv and moodle.csv to build/exports/.

    exercises.csv contains all students. canvas.csv and moodle.csv contain only students and exercises with
    scores. Other columns would create assignments on the platforms, and other rows would delete grades.

    With `changed`, canvas.csv and moodle.csv contain only students and exercises whose scores have changed
    since the last export. A row still contains unchanged scores, because an empty cell would delete them.
    """
    people, exports, folder = read_people(course), Exports(course, "tables"), course.build / "exports"
    graded = {exercise: list[GradedWork]() for exercise in exercises}
    questions, rows = list[Row](), {exercise.name: dict[str, Row]() for exercise in exercises}

    def fail(error: SubmissionError) -> None:
        exercise = course.exercises[error.exercise]
        rows[error.exercise][error.student] = _row_without_score(error.student, exercise, _FAILED)
        on_failure(error)

    for work in read_graded_work(course, exercises, fail):
        if not people or work.student in people:  # leaves out students who have left the class
            with skipping(course, work.exercise, work.student, fail):
                new_rows = [
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
                questions += new_rows
                graded[course.exercises[work.exercise]].append(work)
    outgoing = {
        exercise.name: scores_to_export(exercise, works, choice) for exercise, works in graded.items()
    }
    new = {
        name: exports.changed(name, sent.values) if changed else set(sent.values)
        for name, sent in outgoing.items()
    }
    points = {exercise.name: points_of(exercise) for exercise in exercises if new[exercise.name]}
    scores = {
        student: {name: outgoing[name].values.get(student) for name in points}
        for student in sorted(set[str]().union(*new.values()))
    }
    names = {student: people[student].name if student in people else student for student in scores}
    by_exercise = (row for each in exercises for row in _by_exercise(each, rows[each.name], people))
    for_canvas = canvas_rows(points, scores, names, canvas_ids(course))
    written = (
        write_table(folder / "questions.csv", _QUESTIONS, questions),
        write_table(folder / "exercises.csv", _EXERCISES, by_exercise),
        write_table(folder / "canvas.csv", (*_CANVAS, *points), for_canvas),
        write_table(folder / "moodle.csv", (*_MOODLE, *points), moodle_rows(points, scores)),
    )
    alarms = list[str]()
    if not any(sent.values for sent in outgoing.values()):
        alarms.append("WARNING: no student has a score that can be exported; the tables have only headings")
    for name, sent in outgoing.items():
        lost = [student for student in exports.lost(name, sent.values) if not people or student in people]
        if lost:
            alarms.append(f"WARNING: {name}: in the last export, but not in this export: {', '.join(lost)}")
        exports.note(name, {**sent.values, **dict.fromkeys(lost)})
    notes = tuple(line for sent in outgoing.values() for line in sent.notes)
    return Sent({}, written, notes=notes, alarms=tuple(alarms))


def canvas_rows(
    points: Mapping[str, float], scores: Scores, names: Mapping[str, str], listed: Mapping[str, str]
) -> Iterator[Row]:
    """Yield the row "Points Possible", then a row for each student. `listed` comes from `canvas_ids`."""
    yield ("    Points Possible", "", "", "", "", *points.values())
    for student, grades in scores.items():
        marks = (grades.get(exercise) for exercise in points)
        yield (names[student], canvas_number(student, listed), student, student, "", *marks)


def moodle_rows(points: Mapping[str, float], scores: Scores) -> Iterator[Row]:
    """Yield a row for each student. A dash stands for a missing grade."""
    for student, grades in scores.items():
        marks = (grades.get(exercise) for exercise in points)
        yield (student, *("-" if score is None else score for score in marks))


def canvas_number(student: str, listed: Mapping[str, str]) -> str:
    """Return a student's user number in Canvas, or "" if it is unknown.

    If the student is not in `listed`, the student's id is tried. Only a number can be a user number.
    """
    number = listed.get(student, student)
    return number if number.isascii() and number.isdigit() else ""


def points_of(exercise: Exercise) -> float:
    """Return the points of an exercise, including written questions."""
    return sum(exercise.points.values()) + sum(exercise.written.values())


def canvas_ids(course: Course) -> dict[str, str]:
    """Return the users' numbers in the column `canvas` of students.csv, by student."""
    listed = listed_students(course.root)
    students = listed.all if listed else ()
    return {student.id: student.platforms["canvas"] for student in students if "canvas" in student.platforms}


def _by_exercise(exercise: Exercise, rows: Mapping[str, Row], people: Collection[str]) -> Iterator[Row]:
    """Yield the row of each student in `rows`, and a row without a score for each other student of the class.

    If nobody has submitted the exercise, yield nothing.
    """
    for student in sorted({*rows, *people} if rows else ()):
        yield rows.get(student) or _row_without_score(student, exercise, _MISSING)


def _row(work: GradedWork) -> Row:
    statuses = {_status(entry) for entry in work.submission.entries}
    words = ["unreadable"] if work.is_unreadable else [status for status in _STATUSES if status in statuses]
    words += ["late, time unknown"] if work.is_late_untimed else []
    score = None if work.is_unreadable else work.submission.score
    scores = score, work.submission.max_score, work.submission.penalty
    return work.student, work.exercise, *scores, "; ".join(words) or _GRADED


def _row_without_score(student: str, exercise: Exercise, status: str) -> Row:
    return student, exercise.name, None, points_of(exercise), None, status


def _status(entry: Entry) -> str:
    """Return the status of a score: "graded" if the score is final, or the reason why it is not final."""
    if entry.score is not None:
        return "to be reviewed" if entry.needs_person else _GRADED
    if entry.written:
        return "to be graded manually"
    return "grader error" if entry.comment else "not graded yet"


class FeedbackError(Exception):
    """A student's feedback cannot be packed for a platform. The message says why and what to do."""


def pack_feedback(
    course: Course,
    exercise: Exercise,
    to: str,
    file_of: Callable[[GradebookSubmission], tuple[str, bytes]],
    on_failure: OnFailure = raise_failure,
) -> Sent:
    """Write build/exports/EXERCISE-feedback-PLATFORM.zip with the feedback on each graded submission.

    `file_of` returns the name of a student's file on the platform, and the file's content. If it raises
    FeedbackError, the student is left out.
    """
    files, problems, names = dict[str, Member](), list[str](), student_names(course.root)
    for graded in read_gradebook(course, exercise, on_failure=on_failure):
        with skipping(course, exercise.name, graded.student, on_failure):
            try:
                files[graded.student] = Member(*file_of(graded))
            except FeedbackError as problem:
                problems.append(f"{with_name(graded.student, names)}: {problem}")
    path = course.build / "exports" / f"{exercise.name}-feedback-{to}.zip"
    write_zip(path, sorted(files.values(), key=attrgetter("name")))
    return Sent(files, (path,), tuple(problems))
