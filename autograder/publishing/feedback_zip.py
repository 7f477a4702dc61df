"""Packs feedback into the zips that Canvas and Moodle take back, with the names by which they know a student.

Canvas (instructure/canvas-lms, `infer_comment_context_from_filename` in app/models/abstract_assignment.rb)
splits a file's name at each "_". The first two parts that are all digits are the user's id and the upload's,
or, for an anonymous assignment, the parts after "anon". It passes over an upload that is not of the student's
newest attempt, and a name whose last part begins with "link". The file becomes an attachment to a comment,
under the name of the file that was handed in: so feedback on a notebook has to be a notebook.

Moodle (moodle/moodle, mod/assign/feedback/file/importziplib.php) splits a name at each "_", too, and wants
anything, the participant's number, "assignsubmission", "file" and the name that the student sees.
"""

import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from autograder.collecting.arrival import Arrival
from autograder.collecting.attempts import arrival_of
from autograder.collecting.metadata import read_participants
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.files import Member, write_zip
from autograder.gradebook.pages import read_gradebook
from autograder.publishing.canvas import canvas_number
from autograder.publishing.export import canvas_ids
from autograder.publishing.exported import Exports
from autograder.publishing.feedback_notebook import FORMS, feedback_file
from autograder.publishing.worksheet import participants
from autograder.report.gradebook_submission import GradebookSubmission
from autograder.submission.submission import Submission

_ANONYMOUS = re.compile(r"anon_[A-Za-z0-9]+")


class Target(StrEnum):
    """A platform that takes feedback back as a zip."""

    CANVAS = "canvas"
    MOODLE = "moodle"


@dataclass(frozen=True, slots=True)
class Packed:
    """A zip of feedback: where it is, whose is in it, and whose is not, with the reason."""

    path: Path
    students: tuple[str, ...]
    problems: tuple[str, ...]


class _UnknownError(Exception):
    """The platform would not know whose feedback it is; the message says why and what to do."""


def pack_feedback(
    course: Course, exercise: Exercise, to: Target, *, sheet: Path | None = None, changed: bool = False
) -> Packed:
    """Write build/exports/EXERCISE-feedback-PLATFORM.zip with the feedback on each graded submission.

    `sheet` is Moodle's grading worksheet, which knows participants that no collected archive told. With
    `changed` the zip holds only feedback that is not what went out last.
    """
    graded = {one.student: one for one in read_gradebook(course, exercise)}
    numbers = participants(course, read_participants(sheet), graded) if sheet else {}
    by_sheet = {whose: number for number, whose in numbers.items() if isinstance(whose, str)}
    listed, problems = canvas_ids(course), []
    files: dict[str, tuple[str, bytes]] = {}
    for student, one in graded.items():
        submission = Submission(course.root, student, exercise.name)
        try:
            if to is Target.CANVAS:
                files[student] = _for_canvas(submission, one, canvas_number(student, listed))
            else:
                files[student] = _for_moodle(submission, by_sheet.get(student, ""), sheet)
        except _UnknownError as problem:
            problems.append(f"{student}: {problem}")
    exports = Exports(course, f"feedback {to}")
    digests = {student: hashlib.sha256(content).hexdigest() for student, (_, content) in files.items()}
    chosen = exports.changed(exercise.name, digests) if changed else set(files)
    path = course.build / "exports" / f"{exercise.name}-feedback-{to}.zip"
    write_zip(path, [Member(name, content) for name, content in sorted(files[one] for one in chosen)])
    exports.note(exercise.name, digests)
    return Packed(path, tuple(sorted(chosen)), tuple(problems))


def _for_canvas(submission: Submission, graded: GradebookSubmission, listed: str) -> tuple[str, bytes]:
    """Return the name and the content of one student's file."""
    arrival = arrival_of(submission)
    if arrival.upload is None:
        raise _UnknownError("came through no archive of Canvas's; collect that archive again")
    if arrival.form and arrival.form not in FORMS:
        raise _UnknownError(f"handed in a {arrival.form} file, whose name Canvas would give to the feedback")
    form, person = arrival.form or FORMS[0], _canvas_person(submission, arrival, listed)
    content = feedback_file(submission.exercise, graded, form).encode()
    return f"{person}_{arrival.upload}_feedback{form}", content


def _canvas_person(submission: Submission, arrival: Arrival, listed: str) -> str:
    """Return what stands before the upload's number: whatever is no number, then the user's number."""
    if hidden := next((t for t in (arrival.number, submission.student) if _ANONYMOUS.fullmatch(t)), ""):
        return hidden
    user = arrival.number or listed
    if not user.isdigit():
        raise _UnknownError("has no user id of Canvas's; write it into students.csv, in the column canvas")
    return f"id-{submission.student.replace('_', '-')}_{user}"


def _for_moodle(submission: Submission, by_sheet: str, sheet: Path | None) -> tuple[str, bytes]:
    """Return the name and the content of one student's file: the feedback page."""
    arrival = arrival_of(submission)
    number = by_sheet or ("" if arrival.upload is not None else arrival.number)
    if not number.isdigit():
        if sheet is not None:
            raise _UnknownError(
                f"is in no row of {sheet.name} by id, address or name; return the page by hand"
            )
        raise _UnknownError("has no participant's number of Moodle's; give the worksheet with --worksheet")
    if not submission.feedback.is_file():
        raise _UnknownError("has no feedback page; see what `autograder feedback` says of it")
    shown = submission.student.replace("_", "-")
    return (
        f"{shown}_{number}_assignsubmission_file_{submission.feedback.name}",
        submission.feedback.read_bytes(),
    )
