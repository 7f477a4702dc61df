"""What each submission has come to, read from the gradebook: our scores, people's, and what is late."""

import pytest
from nbgrader.api import Gradebook

from autograder.course.course import Course, load_course
from autograder.gradebook.config import database
from autograder.gradebook.rows import submissions_in
from autograder.report.gradebook_submission import GradebookSubmission
from autograder.tests.classroom import hand_in, small, solved
from autograder.tests.gradebook.rows import by_hand, record


@pytest.fixture
def taught(ready: Course) -> Course:
    """Return a course with two submissions in the gradebook."""
    for student in ("zoe", "ann"):
        hand_in(ready, student, solved(small(ready)))
        record(ready, student)
    return ready


def read(course: Course, student: str | None = None) -> tuple[GradebookSubmission, ...]:
    with Gradebook(database(course), course.settings.course) as gradebook:
        return submissions_in(gradebook, small(course), student)


def test_submissions_come_in_order_of_ids_with_their_questions_in_the_exercise_s_order(
    taught: Course,
) -> None:
    assert [one.student for one in read(taught)] == ["ann", "zoe"]
    for one in read(taught):
        assert [(e.student, e.question, e.written, e.max_score) for e in one.entries] == [
            (one.student, "double", False, 2.0),
            (one.student, "row_sums", False, 3.0),
            (one.student, "why", True, 2.0),
        ]


def test_one_student_s_submission_can_be_read_alone(taught: Course) -> None:
    assert read(taught, "zoe") == read(taught)[1:]
    assert read(taught, "nobody") == ()


def test_nobody_s_score_is_none_and_not_nought(taught: Course) -> None:
    why = read(taught, "ann")[0].entries[-1]
    assert (why.auto_score, why.manual_score, why.extra_credit, why.score) == (None, None, None, None)
    assert (why.comment, why.remark, why.needs_person) == ("", "", True)


def test_a_person_s_score_and_extra_credit_count(taught: Course) -> None:
    by_hand(taught, "ann", "why", 0.0, "Not yet.")
    with Gradebook(database(taught), taught.settings.course) as gradebook:
        gradebook.find_grade("check-double", "01_small", "01_small", "ann").extra_credit = 0.5
        gradebook.db.commit()
    (ann,) = read(taught, "ann")
    double, _, why = ann.entries
    assert (double.auto_score, double.extra_credit, double.score) == (2.0, 0.5, 2.5)
    assert (why.manual_score, why.score, why.remark, why.needs_person) == (0.0, 0.0, "Not yet.", False)
    assert (ann.score, ann.max_score) == (5.5, 7.0)


def test_a_question_that_the_gradebook_does_not_know_yet_is_left_out(taught: Course) -> None:
    with small(taught).source.open("a", encoding="utf-8") as source:
        source.write(
            '\n# %% [markdown] manual="now" points=1\n# ### BEGIN SOLUTION\n# So.\n# ### END SOLUTION\n'
        )
    course = load_course(taught.root)
    assert "now" in small(course).written
    assert [e.question for e in read(course)[0].entries] == ["double", "row_sums", "why"]
