"""Reads a course's gradebook for publishing, and writes the pages that students get.

Publishing shows what graders and people have left there, and writes nothing to it. Only `settle` does.
"""

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook
from nbgrader.converters import GenerateFeedback

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.gradebook.assignment import expect_nothing_lost
from autograder.gradebook.audit import read_saves
from autograder.gradebook.changes import ScoreChange
from autograder.gradebook.comments import CommentBank
from autograder.gradebook.config import database, gradebook_exists, load
from autograder.gradebook.conversion import ConversionError, converting, open_converter, write_folder
from autograder.gradebook.feedback import View, feedback_page
from autograder.gradebook.folder_check import KEPT
from autograder.gradebook.lateness import Lateness
from autograder.gradebook.ledger import Ledger, turn
from autograder.gradebook.reading import submissions_in
from autograder.gradebook.roster import Person, read_class, read_recorded, read_roster
from autograder.report.gradebook_submission import GradebookSubmission
from autograder.submission.submission import Submission


def read_gradebook(course: Course, exercise: Exercise) -> tuple[GradebookSubmission, ...]:
    """Return the submissions of `exercise` in the course's gradebook; none where there is no gradebook.

    CourseError says that a question is gone for which a person gave points: they would be lost.
    """
    bank = CommentBank(course.root)
    return tuple(bank.put_in(exercise.name, submission) for submission in _as_given(course, exercise))


def _as_given(course: Course, exercise: Exercise) -> tuple[GradebookSubmission, ...]:
    """Return the submissions with people's comments as they were written."""
    if not gradebook_exists(course):
        return ()
    with Gradebook(database(course), course.settings.course) as gradebook:
        expect_nothing_lost(gradebook, exercise)
        return submissions_in(gradebook, exercise, lateness=Lateness(course, exercise, load(course)))


def doubtful_comments(course: Course, exercises: Sequence[Exercise]) -> Iterator[str]:
    """Yield a line on what names nothing: in the bank of comments, or of it in people's comments."""
    bank = CommentBank(course.root)
    yield from bank.unknown_places(course.exercises)
    for exercise in exercises if bank else ():
        yield from bank.unknown_names(exercise.name, _as_given(course, exercise))


def read_people(course: Course) -> dict[str, Person]:
    """Return the class by id: whom students.csv names, or else whom the gradebook knows."""
    if not gradebook_exists(course):
        return dict(sorted(read_roster(course.root).items()))
    with Gradebook(database(course), course.settings.course) as gradebook:
        return read_class(gradebook, course)


def read_former(course: Course) -> dict[str, Person]:
    """Return those whom the gradebook knows and students.csv names no more; nobody where there is no list."""
    if not (listed := read_roster(course.root)) or not gradebook_exists(course):
        return {}
    with Gradebook(database(course), course.settings.course) as gradebook:
        return {id_: one for id_, one in read_recorded(gradebook).items() if id_ not in listed}


def read_graders(course: Course, exercises: Sequence[Exercise]) -> dict[tuple[str, str], int]:
    """Return how many answers each person graded last in the formgrader, by the person and the exercise."""
    if not gradebook_exists(course):
        return {}
    with Gradebook(database(course), course.settings.course) as gradebook:
        saved = {
            (one.grade, exercise.name): one
            for exercise in exercises
            for one in read_saves(gradebook, exercise)
        }
    return dict(sorted(Counter((one.grader, exercise) for (_, exercise), one in saved.items()).items()))


def settle(course: Course, exercise: Exercise) -> tuple[ScoreChange, ...]:
    """Bring the gradebook up to date with due dates, extensions and what people gave; return what changed."""
    if not gradebook_exists(course):
        return ()
    with turn(course), Gradebook(database(course), course.settings.course) as gradebook:
        ledger = Ledger(course, exercise, load(course))
        ledger.open(gradebook)
    return tuple(ledger.changes.values())


def write_feedback(
    course: Course,
    exercise: Exercise,
    students: Container[str] | None = None,
    view: View = View(),  # noqa: B008 - it is frozen
) -> Iterator[Path | ConversionError]:
    """Write a page for each graded submission and yield its path, or the error if it cannot be written.

    Only `students` get one, if they are given; `view` may tell less than all. Beside a page lies what the
    exchange needs to return it, and no file of the exercise: students have these, and pages refer to none.
    """
    with open_converter(GenerateFeedback, course, exercise) as converter:
        for graded in read_gradebook(course, exercise):
            if students is not None and graded.student not in students:
                continue
            submission = Submission(course.root, graded.student, exercise.name)
            if not submission.autograded.is_file():
                continue
            try:
                with converting(course, converter.log, exercise.name, graded.student):
                    node = nbformat.read(submission.autograded, as_version=4)
                    text = feedback_page(course, exercise, graded, node, view)
                    beside = (submission.autograded.with_name(name) for name in KEPT)
                    others = {path.name: path for path in beside if path.is_file()}
                    write_folder(converter, submission, submission.feedback, text, others)
            except ConversionError as error:
                yield error
            else:
                yield submission.feedback
