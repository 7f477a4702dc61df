"""What a person has decided stays decided until the student's answer to that very question changes."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from autograder.course.course import Course
from autograder.grading.graded import Graded
from autograder.report.report import Report, Status, Verdict
from autograder.tests.classroom import Notebook, cell_of, small, solved
from autograder.tests.gradebook.rows import Formgrader, full_marks, gradebook_submission, record, ruled
from autograder.tests.report.test_text import png

PICTURE, OTHER_PICTURE = png(2, 2), png(3, 3)
DOUBLED = "def double(x):\n    return x + x"


@pytest.fixture
def page(ready: Course) -> Iterator[Formgrader]:
    """Return the formgrader of a course in which one submission is graded, by tests and by hand."""
    record(ready, "ann", made=solved(small(ready)))
    page = Formgrader(ready)
    page.grade("ann", "why", 1.5)
    page.comment("ann", "why", "Say why it is linear.")
    page.grade("ann", "check-double", 0.5, extra=0.25)
    yield page
    page.gradebook.close()


def waiting(course: Course) -> list[str]:
    return [e.question for e in gradebook_submission(course, "ann").entries if e.needs_person]


def again(course: Course, made: Notebook, graded: Graded | None = None) -> list[str]:
    """Hand in and grade again, and return what waits for a person now."""
    record(course, "ann", graded, made=made)
    return waiting(course)


def reviewed(course: Course) -> Graded:
    """Return what grading a use of something forbidden comes to."""
    graded = full_marks(small(course))
    sums = replace(graded.report.questions[1], verdict=Verdict.REVIEW, score=0.0)
    questions = (graded.report.questions[0], sums, *graded.report.questions[2:])
    return Graded(replace(graded.report, questions=questions, score=2.0), {})


@pytest.mark.usefixtures("page")
def test_grading_again_asks_nobody_to_look_again_and_keeps_all_that_was_given(ready: Course) -> None:
    assert waiting(ready) == []
    before = gradebook_submission(ready, "ann")
    small(ready).suite.write_text(small(ready).suite.read_text() + "# a comment\n", encoding="utf-8")
    changed = ruled(ready)
    assert again(changed, solved(small(changed))) == []
    assert gradebook_submission(changed, "ann") == before
    double, _, why = before.entries
    assert (double.manual_score, double.extra_credit, double.score) == (0.5, 0.25, 0.75)
    assert (why.score, why.remark) == (1.5, "Say why it is linear.")


def test_only_the_question_whose_answer_changed_is_to_be_looked_at_and_one_look_settles_it(
    ready: Course, page: Formgrader
) -> None:
    assert again(ready, solved(small(ready), double=DOUBLED)) == ["double"]
    assert again(ready, solved(small(ready), double=DOUBLED)) == ["double"]  # until a person has looked
    assert gradebook_submission(ready, "ann").entries[0].score == 0.75
    page.grade("ann", "check-double", 0.5, extra=0.25)  # the same score
    assert again(ready, solved(small(ready), double=DOUBLED)) == []
    assert again(ready, solved(small(ready), double=DOUBLED, why="For no reason.")) == ["why"]


def test_what_an_answer_calls_and_a_picture_belong_to_the_answer(ready: Course, page: Formgrader) -> None:
    def made(helper: str, picture: str) -> Notebook:
        notebook = solved(small(ready), double="def double(x):\n    return _twice(x)")
        code = {"cell_type": "code", "metadata": {}, "source": helper, "outputs": [], "id": "helper"}
        notebook["cells"].insert(1, {**code, "execution_count": None})
        cell_of(notebook, "why")["attachments"] = {"p.png": {"image/png": picture}}
        return notebook

    helper, picture = "def _twice(x):\n    return x + x", PICTURE
    assert again(ready, made(helper, picture)) == ["double", "why"]
    page.grade("ann", "check-double", 0.5)
    page.grade("ann", "why", 1.5)
    assert again(ready, made(helper, picture)) == []
    assert again(ready, made(helper.replace("x + x", "x * 0"), picture)) == ["double"]
    assert again(ready, made(helper.replace("x + x", "x * 0"), OTHER_PICTURE)) == ["double", "why"]


def test_a_function_in_a_cell_of_its_own_is_the_answer(ready: Course, page: Formgrader) -> None:
    made = solved(small(ready))
    made["cells"].append({"cell_type": "code", "metadata": {}, "source": DOUBLED, "id": "mine"})
    assert again(ready, made) == ["double"]
    page.grade("ann", "check-double", 1.0)
    assert again(ready, made) == []


@pytest.mark.usefixtures("page")
def test_a_lost_answer_is_another_answer(ready: Course) -> None:
    made = solved(small(ready))
    made["cells"].remove(cell_of(made, "double"))
    assert again(ready, made) == ["double"]


def test_a_review_that_a_person_has_decided_stays_decided(ready: Course, page: Formgrader) -> None:
    sums = "def row_sums(x):\n    return torch.einsum('nd->n', x)"
    assert again(ready, solved(small(ready), row_sums=sums), reviewed(ready)) == ["row_sums"]
    page.grade("ann", "check-row_sums", None)  # looked at, and left at 0
    assert again(ready, solved(small(ready), row_sums=sums), reviewed(ready)) == []
    page.grade("ann", "check-row_sums", 3.0)
    assert again(ready, solved(small(ready), row_sums=sums), reviewed(ready)) == []
    assert again(ready, solved(small(ready), row_sums=sums + "  # so"), reviewed(ready)) == ["row_sums"]


def test_a_file_that_cannot_be_read_is_another_answer_until_a_person_has_settled_it(ready: Course) -> None:
    report = full_marks(small(ready)).report
    questions = tuple(replace(q, verdict=Verdict.NOT_ATTEMPTED, score=0.0) for q in report.questions[:2])
    unread = Report("01_small", Status.UNREADABLE, "not JSON", 0.0, 5.0, (), questions + report.questions[2:])
    record(ready, "ann", Graded(unread, {}), made="no notebook")
    assert waiting(ready) == ["double"]
    page = Formgrader(ready)
    page.grade("ann", "check-double", 0.0)
    record(ready, "ann", Graded(unread, {}))
    assert waiting(ready) == []
    record(ready, "ann", Graded(unread, {}), made="no notebook either")
    assert waiting(ready) == ["double"]
    page.gradebook.close()
