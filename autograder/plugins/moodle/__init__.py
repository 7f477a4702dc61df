"""The commands `moodle`, which fills a grading worksheet, and `moodle-zip`, which packs feedback pages.

Moodle (moodle/moodle, mod/assign/feedback/offline) looks for a worksheet's columns by their headings, which
are in the language of whoever downloads and uploads, so no heading is changed. "Grade" stands directly
before "Maximum grade", the same number in every row, in all languages. A grade above the maximum is passed
over without a word. So is a row whose grade was changed in Moodle after the download, so the times of the
last grades stay.

Of a zip (mod/assign/feedback/file/importziplib.php) it splits each file's name at each "_". It wants
anything, the participant's number, "assignsubmission", "file" and the name that the student sees.
"""

import csv
import io
from collections.abc import Mapping, Sequence
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
    Sent,
    UnknownError,
    decimal,
    leaving,
    pack_feedback,
    plain_cell,
    points_of,
)
from autograder.publishing.graded_work import read_graded_work
from autograder.report.report import GradebookSubmission
from autograder.report.text import number
from autograder.submission.students import Students, listed_students, write_rows
from autograder.submission.submission import Submission

_ALIKE = 1e-6


@click.command()
@options.exercise
@click.argument("worksheet", type=options.FILE)
@options.choice
def moodle(course: Course, exercise: Exercise, worksheet: Path, choice: Choice) -> None:
    """Fill Moodle's grading worksheet.

    Only the grade column changes. The filled worksheet is in build/exports/.
    """
    with options.failures() as on_failure:
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
    with options.failures() as on_failure:
        sent = pack_for_moodle(course, exercise, sheet=worksheet, on_failure=on_failure)
        options.show_sent(course, sent, "feedback for")


def fill_worksheet(
    course: Course,
    exercise: Exercise,
    sheet: Path,
    choice: Choice = ALL,
    on_failure: OnFailure = raise_failure,
) -> Sent:
    """Write build/exports/EXERCISE-worksheet.csv: the worksheet, with the scores of an exercise in it."""
    try:
        text, times = sheet.read_bytes().decode("utf-8-sig"), read_participants(sheet)
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"{sheet}: cannot be read; give the file as Moodle made it, in UTF-8") from None
    rows = list(csv.reader(io.StringIO(text, newline="")))
    place, comma = _grade_column(sheet, exercise, rows)
    outgoing = leaving(exercise, list(read_graded_work(course, [exercise], on_failure)), choice)
    scores, former = outgoing.values, read_former(course)
    wanted = set(scores) - set(former)
    filled, problems = dict[str, float](), list[str]()
    whose = participants(course, exercise, times, on_failure)
    lines = rows[:1]
    for row in rows[1:]:
        with skipping(course, exercise.name, row[0] if row else "", on_failure):
            found = whose.get("".join(filter(str.isdigit, row[0])) if row else "", "")
            if isinstance(found, EntryError):
                problems.append(f"{row[0]}: {found}")
                found = ""
            score = scores[found] if found in wanted and len(row) > place else None
            lines.append(_filled(row, place, score, comma=comma))
            if score is not None:
                filled[found] = score
    problems += [f"{student}: is not in {sheet.name}" for student in sorted(wanted - filled.keys())]
    left = sorted(set(scores) & set(former))
    problems += [f"{student}: is not in {STUDENTS} any more, so it gets no grade there" for student in left]
    path = course.build / "exports" / f"{exercise.name}-worksheet.csv"
    write_rows(path, lines)
    return Sent(filled, (path,), tuple(problems), outgoing.told)


def _filled(row: Sequence[str], place: int, score: float | None, *, comma: bool) -> list[str]:
    """Return a row with the score, if there is one, in the grade column.

    Moodle reads the number, the grade and the times. Students may have chosen what other cells say.
    """
    cells = [cell if column == place else plain_cell(cell) for column, cell in enumerate(row)]
    if score is not None:
        cells[place] = decimal(score).replace(".", ",") if comma else decimal(score)
    return cells


def participants(
    course: Course,
    exercise: Exercise,
    times: Times,
    on_failure: OnFailure = raise_failure,
) -> Mapping[str, str | EntryError]:
    """Return whose each participant's number in a worksheet is, or why nobody can tell."""
    if (students := listed_students(course.root)) is None:
        raise UsageError(LIST_NEEDED)
    people = Owners(NamingRules((), students=students, times=times))
    former = Students(tuple(read_former(course).values()))
    whose = dict[str, str | EntryError]()
    for row in times.participants:
        with skipping(course, exercise.name, f"Participant {row.number}", on_failure):
            whose[row.number] = _student(row, people, students, former)
    return whose


def _student(row: Participant, people: Owners, students: Students, former: Students) -> str | EntryError:
    """Return whose a row is: an address is of one person alone, and a name may be of two."""
    if row.email and (left := former.called(row.email)) and not students.called(row.email):
        return left[0].id
    try:
        return people.person(row)
    except EntryError as error:
        named = former.called(row.name)
        return named[0].id if len(named) == 1 else error


def _grade_column(sheet: Path, exercise: Exercise, rows: Sequence[Sequence[str]]) -> tuple[int, bool]:
    """Return the place of the grades, and whether the worksheet writes numbers with a comma.

    It is the one before a column that has the same positive number in every row.
    """
    whole = [row for row in rows[1:] if len(row) == len(rows[0])]
    places = []
    for place in range(1, len(rows[0]) - 1) if whole else ():
        most, *others = {row[place + 1] for row in whole}
        grades = {row[place] for row in whole} - {""}
        if not others and (_number(most) or 0.0) > 0 and None not in map(_number, grades):
            places.append(place)
    if len(places) != 1:
        raise UsageError(
            f"{sheet}: has no column of grades before one of maximum grades, or several; download the "
            "worksheet from Moodle again, and let the assignment be graded in points"
        )
    shown, points = rows[1][places[0] + 1], points_of(exercise)
    if abs((_number(shown) or 0.0) - points) > _ALIKE:
        raise UsageError(
            f"{sheet}: the maximum grade is {shown}, but {exercise.name} has {number(points)} points; "
            f"set the assignment's maximum grade in Moodle to {number(points)} and download it again"
        )
    return places[0], "," in shown


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

    `sheet` is Moodle's grading worksheet, which knows participants that no collected archive told.
    """
    numbers = participants(course, exercise, read_participants(sheet), on_failure) if sheet else {}
    by_sheet = {whose: number for number, whose in numbers.items() if isinstance(whose, str)}

    def file_of(graded: GradebookSubmission) -> tuple[str, bytes]:
        submission = Submission(course.root, graded.student, exercise.name)
        arrival = arrival_of(submission)
        own = "" if arrival.upload is not None else arrival.number
        number, page = by_sheet.get(graded.student) or own, submission.feedback
        if not number.isdigit():
            if sheet is None:
                fix = "give the worksheet with --worksheet"
                raise UnknownError(f"has no participant's number of Moodle's; {fix}")
            where = f"in no row of {sheet.name} by id, address or name"
            raise UnknownError(f"is {where}; return the page yourself")
        if not page.is_file():
            raise UnknownError("has no feedback page; see what `autograder feedback` says of it")
        shown = graded.student.replace("_", "-")
        return f"{shown}_{number}_assignsubmission_file_{page.name}", page.read_bytes()

    return pack_feedback(course, exercise, "moodle", file_of, on_failure)
