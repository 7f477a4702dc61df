"""Feedback goes back to whoever handed in, under names that Canvas's own rules read."""

import json
import zipfile
from collections.abc import Callable
from io import BytesIO

import pytest

from autograder.collecting.attribution import NamingRules
from autograder.collecting.collect import collect_archives
from autograder.course.course import Course
from autograder.plugins.canvas import pack_for_canvas
from autograder.publishing import export
from autograder.publishing.export import Sent
from autograder.report.report import GradebookSubmission
from autograder.submission.students import read_students
from autograder.submission.submission import Submission
from autograder.tests.classroom import small
from autograder.tests.publishing.test_export import entry, submission

BOOK = json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
FAILED = entry(
    "ada", "double", 1.0, comment="Failed.\n- failed: Doubles *all* numbers.", remark="See **page 3**."
)


def found_by_canvas(name: str) -> tuple[str, str]:
    """Return the user and the attachment, as `infer_comment_context_from_filename` finds them."""
    parts = [part for part in name.split("_") if part != "LATE"]
    assert not parts[-1].startswith("link")
    assert not name.startswith("._")
    user, attachment = [part for part in parts if part.isdigit()][:2]
    return user, attachment


class Term:
    """A course into which platforms' archives are collected, and a gradebook that holds what it should."""

    def __init__(self, course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
        self.course = course
        self.graded: tuple[GradebookSubmission, ...] = ()
        monkeypatch.setattr(export, "read_gradebook", lambda course, exercise, **_: self.graded)

    def collect(self, students: str = "", **files: str | bytes) -> None:
        path = self.course.root / "students.csv"
        if students:
            path.write_text(students, encoding="utf-8")
        archive = self.course.root / "archive.zip"
        with zipfile.ZipFile(archive, "w") as writer:
            for name, text in files.items():
                writer.writestr(name, text)
        listed = read_students(path) if students else None
        lines = list(collect_archives(self.course, [archive], NamingRules(["01_small"], students=listed)))
        assert all(line.status == "new" for line in lines), lines
        self.graded = tuple(submission(line.student, FAILED) for line in lines)
        for line in lines:
            page = Submission(self.course.root, line.student, "01_small").feedback
            page.parent.mkdir(parents=True)
            page.write_text(f"<p>{line.student}", encoding="utf-8")

    def pack(
        self, pack: Callable[..., Sent] = pack_for_canvas, **options: object
    ) -> tuple[Sent, dict[str, str]]:
        packed = pack(self.course, small(self.course), **options)
        with zipfile.ZipFile(packed.paths[0]) as archive:
            return packed, {name: archive.read(name).decode() for name in archive.namelist()}


@pytest.fixture
def term(course: Course, monkeypatch: pytest.MonkeyPatch) -> Term:
    return Term(course, monkeypatch)


def test_canvas_finds_the_upload_of_each_student_again(term: Term) -> None:
    term.collect(
        "id,name,canvas\nada_1_2,Ada Lovelace,\n77,Bob Byte,102\ncy,,103\n",
        **{
            "lovelaceada_101_9001_01_small.ipynb": BOOK,
            "bytebob_LATE_102_9002_01_small-2.ipynb": BOOK,
            "cy_103_9003_01_small.py": "x = 1\n",
        },
    )
    packed, files = term.pack()
    fix = "Canvas would give the feedback notebook this file type; send the feedback page yourself"
    script = f"cy: handed in a .py file. {fix}"
    assert packed.problems == (script,)
    assert {found_by_canvas(name) for name in files} == {("101", "9001"), ("102", "9002")}
    assert term.pack()[0].paths[0].read_bytes() == packed.paths[0].read_bytes()
    cells = json.loads(next(iter(files.values())))["cells"]
    assert [cell["cell_type"] for cell in cells] == ["markdown", "markdown"]
    assert "    - failed: Doubles *all* numbers." in cells[1]["source"]  # as code, so that stars stay stars
    assert "See **page 3**." in cells[1]["source"]


def test_a_group_s_members_need_numbers_of_their_own(term: Term) -> None:
    students = "id,canvas,group\nada,101,Team Red\nbob,,Team Red\n"
    term.collect(students, **{"teamred_101_9006_01_small.ipynb": BOOK})
    packed, files = term.pack()
    assert {found_by_canvas(name) for name in files} == {("101", "9006")}
    lost = "bob: has no Canvas user id; write it into students.csv, in the column canvas"
    assert packed.problems == (lost,)


def test_what_was_packed_by_the_student_gets_no_feedback_that_canvas_would_call_a_zip(term: Term) -> None:
    inner = BytesIO()
    with zipfile.ZipFile(inner, "w") as writer:
        writer.writestr("01_small.ipynb", BOOK)
    term.collect("", **{"ada_101_9001_work.zip": inner.getvalue()})
    packed, files = term.pack()
    assert not files
    assert ".zip file" in packed.problems[0]
