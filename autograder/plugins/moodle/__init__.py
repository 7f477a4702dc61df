"""The commands `moodle`, which fills a grading worksheet, and `moodle-zip`, which packs feedback pages.

Moodle (moodle/moodle, mod/assign/feedback/offline) finds a worksheet's columns by their headings, which are
in the language of the person who downloads the worksheet. So this module never changes a heading. It finds
the column of grades by the next column: there, every row has the maximum grade, which is the same number.
Moodle silently skips a grade above the maximum. Moodle also skips a grade that was changed in Moodle after
the download. For this check, one column has the time of each grade's last change. This module never changes
that column.

Moodle splits each file's name in a zip at each "_" (mod/assign/feedback/file/importziplib.php). It expects
five parts: any text, the number of the participant (the student), "assignsubmission", "file" and the name
under which the student sees the file.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import click

from autograder.cli import options
from autograder.collecting.archive import EntryError
from autograder.collecting.attempts import arrival_of
from autograder.collecting.attribution import LIST_NEEDED, NamingRules, Owners
from autograder.collecting.metadata import Participant, Times, read_participants
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.guard import OnFailure, raise_failure, skipping
from autograder.course.kept import STUDENTS
from autograder.errors import UsageError
from autograder.gradebook.pages import read_former
from autograder.publishing.export import (
    ALL,
    Choice,
    FeedbackError,
    Sent,
    decimal,
    pack_feedback,
    plain_cell,
    points_of,
    scores_to_export,
)
from autograder.publishing.graded_work import read_graded_work
from autograder.report.report import GradebookSubmission
from autograder.report.text import number
from autograder.submission.students import (
    Students,
    listed_students,
    student_names,
    with_name,
    write_rows,
)
from autograder.submission.submission import Submission

_SAME_POINTS = 1e-6


@click.command()
@options.exercise
@click.argument("worksheet", type=options.FILE)
@options.choice
def moodle(course: Course, exercise: Exercise, worksheet: Path, choice: Choice) -> None:
    """Fill Moodle's grading worksheet.

    Only the grades change. (In other columns, an apostrophe is put before names that a spreadsheet would read
    as formulas.) The filled worksheet is in build/exports/.
    """
    with options.failures(course) as on_failure:
        sent = fill_worksheet(course, exercise, worksheet, choice, on_failure)
        options.show_sent(course, sent, "grades of")


@click.command("moodle-zip")
@options.exercise
@click.option(
    "--worksheet", type=options.FILE, help="Moodle's grading worksheet, with participants' numbers."
)
def moodle_zip(course: Course, exercise: Exercise, worksheet: Path | None) -> None:
    """Pack feedback pages for Moodle.

    Run `autograder feedback` first. Upload the zip in Moodle under "Upload multiple feedback files in a zip".
    """
    with options.failures(course) as on_failure:
        sent = pack_for_moodle(course, exercise, sheet=worksheet, on_failure=on_failure)
        options.show_sent(course, sent, "feedback for")


def fill_worksheet(
    course: Course,
    exercise: Exercise,
    sheet: Path,
    choice: Choice = ALL,
    on_failure: OnFailure = raise_failure,
) -> Sent:
    """Write build/exports/EXERCISE-worksheet.csv: the worksheet with the scores of an exercise."""
    try:
        text, times = sheet.read_bytes().decode("utf-8-sig"), read_participants(sheet)
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"{sheet}: cannot be read; give the file as Moodle wrote it, in UTF-8") from None
    rows = list(csv.reader(io.StringIO(text, newline="")))
    grades, comma = _grade_column(sheet, exercise, rows)
    outgoing = scores_to_export(exercise, list(read_graded_work(course, [exercise], on_failure)), choice)
    scores, former = outgoing.values, read_former(course)
    wanted = set(scores) - set(former)
    filled, problems = dict[str, float](), list[str]()
    students = participants(course, exercise, times, on_failure)
    lines = rows[:1]
    for row in rows[1:]:
        with skipping(course, exercise.name, row[0] if row else "", on_failure):
            student = students.get("".join(filter(str.isdigit, row[0])) if row else "", "")
            if isinstance(student, EntryError):
                problems.append(f"{row[0]}: {student}")
                student = ""
            score = scores[student] if student in wanted and len(row) > grades else None
            lines.append(_filled(row, grades, score, comma=comma))
            if score is not None:
                filled[student] = score
    named = partial(with_name, names=student_names(course.root))
    problems += [f"{named(student)}: is not in {sheet.name}" for student in sorted(wanted - filled.keys())]
    left = sorted(set(scores) & set(former))
    problems += [f"{student}: is no longer in {STUDENTS}, so Moodle gets no grade" for student in left]
    path = course.build / "exports" / f"{exercise.name}-worksheet.csv"
    write_rows(path, lines)
    return Sent(filled, (path,), tuple(problems), outgoing.notes)


def _filled(row: Sequence[str], grades: int, score: float | None, *, comma: bool) -> list[str]:
    """Return a row with the score, if any, in the column with the index `grades`.

    Students choose the text of other cells, such as their names. If it is a formula, it becomes plain text.
    """
    cells = [cell if column == grades else plain_cell(cell) for column, cell in enumerate(row)]
    if score is not None:
        cells[grades] = decimal(score).replace(".", ",") if comma else decimal(score)
    return cells


def participants(
    course: Course,
    exercise: Exercise,
    times: Times,
    on_failure: OnFailure = raise_failure,
) -> Mapping[str, str | EntryError]:
    """Return, by participant number, the student's id or the reason why the student is unknown."""
    if (students := listed_students(course.root)) is None:
        raise UsageError(LIST_NEEDED)
    owners = Owners(NamingRules((), students=students, times=times))
    former = Students(tuple(read_former(course).values()))
    by_number = dict[str, str | EntryError]()
    for row in times.participants:
        with skipping(course, exercise.name, f"Participant {row.number}", on_failure):
            by_number[row.number] = _student(row, owners, students, former)
    return by_number


