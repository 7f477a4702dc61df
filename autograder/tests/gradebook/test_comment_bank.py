"""The bank of comments: offered in the formgrader, and read by students as texts."""

import pytest

from autograder.cli.grade import doubts
from autograder.course.course import Course
from autograder.errors import UsageError
from autograder.gradebook.comments import CommentBank
from autograder.report.report import GradebookSubmission
from autograder.tests.publishing.test_export import entry

BANK = """\
units: Say in which units.
01_small:
  scale: Why by the root?
  why:
    factor: "Good: you name the <factor>."
  other:
    secret: Not for this question.
02_next:
  later: Not for this exercise.
"""


@pytest.fixture
def bank(course: Course) -> CommentBank:
    (course.root / "comments.yaml").write_text(BANK, encoding="utf-8")
    return CommentBank(course.root)


def test_a_question_is_offered_what_is_meant_for_it(bank: CommentBank) -> None:
    assert list(bank.comments("01_small", "why")) == ["units", "scale", "factor"]


@pytest.mark.parametrize(
    ("remark", "read"),
    [
        ("#units", "Say in which units."),
        ("Nice. #scale #units!", "Nice. Why by the root? Say in which units.!"),
        (
            "# units\n## scale\n##units a#units x.html/#units",
            "# units\n## scale\n##units a#units x.html/#units",
        ),
        ("#later, &#units; #secret and question #5", "#later, &#units; #secret and question #5"),
    ],
)
def test_names_in_a_person_s_comment_stand_for_texts(bank: CommentBank, remark: str, read: str) -> None:
    why = entry("ann", "why", None, remark=remark, comment="#units")
    (kept,) = bank.put_in("01_small", GradebookSubmission("ann", 0.0, 0.0, (why,))).entries
    assert (kept.remark, kept.comment) == (read, "#units")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- one", ":1: must contain comments"),
        ("x:\n  y: 3\n", ":2: x.y is not a comment"),
        ("a b: text\n", ":1: a b is"),
    ],
)
def test_a_bank_that_cannot_be_used_is_refused_with_its_line(course: Course, text: str, message: str) -> None:
    (course.root / "comments.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        CommentBank(course.root)


def test_parts_for_no_exercise_and_no_question_are_named_with_their_lines(
    course: Course, bank: CommentBank
) -> None:
    lines = [
        "comments.yaml:6: other is not a question of 01_small; use one of double, row_sums, why",
        "comments.yaml:8: 02_next is not an exercise; use one of 01_small",
    ]
    assert list(bank.unknown_places(course.exercises)) == lines
    assert list(doubts(course, [])) == lines
    text = BANK.replace("  why:", "  why_:").replace("02_next", "1_small")
    (course.root / "comments.yaml").write_text(text, encoding="utf-8")
    assert [line.partition("; ")[2] for line in doubts(course, [])] == [
        'did you mean "why"?',
        "use one of double, row_sums, why",
        'did you mean "01_small"?',
    ]
    (course.root / "comments.yaml").write_text("- one\n", encoding="utf-8")
    (line,) = doubts(course, [])
    assert "comments.yaml:1: must contain comments" in line
