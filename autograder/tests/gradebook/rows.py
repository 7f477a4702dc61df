"""The gradebook for tests: filling it without a worker, grading by hand, reading it back row by row."""

import inspect
import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nbconvert.exporters import HTMLExporter
from nbgrader.api import Gradebook
from nbgrader.server_extensions.formgrader.apihandlers import CommentHandler, GradeHandler
from nbgrader.server_extensions.formgrader.handlers import template_path

from autograder.course.course import Course, load_course
from autograder.course.exercise import Exercise
from autograder.gradebook.book import ExerciseGradebook
from autograder.gradebook.config import load
from autograder.gradebook.ledger import recording
from autograder.gradebook.pages import read_gradebook, write_feedback
from autograder.grading.graded import Graded
from autograder.records.database import gradebook_url, reading
from autograder.records.tables import REPORTS
from autograder.report.report import (
    Entry,
    GradebookSubmission,
    QuestionReport,
    Report,
    Status,
    Verdict,
    total,
    written,
)
from autograder.submission.notebook import read_notebook
from autograder.submission.submission import Submission
from autograder.tests.classroom import WRONG_SUMS, Notebook, answered, hand_in, small, solved, stripped

DUE = "2026-03-01 18:00 Europe/Berlin"
SCRIPT = "<script>alert(1)</script>"
EINSUM = "def row_sums(x):\n    return torch.einsum('nd->n', x)"
NESTED = "[" * 100_000 + "]" * 100_000
UNREADABLE: dict[str, Callable[[Path], object]] = {
    "zero bytes": lambda path: path.write_bytes(b""),
    "not JSON": lambda path: path.write_text("no notebook"),
    "nested 100,000 deep": lambda path: path.write_text(f'{{"nbformat": 4, "cells": {NESTED}}}'),
    "nbformat 3": lambda path: path.write_text('{"nbformat": 3, "worksheets": 7}'),
    "a folder": lambda path: path.mkdir(),
    "a FIFO": os.mkfifo,
    "a link": lambda path: path.symlink_to(path.parents[3] / "solutions" / "01_small" / "01_small.py"),
    "a broken link": lambda path: path.symlink_to("nowhere"),
}


def fill(course: Course) -> Course:
    """Let a class hand in all sorts of things."""
    exercise = small(course)
    hand_in(course, "solved", solved(exercise))
    hand_in(course, "released", answered(exercise))
    hand_in(course, "wrong", solved(exercise, row_sums=WRONG_SUMS), late="2026-01-01 12:00:00 UTC")
    hand_in(course, "stripped", stripped(solved(exercise)))
    hand_in(course, "forbidden", solved(exercise, row_sums=EINSUM))
    hand_in(course, "=1+1", solved(exercise))
    for number, spoil in enumerate(UNREADABLE.values()):
        submission = hand_in(course, f"unreadable{number}", "")
        submission.notebook.unlink()
        spoil(submission.notebook)
    return course


def ruled(course: Course, counts: str = "", late: str = "", due: str = DUE) -> Course:
    """Return the course with these rules for attempts and for late work, whose exercise is due then."""
    path = course.root / "course.yaml"
    text = path.read_text(encoding="utf-8").partition("  - name:")[0]
    rules = {"due": due, "attempts": counts and f"{{counts: {counts}}}", "late": late and f"{{{late}}}"}
    lines = "".join(f"    {key}: {value}\n" for key, value in rules.items() if value)
    path.write_text(f"{text}  - name: 01_small\n{lines}", encoding="utf-8")
    return load_course(course.root)


def full_marks(exercise: Exercise) -> Graded:
    """Return what grading a right answer comes to."""
    questions = tuple(
        QuestionReport(name, Verdict.PASSED, points, points, "", None, ())
        for name, points in exercise.points.items()
    )
    by_hand = tuple(written(name, points) for name, points in exercise.written.items())
    score, maximum = total(questions)
    return Graded(Report(exercise.name, Status.GRADED, "", score, maximum, (), questions + by_hand), {})


def record(
    course: Course,
    student: str,
    graded: Graded | None = None,
    *,
    made: Notebook | str | None = None,
    late: str = "",
) -> Submission:
    """Take a submission through nbgrader as if it had just been graded, with full marks by default.

    It is the one that lies there, or else `made`, which is handed in before.
    """
    submission = Submission(course.root, student, small(course).name)
    if made is not None:
        hand_in(course, student, made, late)
    with ExerciseGradebook(course, small(course)) as book:
        take_in(book, submission, graded or full_marks(small(course)))
    return submission


def take_in(book: ExerciseGradebook, submission: Submission, graded: Graded) -> None:
    """Take a submission in as if it had just been graded."""
    for attempt in book.begin(submission, force=True) or ():
        book.take_in(submission, attempt, read_notebook(attempt.notebook), graded)
    book.finish(submission)


