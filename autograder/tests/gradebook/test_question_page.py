"""What the page of one question shows: cards of equal answers, in which no student's text can run."""

from collections.abc import Iterator

import pytest
from nbgrader.api import Gradebook

from autograder.course.course import Course, load_course
from autograder.gradebook.question_page import Card, make_cards, render_question, render_questions
from autograder.gradebook.written_answers import (
    Change,
    WrittenQuestion,
    assign_graders,
    find_question,
    read_answers,
    save,
)
from autograder.records.database import gradebook_url
from autograder.tests.classroom import hand_in, small, solved
from autograder.tests.gradebook.rows import SCRIPT, record
from autograder.tests.gradebook.test_written_answers import RUBRIC, rewrite_rubric

LONG = "A factor common to all terms of the sum can be taken out of the sum"
ANSWERS = {
    "ann": f"{LONG}.", "ben": f"It is {SCRIPT} *so* $x<y$ <img src=x onerror=alert(1)>",
    "cy": f"*{LONG.lower()}*",
    "di": f"{LONG}, really.", "eve": "YOUR ANSWER HERE", "fay": f"{LONG}.",
}  # fmt: skip


@pytest.fixture
def gradebook(ready: Course) -> Iterator[Gradebook]:
    for student, why in ANSWERS.items():
        record(ready, student, made=solved(small(ready), why=why))
    with Gradebook(gradebook_url(ready.root), ready.settings.course) as opened:
        yield opened


def cards(course: Course, gradebook: Gradebook, *, apart: bool = False) -> list[Card]:
    question = find_question(course, "01_small", "why")
    answers = read_answers(gradebook.db(), question)
    return make_cards(question, answers, assign_graders(gradebook.db(), ["tom", "eve"]), apart=apart)


def grade(
    gradebook: Gradebook,
    question: WrittenQuestion,
    student: str,
    given: dict[str, float],
    adjustment: float | None = None,
) -> None:
    """Save a grade of a student's answer."""
    answer = next(a for a in read_answers(gradebook.db(), question) if a.student == student)
    change = Change({answer.grade_id: answer.version}, question.rubric_version, given, adjustment)
    save(gradebook, question, change, "tom")


def test_equal_answers_are_one_card_and_nearly_equal_ones_follow(ready: Course, gradebook: Gradebook) -> None:
    made = cards(ready, gradebook)
    students = [[answer.student for answer in card.answers] for card in made]
    assert students == [["ann", "cy", "fay"], ["di"], ["ben"], ["eve"]]
    assert [card.cluster for card in made] == [0, 0, 1, 4]
    assert [card.differing_words for card in made][:2] == [("", ""), ("really", "")]
    assert [card.grader for card in made] == ["tom", "eve", "eve", "tom"]
    assert len(cards(ready, gradebook, apart=True)) == len(ANSWERS)


def test_equal_answers_with_other_grades_are_other_cards(ready: Course, gradebook: Gradebook) -> None:
    question = find_question(ready, "01_small", "why")
    grade(gradebook, question, "cy", {}, 2.0)
    students = [[answer.student for answer in card.answers] for card in cards(ready, gradebook)]
    assert students == [["ann", "fay"], ["cy"], ["di"], ["ben"], ["eve"]]


def test_the_page_shows_strangers_text_as_text(ready: Course, gradebook: Gradebook) -> None:
    ben = gradebook.find_student("ben")
    ben.last_name = f"'\"</script>{SCRIPT}"
    gradebook.db.commit()
    html = str(render_question(gradebook.db(), find_question(ready, "01_small", "why"), "/base", "tom"))
    assert "<em>so</em>" in html
    assert "<math" in html
    assert "alert(1)</script>" not in html
    assert "onerror" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert html.count("<script") == 1  # the page's own file
    assert "Both are linear" in html
    assert "Why is the sum of the doubled rows" in html
    assert "Nothing was written." in html
    assert "Nearly equal to answer 1.\nWords only in this answer: <ins>really</ins>." in html


def test_a_card_says_that_its_notebook_is_missing(ready: Course, gradebook: Gradebook) -> None:
    (ready.root / "autograded/ann/01_small/01_small.ipynb").unlink()
    first, *_ = cards(ready, gradebook)
    assert [answer.student for answer in first.answers] == ["ann"]
    assert "Run <code>autograder grade</code>" in first.html


def test_the_list_says_how_many_answers_wait(ready: Course, gradebook: Gradebook) -> None:
    html = str(render_questions(gradebook.db(), ready, "/base"))
    assert '<a href="/base/formgrader/question/01_small/why">why</a>' in html
    assert '<td class="number">6</td><td class="number">5</td>' in html


def test_a_text_that_is_slow_to_render_is_shown_as_it_was_typed(ready: Course, gradebook: Gradebook) -> None:
    hand_in(ready, "ann", solved(small(ready), why="[" * 12_000 + "x" * 50))
    record(ready, "ann")
    made = {card.head.student: card for card in cards(ready, gradebook)}
    assert "<em>so</em>" in made["ben"].html
    assert len(made["ann"].html) < 20_000


def test_a_changed_rubric_is_announced_at_the_top_and_its_list_names_answers_as_the_cards_do(
    ready: Course, gradebook: Gradebook
) -> None:
    rewrite_rubric(ready, RUBRIC)
    question = find_question(load_course(ready.root), "01_small", "why")
    grade(gradebook, question, "cy", {"1": 0.5})
    rewrite_rubric(ready, RUBRIC.replace("1 point;", "0.25 points;"))
    page = str(
        render_question(gradebook.db(), find_question(load_course(ready.root), "01_small", "why"), "", "tom")
    )
    header, _, rest = page.partition("</header>")
    assert '<a href="#changed">The rubric has changed since 1 answer was graded.</a>' in header
    (number,) = [
        n for n, card in enumerate(cards(load_course(ready.root), gradebook), 1) if card.head.student == "cy"
    ]
    assert f'<a href="#answer-{number}">Answer {number}</a>' in rest
    assert "“+1: that both are linear” is now “+0.25: that both are linear”." in rest
