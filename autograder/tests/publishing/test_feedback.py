"""Pages that leave the course: what stands on them, as HTML."""

import re

import pytest

from autograder.course.course import Course
from autograder.diagnosis.known import known_mistakes
from autograder.gradebook.config import ConversionError
from autograder.publishing import overview
from autograder.publishing.overview import write_pages
from autograder.report.safe_html import POLICY
from autograder.tests.classroom import small
from autograder.tests.gradebook.rows import formgrader_page
from autograder.tests.publishing.hostile_class import STUDENTS, page
from autograder.tests.publishing.pages import Page


def words(course: Course, student: str) -> str:
    return " ".join(Page(page(course, student).read_text(encoding="utf-8")).words.split())


def test_what_tests_found_and_what_a_person_gave_and_wrote_is_on_the_page(published: Course) -> None:
    mistake = next(m for m in known_mistakes(small(published)) if m.name == "row_sums__columns")
    assert all(sentence in words(published, "ben") for sentence in re.split(r"(?<=[.?!])\s+", mistake.hint))
    assert "6.5 of 7" in words(published, "ann")
    assert "Your instructor writes: <script>alert(13)</script> Well put." in words(published, "ann")


@pytest.mark.parametrize("name", [*STUDENTS, "dashboard"])
def test_a_content_security_policy_stands_on_every_page_before_anything_else(
    published: Course, name: str
) -> None:
    text = page(published, name).read_text(encoding="utf-8")
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    assert text.index(policy) < text.index("<style") < text.index("<body")
    assert "default-src 'none'" in POLICY
    assert "script-src" not in POLICY


def test_no_page_tells_what_the_tests_know(published: Course) -> None:
    secrets = (
        "reference",
        "torch.randn(5, 2)",
        "expect_close",
        "test_hidden",
        "Traceback",
        str(published.root),
    )
    model_answer = "linear: a factor common"
    for student in STUDENTS:
        assert not [secret for secret in (*secrets, model_answer) if secret in words(published, student)]


def test_a_page_that_fails_stops_no_other(published: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    written = [page(published, "ann"), ConversionError("ben"), page(published, "eve"), ConversionError("zoe")]
    monkeypatch.setattr(overview, "write_feedback", lambda course, exercise: written)
    with pytest.raises(ConversionError, match=r"^ben\nzoe$"):
        write_pages(published, [small(published)])


def test_nothing_of_a_submission_runs_in_the_formgrader(published: Course) -> None:
    text = formgrader_page(published, "eve")
    seen = Page(text)
    scripts = re.findall(r"<script\b[^>]*>(.*?)</script>", text, re.DOTALL)
    assert not [script for script in scripts if "alert" in script]
    assert not {handler for handler in seen.handlers if "alert" in handler}  # nbgrader has some of its own
    addresses = {*seen.links, *seen.loads}
    assert not {address for address in addresses if "evil.example" in address or "alert" in address}
    assert not {"iframe", "svg"} & seen.tags
    assert "alert(32)" in seen.words  # it is the hostile notebook that is shown


def test_what_a_hostile_page_would_do_is_on_it(published: Course) -> None:
    text = page(published, "eve").read_text(encoding="utf-8")
    assert all(f"alert({number})" in text for number in (1, 2, 3, 6, 7, 20, 30, 31, 32))
