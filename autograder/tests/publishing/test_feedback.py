"""The page that a student gets: what the tests found, readable, and with nothing in it that runs."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook

from autograder.batch.grade import grade_submissions
from autograder.course.course import Course, load_course
from autograder.gradebook.config import ConversionError, database
from autograder.publishing.export import write_pages
from autograder.report.feedback_page import render_feedback
from autograder.report.report import GradebookSubmission, Report
from autograder.report.safe_html import POLICY
from autograder.submission.submission import Submission
from autograder.tests.classroom import WRONG_SUMS, answered, hand_in, open_course, small, solved
from autograder.tests.gradebook.rows import formgrader_page
from autograder.tests.publishing.pages import Page

HOSTILE_TEXT = """<script>alert(1)</script> <img src=x onerror=alert(2)> [x](javascript:alert(3))
<svg onload=alert(4)></svg> <iframe src="//evil.example"></iframe> ![b](https://evil.example/beacon.png)
<style>body{display:none}</style> <a href="data:text/html,<script>alert(5)</script>">y</a>
"""
HOSTILE_CODE = """from IPython.display import HTML, Markdown, display
display(HTML("<script>alert(6)</script><b onclick=alert(7)>bold</b>"))
display(Markdown("<script>alert(8)</script>"))
print("\\x1b[31m<script>alert(9)</script>\\x1b[0m")
def row_sums(x):
    raise ValueError(chr(0xD800) + "<img src=x onerror=alert(10)>")
class Odd(Exception): pass
Odd.__name__ = "<script>alert(11)</script>"
print(chr(0xD800))
display(HTML(chr(0xD800)))
raise Odd(chr(0xD800) + "</pre><script>alert(12)</script>")
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Return a graded course with its pages."""
    root = open_course(tmp_path_factory.mktemp("feedback") / "course").root
    text = (root / "course.yaml").read_text(encoding="utf-8")
    dated = text.replace("- name: 01_small\n", "- name: 01_small\n    due: 2026-01-01T10:00:00+00:00\n")
    (root / "course.yaml").write_text(dated, encoding="utf-8")
    course = load_course(root)
    exercise = small(course)
    hand_in(course, "ann", solved(exercise))
    hand_in(course, "ben", solved(exercise, row_sums=WRONG_SUMS), late="2026-01-01 12:00:00 UTC")
    hostile = solved(exercise, row_sums=HOSTILE_CODE, why=HOSTILE_TEXT)
    hostile["cells"].insert(0, {"cell_type": "markdown", "metadata": {}, "source": HOSTILE_TEXT, "id": "a"})
    hostile["cells"].insert(0, {"cell_type": "raw", "metadata": {}, "source": HOSTILE_TEXT, "id": "b"})
    hand_in(course, "eve", hostile)
    hand_in(course, "zoe", "<script>alert(1)</script>")
    hand_in(course, "dan", answered(exercise))
    grade_submissions(course, [exercise])
    with Gradebook(database(course), course.settings.course) as gradebook:
        place = ("01_small", "01_small", "ann")
        gradebook.find_grade("why", *place).manual_score = 1.5
        gradebook.find_comment("why", *place).manual_comment = "<script>alert(13)</script> Well put."
        gradebook.db.commit()
    write_pages(course, [exercise])
    return course


def page(course: Course, student: str) -> str:
    return Submission(course.root, student, "01_small").feedback.read_text(encoding="utf-8")


def test_pages_lie_where_nbgrader_hands_them_out(course: Course) -> None:
    pages = sorted(path.relative_to(course.root) for path in (course.root / "feedback").rglob("*.html"))
    students = ("ann", "ben", "dan", "eve", "zoe")
    assert pages == [Path("feedback") / student / "01_small" / "01_small.html" for student in students]


def test_a_mistakes_hint_is_on_the_page(course: Course) -> None:
    mistake = next(m for m in small(course).mistakes if m.name == "row_sums__columns")
    words = " ".join(Page(page(course, "ben")).words.split())
    assert all(sentence in words for sentence in re.split(r"(?<=[.?!])\s+", mistake.hint))


def test_what_a_person_gave_and_wrote_is_on_the_page(course: Course) -> None:
    words = Page(page(course, "ann")).words
    assert "6.5 of 7" in words
    assert "Your instructor writes:\n<script>alert(13)</script> Well put." in words


@pytest.mark.parametrize("student", ["ann", "eve", "zoe"])
def test_a_content_security_policy_stands_on_every_page_before_anything_else(
    course: Course, student: str
) -> None:
    text = page(course, student)
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    assert text.index(policy) < text.index("<style") < text.index("<body")
    assert "default-src 'none'" in POLICY
    assert "script-src" not in POLICY


def test_no_page_tells_what_the_tests_know(course: Course) -> None:
    secrets = ("reference", "torch.randn(5, 2)", "expect_close", "test_hidden", "Traceback", str(course.root))
    for student in ("ben", "dan", "eve"):
        words = Page(page(course, student)).words
        assert not [secret for secret in secrets if secret in words]
        assert "linear: a factor common" not in words  # the model answer


def test_writing_a_page_twice_gives_the_same_bytes(course: Course) -> None:
    before = page(course, "ben")
    write_pages(course, [small(course)])
    assert page(course, "ben") == before


def test_stock_nbgrader_generate_feedback_writes_the_same_page(course: Course) -> None:
    before = page(course, "ben")
    Submission(course.root, "ben", "01_small").feedback.unlink()
    command = [str(Path(sys.executable).with_name("nbgrader")), "generate_feedback", "01_small", "--force"]
    done = subprocess.run(command, cwd=course.root, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert page(course, "ben") == before


def test_a_page_that_fails_stops_no_other(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    written = Submission(course.root, "eve", "01_small").feedback
    written.unlink()

    def broken(report: Report, submission: GradebookSubmission, *rest: Any, **more: Any) -> str:
        if submission.student == "ben":
            raise RuntimeError("a defect of ours")
        return render_feedback(report, submission, *rest, **more)

    monkeypatch.setattr("autograder.gradebook.pages.render_feedback", broken)
    with pytest.raises(ConversionError, match=r"gave up on 01_small of ben; .*nbgrader\.log says why"):
        write_pages(course, [small(course)])
    assert written.is_file()
    assert "a defect of ours" in (course.build / "nbgrader.log").read_text(encoding="utf-8")
    monkeypatch.undo()
    write_pages(course, [small(course)])


def test_nothing_of_a_submission_runs_in_the_formgrader(course: Course) -> None:
    text = formgrader_page(course, "eve")
    seen = Page(text)
    scripts = re.findall(r"<script\b[^>]*>(.*?)</script>", text, re.DOTALL)
    assert not [script for script in scripts if "alert" in script]
    assert not {handler for handler in seen.handlers if "alert" in handler}  # nbgrader has some of its own
    addresses = {*seen.links, *seen.loads}
    assert not {address for address in addresses if "evil.example" in address or "alert" in address}
    assert not {"iframe", "svg"} & seen.tags
    assert "alert(10)" in seen.words  # it is the hostile notebook that is shown