def _student(row: Participant, owners: Owners, students: Students, former: Students) -> str | EntryError:
    """Return the id of a row's student. `former` are students who are no longer in students.csv.

    The name of a former student counts only if the row identifies no student in students.csv.
    """
    if row.email and (left := former.called(row.email)) and not students.called(row.email):
        return left[0].id
    try:
        return owners.person(row)
    except EntryError as error:
        named = former.called(row.name)
        return named[0].id if len(named) == 1 else error


def _grade_column(sheet: Path, exercise: Exercise, rows: Sequence[Sequence[str]]) -> tuple[int, bool]:
    """Return the index of the column of grades, and whether the worksheet has decimal commas."""
    whole = [row for row in rows[1:] if len(row) == len(rows[0])]
    columns = []
    for column in range(1, len(rows[0]) - 1) if whole else ():
        most, *others = {row[column + 1] for row in whole}
        grades = {row[column] for row in whole} - {""}
        if not others and (_number(most) or 0.0) > 0 and None not in map(_number, grades):
            columns.append(column)
    if len(columns) != 1:
        raise UsageError(
            f"{sheet}: must have exactly one column of grades, and the maximum grade in the next column; "
            "choose points as the assignment's grade type in Moodle, and download the worksheet again"
        )
    shown, points = rows[1][columns[0] + 1], points_of(exercise)
    if abs((_number(shown) or 0.0) - points) > _SAME_POINTS:
        raise UsageError(
            f"{sheet}: the maximum grade is {shown}, but {exercise.name} has {number(points)} points; "
            f"set the maximum grade in Moodle to {number(points)}, and download the worksheet again"
        )
    return columns[0], "," in shown


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None


def pack_for_moodle(
    course: Course,
    exercise: Exercise,
    *,
    sheet: Path | None = None,
    on_failure: OnFailure = raise_failure,
) -> Sent:
    """Write build/exports/EXERCISE-feedback-moodle.zip.

    `sheet` is Moodle's grading worksheet. It gives the participant numbers of students whose submissions were
    not collected from Moodle's archive.
    """
    students = participants(course, exercise, read_participants(sheet), on_failure) if sheet else {}
    by_sheet = {student: number for number, student in students.items() if isinstance(student, str)}

    def file_of(graded: GradebookSubmission) -> tuple[str, bytes]:
        submission = Submission(course.root, graded.student, exercise.name)
        arrival = arrival_of(submission)
        collected = "" if arrival.upload is not None else arrival.number
        number, page = by_sheet.get(graded.student) or collected, submission.feedback
        if not number.isdigit():
            if sheet is None:
                fix = "give Moodle's worksheet with --worksheet"
                raise FeedbackError(f"has no known participant number in Moodle; {fix}")
            problem = f"has no row in {sheet.name} with this id, address or name"
            raise FeedbackError(f"{problem}; send the feedback page yourself")
        if not page.is_file():
            raise FeedbackError("has no feedback page; run `autograder feedback` to see why")
        shown = graded.student.replace("_", "-")
        return f"{shown}_{number}_assignsubmission_file_{page.name}", page.read_bytes()

    return pack_feedback(course, exercise, "moodle", file_of, on_failure)
