"""Writes a table of all scores for instructors, and each student's feedback pages with an index.

A student's index must show the same scores as the student's feedback pages, even if scores have changed since
these pages were written. So `write_pages` stores the scores that the pages show, and the index shows only
stored scores.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.guard import SubmissionError
from autograder.files import write_whole
from autograder.gradebook.config import ConversionError
from autograder.gradebook.pages import read_gradebook, read_people, write_feedback
from autograder.publishing.export import Exports, points_of
from autograder.report.report import GradebookSubmission
from autograder.report.safe_html import load_template
from autograder.report.text import number
from autograder.submission.students import Student
from autograder.submission.submission import Submission, find_submissions

_CLASS, _STUDENT = (Path(__file__).with_name(name) for name in ("overview.html", "student.html"))
MISSING, _NOT_GRADED, _WAITS, _FAILED = "missing", "not graded", "waits", "cannot be processed"
_FEEDBACK = "feedback"  # the name under which `Exports` stores the scores that feedback pages show


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of one student's work on one exercise."""

    submission: GradebookSubmission | None = None
    state: str = MISSING  # the text in the table if there is no score
    address: str | None = None

    @property
    def score(self) -> float | None:
        """The score so far, or None if there is no score yet."""
        return self.submission.score if self.submission else None

    @property
    def is_missing(self) -> bool:
        """Whether the student has submitted nothing."""
        return self.state == MISSING

    @property
    def waiting(self) -> int:
        """The number of questions that wait for an instructor."""
        return sum(entry.waits for entry in self.submission.entries) if self.submission else 0


@dataclass(frozen=True, slots=True)
class StudentRow:
    """One row of the table: a student, and the state of the student's work on each exercise."""

    id: str
    name: str
    standings: tuple[Standing, ...]

    @property
    def total(self) -> float:
        """The sum of all scores. Work without a score counts as 0."""
        return sum(standing.score or 0.0 for standing in self.standings)

    @property
    def missing(self) -> int:
        """The number of exercises without a submission."""
        return sum(standing.is_missing for standing in self.standings)


def write_overview(course: Course, exercises: Sequence[Exercise]) -> Path:
    """Write build/overview.html: a table with a row for each student and a column for each exercise.

    Exercises without any submission are left out. If a submission's scores cannot be read, the table says so,
    and the dashboard gives the reason.
    """
    people, standings = read_people(course), dict[str, dict[str, Standing]]()
    for exercise in exercises:
        if by_student := _standings(course, exercise):
            standings[exercise.name] = by_student
    students = people or sorted(set[str]().union(*standings.values()))
    rows = [
        StudentRow(
            student,
            name_of(people, student),
            tuple(by_student.get(student, Standing()) for by_student in standings.values()),
        )
        for student in students
    ]
    points = {name: points_of(course.exercises[name]) for name in standings}
    page = load_template(_CLASS).render(course_title=course.settings.title, points=points, rows=rows)
    return write_whole(course.build / "overview.html", page)


def _standings(course: Course, exercise: Exercise) -> dict[str, Standing]:
    failures = list[SubmissionError]()
    graded = {each.student: each for each in read_gradebook(course, exercise, on_failure=failures.append)}
    handed_in = (submission.student for submission in find_submissions(course, exercise))
    states = dict.fromkeys(handed_in, _NOT_GRADED) | dict.fromkeys(graded, _WAITS)
    states |= {failure.student: _FAILED for failure in failures}
    return {
        student: Standing(graded.get(student), state, _address(course, student, exercise.name, course.build))
        for student, state in states.items()
    }


def _address(course: Course, student: str, exercise: str, start: Path) -> str | None:
    """Return the link from pages in `start` to a feedback page, or None if there is no feedback page."""
    feedback = Submission(course.root, student, exercise).feedback
    return quote(os.path.relpath(feedback, start)) if feedback.is_file() else None


def name_of(people: Mapping[str, Student], student: str) -> str:
    """Return a student's first and last name, or "" if only the id is known."""
    name = " ".join(filter(None, reversed(people[student].parts))) if people.get(student) else ""
    return "" if name == student else name


def write_pages(course: Course, exercises: Sequence[Exercise]) -> list[Path]:
    """Write feedback/STUDENT/EXERCISE/EXERCISE.html for each graded submission and return these pages.

    The index.html of these students is updated, too. If some pages cannot be written, ConversionError is
    raised after all other pages are written. The error names the missing pages.
    """
    pages, failures = list[Path](), list[str]()
    for exercise in exercises:
        written = list(write_feedback(course, exercise))
        failures += [str(page) for page in written if not isinstance(page, Path)]
        new = [page for page in written if isinstance(page, Path)]
        publish_scores(course, exercise, {student_of(page) for page in new})
        pages += new
    write_student_pages(course, {student_of(page) for page in pages})
    if failures:
        raise ConversionError("\n".join(failures))
    return pages


def student_of(page: Path) -> str:
    """Return the student to whom a feedback page belongs."""
    return page.parts[-3]


def publish_scores(course: Course, exercise: Exercise, students: Iterable[str]) -> None:
    """Store the scores that the new feedback pages of these students show. Index pages show stored scores."""
    chosen = set(students)
    shown = {
        graded.student: {
            "score": graded.score,
            "graded_points": graded.max_score - graded.open_points,
            "words": graded.points_in_words,
            "penalty": graded.penalty,
        }
        for graded in read_gradebook(course, exercise, on_failure=lambda _: None)
        if graded.student in chosen
    }
    Exports(course, _FEEDBACK).note(exercise.name, shown)


def write_student_pages(course: Course, students: Iterable[str]) -> list[Path]:
    """Write feedback/STUDENT/index.html for each of these students. The index lists all exercises."""
    people, published = read_people(course), Exports(course, _FEEDBACK)
    handed_in = {
        exercise.name: {submission.student for submission in find_submissions(course, exercise)}
        for exercise in course.exercises.values()
    }
    pages = []
    for student in sorted(set(students)):
        rows = list(_student_rows(course, student, published, handed_in))
        scores = [row for row in rows if row.get("score") is not None]
        page = load_template(_STUDENT).render(
            course_title=course.settings.title,
            student=name_of(people, student) or student,
            rows=rows,
            total=sum(row["score"] for row in scores),
            most=sum(row["graded_points"] for row in scores),
        )
        pages.append(write_whole(course.root / "feedback" / student / "index.html", page))
    return pages


def _student_rows(
    course: Course, student: str, published: Exports, handed_in: Mapping[str, set[str]]
) -> Iterator[dict[str, Any]]:
    """Yield a row for each exercise on a student's index page, as values for the template."""
    folder = course.root / "feedback" / student
    for name, exercise in course.exercises.items():
        row = {"title": exercise.title, "address": _address(course, student, name, folder), "due": ""}
        if exercise.settings.due is not None:
            row["due"] = exercise.settings.due.strftime("%Y-%m-%d %H:%M")
        if last := published.last(name, student):
            late = f"; {number(last['penalty'])} taken off for late work" if last["penalty"] else ""
            yield row | last | {"words": last["words"] + late}
        else:
            yield row | {"words": "not published yet" if student in handed_in[name] else "not handed in"}
