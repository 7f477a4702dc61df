"""What publishing reads of the gradebook, and what a page shows, before the due date, too."""

import json
import shutil
from dataclasses import replace
from unittest.mock import Mock

import pytest
from nbformat import NotebookNode

from autograder.collecting.attempts import attempts_of
from autograder.course.course import Course
from autograder.course.settings import Tells
from autograder.gradebook.config import ConversionError
from autograder.gradebook.pages import limit_disclosure, read_gradebook, saved_pictures, write_feedback
from autograder.records.database import writing
from autograder.records.tables import REPORTS
from autograder.report.report import AnswerLine, Status, TestReport, Verdict
from autograder.submission.notebook import Notebook
from autograder.submission.submission import Submission
from autograder.tests.classroom import small, solved
from autograder.tests.gradebook.rows import by_hand, files, record
from autograder.tests.gradebook.stock import formgrader
from autograder.tests.gradebook.test_assignment import without_why
from autograder.tests.report.test_example import SHOWN
from autograder.tests.report.test_feedback_page import QUESTION, REPORT
from autograder.tests.report.test_text import png

pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
DEMO, PICTURE = "plt.show()", png(4, 4)
NODE = NotebookNode(
    cells=[
        NotebookNode(cell_type="markdown", id="cell-0", source=DEMO),
        NotebookNode(cell_type="code", id="cell-1", source=DEMO),
        NotebookNode(cell_type="code", id="cell-2", source="x = 1"),
    ]
)


@pytest.fixture
def graded(ready: Course) -> Course:
    """Return a course with a graded submission whose exercise has lost a question since."""
    record(ready, "ann", made=solved(small(ready)))
    return without_why(ready)


def test_writing_pages_leaves_the_gradebook_as_it_was(graded: Course) -> None:
    before = (graded.root / "gradebook.db").read_bytes()
    (page,) = write_feedback(graded, small(graded))
    assert page == graded.root / "feedback" / "ann" / "01_small" / "01_small.html"
    assert (graded.root / "gradebook.db").read_bytes() == before


def test_where_there_is_no_gradebook_nothing_is_read_and_none_is_made(course: Course) -> None:
    assert read_gradebook(course, small(course)) == ()
    assert list(write_feedback(course, small(course))) == []
    assert not (course.root / "gradebook.db").exists()


def test_a_graded_notebook_that_is_missing_is_written_again_from_the_record(ready: Course) -> None:
    submission = record(ready, "ann", made=solved(small(ready)), late="2026-01-01 12:00:00 UTC")
    record(ready, "ben", made=solved(small(ready)))
    folder = submission.autograded.parent
    pages = list(write_feedback(ready, small(ready)))
    before = files(ready, "autograded", "feedback")
    shutil.rmtree(folder)
    shutil.rmtree(submission.feedback.parent)
    shutil.rmtree(submission.folder)  # nothing of it is needed
    assert list(write_feedback(ready, small(ready))) == pages
    assert files(ready, "autograded", "feedback") == before
    assert not submission.autograded.stat().st_mode & 0o222


def test_a_page_whose_submitted_bytes_are_lost_is_an_error_and_stops_no_other(ready: Course) -> None:
    for student in ("ann", "ben"):
        record(ready, student, made=solved(small(ready), why=student))
    submission = Submission(ready.root, "ann", "01_small")
    submission.autograded.unlink()
    attempts_of(submission)[-1].notebook.unlink()
    ann, ben = write_feedback(ready, small(ready))
    assert isinstance(ann, ConversionError)
    assert ben == Submission(ready.root, "ben", "01_small").feedback
    assert not submission.autograded.exists()


def test_the_formgraders_button_writes_our_page_with_what_a_person_gave(ready: Course) -> None:
    for student in ("ann", "ben"):
        record(ready, student, made=solved(small(ready)))
        by_hand(ready, student, "why", 1.5, f"Well put, {student}.")
    list(write_feedback(ready, small(ready)))
    page = Submission(ready.root, "ann", "01_small").feedback
    expected = page.read_text(encoding="utf-8")
    page.unlink()
    result = formgrader(ready).generate_feedback("01_small", "ann")
    assert result["success"], result
    assert page.read_text(encoding="utf-8") == expected
    assert "Well put, ann." in expected
    assert "Well put, ben." not in expected


def test_a_notebook_that_was_not_graded_by_us_gets_no_page(ready: Course) -> None:
    submission = record(ready, "ann", made=solved(small(ready)))
    with writing(ready.root) as store:
        store.execute(REPORTS.delete())
    result = formgrader(ready).generate_feedback("01_small", "ann")
    assert not result["success"]
    assert not submission.feedback.exists()


