"""Renders the page of a written question, which shows all students' answers, and the list of such questions.

Equal answers with the same grade are one card. Answers may contain attacks, so a separate process renders
their Markdown.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from markupsafe import Markup
from nbformat import NotebookNode, v4
from sqlalchemy.orm import Session

from autograder.course.course import Course
from autograder.gradebook.formgrader import text_above
from autograder.gradebook.rubric import successors
from autograder.gradebook.similar_answers import cluster, differences, normal_form
from autograder.gradebook.written_answers import (
    Rescoring,
    WrittenAnswer,
    WrittenQuestion,
    assign_graders,
    count_answers,
    find_rescorings,
    read_answers,
    read_cells,
)
from autograder.report.safe_html import (
    MAX_PAGE,
    TOO_LARGE,
    Allowance,
    render_markdown,
    render_note,
    render_template,
    render_text,
)

FILES = Path(__file__).with_suffix("")  # the folder with the script of the page
_QUESTION, _QUESTIONS = (Path(__file__).with_name(name) for name in ("question.html", "questions.html"))
# Limits for rendering a page and for rendering one answer: seconds of processor time, characters of HTML.
_PAGE_SECONDS, _ANSWER_SECONDS = 5.0, 0.3
_PAGE_LETTERS, _ANSWER_LETTERS = 4 * MAX_PAGE, MAX_PAGE // 5
_NO_TEXT = "Nothing was written."
_NO_NOTEBOOK = "The graded notebook is missing. Run `autograder grade` to write it again."


@dataclass(frozen=True)
class Card:
    """Equal answers with the same grade. The page shows their text once, and one save grades all of them."""

    answers: Sequence[WrittenAnswer]
    html: Markup
    cluster: int  # the number of the card's cluster; cards in a cluster have nearly equal answers
    # The words that only this card has, and the words that only the first card of the cluster has.
    differing_words: tuple[str, str]
    grader: str  # the grader to whom the first answer is assigned, if any

    @property
    def head(self) -> WrittenAnswer:
        """The first of the answers."""
        return self.answers[0]


@dataclass(frozen=True)
class _Text:
    """The text of a student's answer, and the normal form in which answers are compared."""

    answer: WrittenAnswer
    cells: Sequence[tuple[str, Mapping[str, Any]]] | None  # None if the graded notebook is missing

    @cached_property
    def normal(self) -> str:
        return normal_form("\n".join(text for text, _ in self.cells or ()))

    def key(self, position: int, question: WrittenQuestion, *, apart: bool) -> tuple[Any, ...]:
        """Return the key of the answer's card. If `apart` is true, each answer has its own card."""
        if apart or self.cells is None:
            return (position,)
        state = self.answer.state(question.items)
        pictures = json.dumps([attached for _, attached in self.cells if attached], sort_keys=True)
        grade = json.dumps([state[key] for key in ("score", "waits", "given", "adjustment", "comment")])
        return self.normal, pictures, grade


def make_cards(
    question: WrittenQuestion,
    answers: Sequence[WrittenAnswer],
    graders: Mapping[str, str],
    *,
    apart: bool = False,
) -> list[Card]:
    """Return the cards of a page in the order of students, with nearly equal answers next to each other.

    If `apart` is true, each answer has its own card.
    """
    texts = [_Text(answer, read_cells(question, answer.student)) for answer in answers]
    heads = cluster([text.normal for text in texts])
    groups = defaultdict[tuple[Any, ...], list[int]](list)
    for position, text in enumerate(texts):
        groups[text.key(position, question, apart=apart)].append(position)
    page = Allowance(_PAGE_LETTERS, _PAGE_SECONDS)
    cards = []
    for places in sorted(groups.values(), key=lambda places: (heads[places[0]], places[0])):
        first, head = texts[places[0]], texts[heads[places[0]]]
        cards.append(
            Card(
                [texts[place].answer for place in places],
                _render(first.cells, page),
                heads[places[0]],
                differences(first.normal, head.normal),
                graders.get(first.answer.student, ""),
            )
        )
    return cards


def _render(cells: Sequence[tuple[str, Mapping[str, Any]]] | None, page: Allowance) -> Markup:
    """Return an answer as HTML. Its rendering time is limited, so that time is left for other answers."""
    if not cells:
        return render_note(_NO_NOTEBOOK if cells is None else _NO_TEXT)
    allowance = Allowance(min(page.letters, _ANSWER_LETTERS), min(page.seconds, _ANSWER_SECONDS))
    parts, seconds = [], allowance.seconds
    for text, attachments in cells:
        cell = NotebookNode(cell_type="markdown", source=text, attachments=attachments)
        part = render_markdown(cell, allowance, "mathml")
        parts.append(part if allowance.take(len(part)) and page.take(len(part)) else render_note(TOO_LARGE))
    page.seconds -= seconds - allowance.seconds
    return render_text("\n").join(parts)


def render_question(
    session: Session, question: WrittenQuestion, base: str, grader: str, *, apart: bool = False
) -> Markup:
    """Return the page on which graders read and score all answers to a question."""
    answers, settings = read_answers(session, question), question.course.settings
    graders = tuple(dict.fromkeys(settings.graders))
    cards = make_cards(question, answers, assign_graders(session, graders), apart=apart)
    rescorings = find_rescorings(question, answers)
    return render_template(
        _QUESTION,
        question=question,
        wording=_markdown(text_above(question.exercise.cells[: question.position])),
        model=_markdown(question.cell.model),
        cards=cards,
        states=lambda card: {answer.grade_id: answer.state(question.items) for answer in card.answers},
        apart=apart,
        rescorings=rescorings,
        first_numbers={card.cluster: number for number, card in reversed([*enumerate(cards, 1)])},
        numbers={answer.grade_id: number for number, card in enumerate(cards, 1) for answer in card.answers},
        versions={rescoring.answer.grade_id: rescoring.answer.version for rescoring in rescorings},
        changed_items=_changed_items(question, rescorings),
        graders=graders,
        grader=grader,
        base=base,
        version=_version(),
    )


def _markdown(text: str) -> Markup:
    return render_markdown(v4.new_markdown_cell(text), Allowance(), "mathml")


def _changed_items(question: WrittenQuestion, rescorings: Sequence[Rescoring]) -> dict[str, str]:
    """Return the new text of each changed item, by its old text; "" if the item was deleted.

    Items that no grader has given are left out.
    """
    changed = {}
    for rescoring in rescorings:
        marking = rescoring.answer.marking
        current_items = successors(marking.items, question.items)
        for item in marking.items:
            now = current_items[item.name]
            line = now.line if now else ""
            if item.name in marking.given and line != item.line:
                changed[item.line] = line
    return changed


def render_questions(session: Session, course: Course, base: str) -> Markup:
    """Return the page that lists all written questions, with the number of ungraded answers."""
    counts = count_answers(session)
    listed = [
        (exercise, name, *counts[exercise.name, name])
        for exercise in course.exercises.values()
        for name in exercise.written
        if (exercise.name, name) in counts
    ]
    return render_template(_QUESTIONS, listed=listed, problem="", base=base, version=_version())


def render_problem(problem: str, base: str) -> Markup:
    """Return a page that says why the requested page cannot be shown."""
    return render_template(_QUESTIONS, listed=[], problem=problem, base=base, version=_version())


@cache
def _version() -> str:
    """Return a digest that changes with the page's script.

    The script's address contains the digest, so that browsers use no old copy.
    """
    contents = (path.read_bytes() for path in sorted(FILES.iterdir()))
    return hashlib.sha256(b"".join(contents)).hexdigest()[:12]