def by_hand(course: Course, student: str, cell: str, score: float, remark: str = "") -> None:
    """Grade as a person does in the formgrader."""
    name = small(course).name
    with Gradebook(gradebook_url(course.root), course.settings.course) as gradebook:
        grade = gradebook.find_grade(cell, name, name, student)
        grade.manual_score, grade.needs_manual_grade = score, False
        if remark:
            gradebook.find_comment(cell, name, name, student).manual_comment = remark
        gradebook.db.commit()


class Formgrader:
    """Writes as the formgrader's pages do: by nbgrader's own handlers, in a session that stays open."""

    def __init__(self, course: Course, exercise: str = "01_small") -> None:
        self._root, self._name = course.root, exercise
        self.gradebook = Gradebook(gradebook_url(course.root), course.settings.course)
        self.body: dict[str, Any] = {}
        self.write = json.loads

    def get_json_body(self) -> dict[str, Any]:
        return self.body

    def grade(
        self, student: str, cell: str, score: float | None, extra: float | None = None, *, by: str = "tom"
    ) -> None:
        """Type a score and extra credit; the page sends what stands in its fields."""
        self.body = {"manual_score": score, "extra_credit": extra}
        grade = self.gradebook.find_grade(cell, self._name, self._name, student)
        with recording(self.gradebook.db(), self._root, by):
            inspect.unwrap(GradeHandler.put)(self, grade.id)

    def comment(self, student: str, question: str, words: str) -> None:
        self.body = {"manual_comment": words}
        comment = self.gradebook.find_comment(question, self._name, self._name, student)
        inspect.unwrap(CommentHandler.put)(self, comment.id)


def formgrader_page(course: Course, student: str) -> str:
    """Return what the formgrader shows of a submission: nbgrader's template, with the course's settings."""
    config, name = load(course), small(course).name
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [template_path]
    with Gradebook(gradebook_url(course.root), course.settings.course) as gradebook:
        submission = gradebook.find_submission_notebook(name, name, student).id
    about = {"assignment_id": name, "notebook_id": name, "submission_id": submission, "base_url": ""}
    path = str(Submission(course.root, student, name).autograded)
    resources = {**about, "index": 0, "total": 1, "student": student, "last_name": SCRIPT}
    shown, _ = HTMLExporter(config=config).from_filename(path, resources=resources)
    return str(shown)


def gradebook_submission(course: Course, student: str) -> GradebookSubmission:
    """Return a student's submission as the gradebook has it."""
    return next(one for one in read_gradebook(course, small(course)) if one.student == student)


def gradebook_entry(course: Course, student: str, question: str) -> Entry:
    """Return one question of it."""
    return next(e for e in gradebook_submission(course, student).entries if e.question == question)


def autograded(course: Course, student: str) -> dict[str, Any]:
    submission = Submission(course.root, student, small(course).name)
    notebook: dict[str, Any] = json.loads(submission.autograded.read_text(encoding="utf-8"))
    return notebook


def reports(course: Course) -> dict[tuple[str, str, str], str]:
    """Return every stored report as text, by student, exercise and the notebook's digest."""
    with reading(course.root) as store:
        return {
            (row.student, row.exercise, row.digest): row.report for row in store.execute(REPORTS.select())
        }


def feedback(course: Course, student: str) -> str:
    """Write a student's feedback page and return it."""
    (page,) = write_feedback(course, small(course), [student])
    assert isinstance(page, Path), page
    return page.read_text(encoding="utf-8")


def files(course: Course, *folders: str) -> dict[str, bytes]:
    """Return the files in these folders of a course, by their places in it."""
    found = (path for folder in folders for path in (course.root / folder).rglob("*") if path.is_file())
    return {path.relative_to(course.root).as_posix(): path.read_bytes() for path in found}


def dump(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return every row of a gradebook that means something: without nbgrader's random ids."""
    queries = {
        "grades": """
            select a.name, s.student_id, b.name,
                g.auto_score, g.manual_score, g.extra_credit, g.needs_manual_grade
            from grade g join base_cell b on b.id = g.cell_id
            join submitted_notebook n on n.id = g.notebook_id
            join submitted_assignment s on s.id = n.assignment_id
            join assignment a on a.id = s.assignment_id""",
        "comments": """
            select s.student_id, b.name, c.auto_comment, c.manual_comment
            from comment c join base_cell b on b.id = c.cell_id
            join submitted_notebook n on n.id = c.notebook_id
            join submitted_assignment s on s.id = n.assignment_id""",
        "submissions": """
            select s.student_id, s.timestamp, n.late_submission_penalty, n.flagged
            from submitted_assignment s join submitted_notebook n on n.assignment_id = s.id""",
        "cells": "select name, cell_type, locked, source, checksum from source_cell",
        "points": "select name, max_score, cell_type from grade_cells g join base_cell b on b.id = g.id",
        "solutions": "select b.name from solution_cells s join base_cell b on b.id = s.id",
        "assignments": "select name, duedate, course_id from assignment",
        "notebooks": "select name, kernelspec from notebook",
    }
    with sqlite3.connect(path) as connection:
        rows = {
            name: sorted(connection.execute(query).fetchall(), key=repr) for name, query in queries.items()
        }
    connection.close()
    return rows