def test_a_page_that_fails_is_reported_and_stops_no_other(
    ready: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    for student in ("ann", "ben", "cleo"):
        record(ready, student, made=solved(small(ready)))
    broken = Mock(side_effect=["a page", RuntimeError("a defect of ours"), "a page"])
    monkeypatch.setattr("autograder.gradebook.pages.render_feedback", broken)
    ann, ben, cleo = write_feedback(ready, small(ready))
    assert [ann, cleo] == [Submission(ready.root, name, "01_small").feedback for name in ("ann", "cleo")]
    assert isinstance(ben, ConversionError)
    assert str(ben).startswith("nbgrader failed on 01_small of ben; ")
    assert "a defect of ours" in (ready.build / "nbgrader.log").read_text(encoding="utf-8")


def test_beside_the_page_lies_what_the_exchange_needs_and_nothing_of_the_exercise(ready: Course) -> None:
    submission = record(ready, "ann", made=solved(small(ready)), late="2026-01-01 12:00:00 UTC")
    submission.feedback.parent.mkdir(parents=True)
    (submission.feedback.parent / "old.html").touch()
    for name in ("conftest.py", "SETUP.md", "notation.md"):
        (submission.autograded.parent / name).touch()
    list(write_feedback(ready, small(ready)))
    names = {path.name for path in submission.feedback.parent.iterdir()}
    assert names == {"01_small.html", "timestamp.txt"}


def test_a_small_wrong_call_is_a_hint_and_goes_with_the_hints() -> None:
    named = replace(QUESTION, shown=SHOWN, mistake="double__triple", place=AnswerLine("double", 2))
    report = replace(REPORT, questions=(named,))
    (question,) = limit_disclosure(report, [], Tells.TESTS)[0].questions
    assert (question.shown, question.hint, question.mistake, question.place) == (None, "", None, None)
    for tells in (Tells.HINTS, None):
        assert limit_disclosure(report, [], tells)[0] == report


def test_a_page_tells_outcomes_alone_and_nothing_that_a_submission_can_choose_besides() -> None:
    ways = (Verdict.CRASHED, Verdict.TIMED_OUT, Verdict.BLOCKED, Verdict.NOT_DEFINED, Verdict.NOT_ATTEMPTED)
    tests = tuple(TestReport("A fact.", verdict, 1.0, "words") for verdict in (*ways, Verdict.PASSED))
    wrong = replace(QUESTION, verdict=Verdict.CRASHED, tests=tests)
    empty = replace(QUESTION, verdict=Verdict.NOT_ATTEMPTED, tests=tests[4:5])
    report = replace(REPORT, message="Code cell 3 computed for longer than 2 s.", questions=(wrong, empty))
    told = limit_disclosure(report, [], Tells.TESTS)[0]
    assert [test.verdict for test in told.questions[0].tests] == [Verdict.FAILED] * 5 + [Verdict.PASSED]
    assert {test.hint for test in told.questions[0].tests} == {""}
    assert told.questions[0].verdict is Verdict.FAILED
    assert told.questions[1].verdict is Verdict.NOT_ATTEMPTED
    for tells in (Tells.SCORE, Tells.TESTS):
        message = limit_disclosure(report, [], tells)[0].message
        assert message
        assert "3" not in message
        unreadable = replace(report, status=Status.UNREADABLE, message="not JSON")
        assert limit_disclosure(unreadable, [], tells)[0].message == "not JSON"


def test_a_page_shows_no_outputs_before_all_may_be_told() -> None:
    code = NotebookNode(cell_type="code", source="x", outputs=["what another attempt has left"])
    text = NotebookNode(cell_type="markdown", source="y")
    for tells in (Tells.SCORE, Tells.TESTS):
        assert limit_disclosure(REPORT, [code, text], tells)[1] == [{**code, "outputs": []}, text]
    for all_of_it in (None, Tells.HINTS):
        assert limit_disclosure(REPORT, [code, text], all_of_it)[1] == [code, text]


def found(
    outputs: object, source: str = DEMO, demos: tuple[str, ...] = (DEMO,)
) -> dict[str, tuple[str, ...]]:
    cells = [
        {"cell_type": kind, "metadata": {}, "source": text, "outputs": outputs}
        for kind, text in (("markdown", DEMO), ("code", source), ("code", "x = 1"))
    ]
    content = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})
    return saved_pictures(Notebook(content.encode()), demos.__contains__, NODE)


def shown(form: object) -> dict[str, object]:
    return {"output_type": "display_data", "data": {"image/png": form}}


ODD: tuple[object, ...] = (None, "text", {"data": []}, {"output_type": "stream", "text": "x"}, [])
NO_PICTURES: tuple[object, ...] = (7, None, "no picture", [1, 2], {}, png(100_000, 4), "<script>")


@pytest.mark.parametrize(
    ("outputs", "pictures"),
    [
        ([shown(PICTURE)], 1),
        ([shown([PICTURE[:8], PICTURE[8:]])], 1),
        ([shown(PICTURE)] * 100, 8),
        *(([shown(form)], 0) for form in NO_PICTURES),
        *(([output, shown(PICTURE)], 1) for output in ODD),
        (5, 0),
    ],
)
def test_only_pictures_below_a_cell_that_is_not_run_are_taken(outputs: object, pictures: int) -> None:
    assert found(outputs) == {"cell-1": (PICTURE,) * pictures}


def test_a_cell_that_has_changed_since_or_that_is_run_and_a_lost_file_bring_nothing() -> None:
    assert found([shown(PICTURE)], source="plt.plot()") == {}
    assert found([shown(PICTURE)], demos=()) == {}
    for lost in (Notebook(b"", "there is no notebook file of this name"), Notebook(b"[]")):
        assert saved_pictures(lost, (DEMO,).__contains__, NODE) == {}
