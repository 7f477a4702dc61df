"""Packs feedback pages into a zip that Moodle imports.

Moodle (moodle/moodle, mod/assign/feedback/file/importziplib.php) splits a file's name at each "_". It wants
anything, the participant's number, "assignsubmission", "file" and the name that the student sees.
"""

from pathlib import Path

from autograder.collecting.attempts import arrival_of
from autograder.collecting.metadata import read_participants
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.gradebook.pages import read_gradebook
from autograder.plugins.moodle.worksheet import participants
from autograder.publishing.export import Packed, UnknownError, pack_feedback
from autograder.report.report import GradebookSubmission
from autograder.submission.submission import Submission


def pack_for_moodle(
    course: Course, exercise: Exercise, *, sheet: Path | None = None, changed: bool = False
) -> Packed:
    """Write build/exports/EXERCISE-feedback-moodle.zip.

    `sheet` is Moodle's grading worksheet, which knows participants that no collected archive told.
    """
    known = [graded.student for graded in read_gradebook(course, exercise)] if sheet else []
    numbers = participants(course, read_participants(sheet), known) if sheet else {}
    by_sheet = {whose: number for number, whose in numbers.items() if isinstance(whose, str)}

    def file_of(graded: GradebookSubmission) -> tuple[str, bytes]:
        submission = Submission(course.root, graded.student, exercise.name)
        return _moodle_file(submission, by_sheet.get(graded.student, ""), sheet)

    return pack_feedback(course, exercise, "moodle", file_of, changed=changed)


def _moodle_file(submission: Submission, by_sheet: str, sheet: Path | None) -> tuple[str, bytes]:
    """Return the name and the content of one student's file: the feedback page."""
    arrival = arrival_of(submission)
    number = by_sheet or ("" if arrival.upload is not None else arrival.number)
    if not number.isdigit():
        if sheet is not None:
            raise UnknownError(
                f"is in no row of {sheet.name} by id, address or name; return the page yourself"
            )
        raise UnknownError("has no participant's number of Moodle's; give the worksheet with --worksheet")
    if not submission.feedback.is_file():
        raise UnknownError("has no feedback page; see what `autograder feedback` says of it")
    shown = submission.student.replace("_", "-")
    return (
        f"{shown}_{number}_assignsubmission_file_{submission.feedback.name}",
        submission.feedback.read_bytes(),
    )
