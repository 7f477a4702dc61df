"""All answers to a question: what is read of them, and what a save leaves in nbgrader's gradebook."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook

from autograder.course.course import Course, load_course
from autograder.course.notebook import RUBRIC as RELEASED_RUBRIC
from autograder.gradebook.pages import update_scores
from autograder.gradebook.written_answers import (
    Change,
    ChangedAnswerError,
    SaveError,
    WrittenAnswer,
    WrittenQuestion,
    apply_rubric,
    assign_graders,
    count_answers,
    find_question,
    find_rescorings,
    read_answers,
    read_cells,
    save,
)
from autograder.records.audit import audit_lines
from autograder.records.database import gradebook_url
from autograder.records.tables import MARKINGS
from autograder.tests.classroom import Notebook, open_course, small, solved
from autograder.tests.gradebook import rows
from autograder.tests.gradebook.rows import gradebook_entry, record

RUBRIC = "(that both are linear: 1 point; the common factor: 0.5 points; an example: 0.5 points)"
UNITS = "Say in which units."
BANK = f"units: {UNITS}\n"


class Desk:
    """A grader's page: the question, and nbgrader's gradebook in a session that stays open."""

    def __init__(self, course: Course, gradebook: Gradebook, name: str = "tom") -> None:
        self.course, self.gradebook, self.name = course, gradebook, name

    @property
    def question(self) -> WrittenQuestion:
        """The question as its author has written it now."""
        return find_question(load_course(self.course.root), "01_small", "why")

    def answers(self) -> dict[str, WrittenAnswer]:
        """Return the answers as a page reads them, by student."""
        return {answer.student: answer for answer in read_answers(self.gradebook.db(), self.question)}

    def save(self, *students: str, seen: dict[str, WrittenAnswer] | None = None, **change: Any) -> None:
        """Save a change of the answers of these students, as the page does that has `seen` them."""
        read = seen or self.answers()
        versions = {read[student].grade_id: read[student].version for student in students}
        request = {"versions": versions, "rubric_version": self.question.rubric_version, **change}
        save(self.gradebook, self.question, Change.from_json(request), self.name)


def rewrite_rubric(course: Course, rubric: str) -> None:
    """Let the author give the question a rubric."""
    source = small(course).source
    text, _, rest = source.read_text(encoding="utf-8").partition("out of the sum.")
    source.write_text(
        f"{text}out of the sum.\n#\n# {rubric}\n# ###{rest.partition('###')[2]}", encoding="utf-8"
    )


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory: pytest.TempPathFactory, blank_gradebook: Path) -> Course:
    """Return a course in which three students have answered, to copy."""
    course = open_course(tmp_path_factory.mktemp("written") / "course")
    shutil.copy(blank_gradebook, course.root)
    rewrite_rubric(course, RUBRIC)
    (course.root / "comments.yaml").write_text(BANK, encoding="utf-8")
    course = load_course(course.root)
    for student in ("ann", "ben", "cy"):
        record(course, student, made=solved(small(course), why=f"The factor, says {student}."))
    return course


@pytest.fixture
def desk(handed_in: Course, tmp_path: Path) -> Iterator[Desk]:
    """Return the page of a grader in a copy of this course."""
    shutil.copytree(handed_in.root, tmp_path / "course")
    course = load_course(tmp_path / "course")
    with Gradebook(gradebook_url(course.root), course.settings.course) as gradebook:
        yield Desk(course, gradebook)


def test_a_save_is_in_nbgrader_s_gradebook_and_in_the_audit(desk: Desk) -> None:
    assert [answer.waits for answer in desk.answers().values()] == [True, True, True]
    desk.save("ann", given={"1": 1, "units": 1})
    desk.save("ann", comment="Think of $2x$.")
    entry = gradebook_entry(desk.course, "ann", "why")
    assert (entry.manual_score, entry.needs_person) == (1.0, False)
    assert entry.remark == "+1: that both are linear\nSay in which units.\nThink of $2x$."
    *_, line = audit_lines(desk.course)
    assert (line["by"], line["student"], line["question"], line["why"]) == ("tom", "ann", "why", "by hand")
    assert line["questions"]["why"] == [None, 1.0, None]
    state = desk.answers()["ann"].state(desk.question.items)
    assert (state["given"], state["comment"], state["by"]) == ({"1": 1, "units": 1}, "Think of $2x$.", "tom")
    assert update_scores(desk.course, small(desk.course)) == ()  # nothing is left for the next `grade`
    assert count_answers(desk.gradebook.db())["01_small", "why"] == (3, 2)


@pytest.mark.parametrize(
    ("changes", "score", "remark"),
    [
        (
            [{"given": {"1": 1}}, {"given": {"2": 1, "1": 1}}],
            1.5,
            "+1: that both are linear\n+0.5: the common factor",
        ),
        ([{"given": {"1": 0.5}}], 0.5, "+0.5: that both are linear"),
        ([{"given": {"1": 1}}, {"given": {}}], None, ""),
        ([{"given": {}, "adjustment": 0}], 0.0, ""),
        ([{"given": {}, "adjustment": 7}], 2.0, ""),
        ([{"given": {}, "adjustment": -1}], 0.0, ""),
        ([{"given": {}, "adjustment": 1.25}, {"given": {"units": 1}, "adjustment": 1.25}], 1.25, UNITS),
        ([{"given": {"2": 1}, "adjustment": 1.25}], 1.75, "+0.5: the common factor"),
        ([{"given": {"2": 1}, "adjustment": 1.25}, {"given": {"2": 1}}], 0.5, "+0.5: the common factor"),
        ([{"given": {"units": 1}}], None, UNITS),
        ([{"comment": "Hm."}], None, "Hm."),
        ([{"given": {"1": 1}, "adjustment": -0.25}], 0.75, "+1: that both are linear"),
        ([{"given": {"1": 1}, "comment": "Hm."}, {"given": {}}], None, "Hm."),
    ],
)
def test_items_and_a_typed_score_add_up(
    desk: Desk, changes: list[dict[str, Any]], score: float | None, remark: str
) -> None:
    for change in changes:
        desk.save("ann", **change)
    entry = gradebook_entry(desk.course, "ann", "why")
    assert (entry.manual_score, entry.remark, entry.needs_person) == (score, remark, score is None)


def test_a_typed_score_is_the_same_after_an_item_was_given_and_taken_away(desk: Desk) -> None:
    desk.save("ann", given={}, adjustment=2)
    for given in ({"1": 1}, {}):
        desk.save("ann", given=given, adjustment=desk.answers()["ann"].marking.adjustment)
        assert gradebook_entry(desk.course, "ann", "why").manual_score == 2.0


def test_a_score_that_nbgrader_s_page_saved_counts_as_typed(desk: Desk) -> None:
    desk.save("ann", given={"1": 1})
    rows.by_hand(desk.course, "ann", "why", 1.75)
    assert desk.answers()["ann"].marking.adjustment == 0.75


def test_items_that_an_earlier_version_stored_as_a_list_are_given_in_full(desk: Desk) -> None:
    desk.save("ann", given={"1": 1, "units": 1})
    desk.gradebook.db().execute(MARKINGS.update().values(given=["1", "units"]))
    desk.gradebook.db.commit()
    marking = desk.answers()["ann"].marking
    assert (marking.given, marking.adjustment) == ({"1": 1, "units": 1}, None)


def test_an_answer_waits_again_if_a_save_is_taken_back(desk: Desk) -> None:
    desk.save("ann", given={"1": 1})
    record(desk.course, "ann", made=solved(small(desk.course), why="Something else."))
    desk.save("ann", given={"1": 1, "2": 1})
    assert not desk.answers()["ann"].waits
    desk.save("ann", given={"1": 1}, waits=True)
    answer = desk.answers()["ann"]
    assert (answer.waits, answer.score) == (True, 1.0)
    saved = [line for line in audit_lines(desk.course) if line["question"]]
    assert [line["questions"]["why"][1] for line in saved] == [1.0, 1.5, 1.0]
    assert {line["by"] for line in saved} == {"tom"}


def test_several_answers_are_saved_together_or_not_at_all(desk: Desk) -> None:
    seen = desk.answers()
    rows.by_hand(desk.course, "ben", "why", 0.5, "Mine.")  # meanwhile, by another program
    message = "another grader has changed the grade meanwhile; the page now shows the new grade"
    with pytest.raises(ChangedAnswerError, match=f"^{message}$"):
        desk.save("ann", "ben", seen=seen, given={"1": 1})
    assert gradebook_entry(desk.course, "ann", "why").manual_score is None
    assert gradebook_entry(desk.course, "ben", "why").manual_score == 0.5
    desk.save("ann", "ben", given={"1": 1})
    scores = {name: (a.score, a.typed_comment) for name, a in desk.answers().items()}
    assert scores == {"ann": (1.0, ""), "ben": (1.0, "Mine."), "cy": (None, "")}


def test_two_graders_with_a_server_each_never_overwrite_each_other(desk: Desk) -> None:
    with Gradebook(gradebook_url(desk.course.root), desk.course.settings.course) as gradebook:
        other = Desk(desk.course, gradebook, "eve")
        seen, seen_by_other = desk.answers(), other.answers()
        desk.save("ann", seen=seen, given={"1": 1})
        with pytest.raises(ChangedAnswerError):
            other.save("ann", seen=seen_by_other, given={"2": 1})
        other.save("ben", seen=seen_by_other, given={"2": 1})
        assert {name: (a.score, a.last_grader) for name, a in desk.answers().items()} == {
            "ann": (1.0, "tom"), "ben": (0.5, "eve"), "cy": (None, ""),
        }  # fmt: skip


@pytest.mark.parametrize(
    "body",
    [
        [], 7, None, {}, {"versions": 7}, {"versions": {"x": 1}}, {"versions": {"no such grade": "x"}},
        {"rubric_version": None}, {"rubric_version": ""}, {"rubric_version": 7},
        {"given": ["1"]}, {"given": {"1": 2}}, {"given": {"1": True}}, {"given": {"1": "0.5"}},
        {"given": {"no such item": 1}}, {"adjustment": 1}, {"given": {}, "adjustment": "1"},
        {"given": {}, "adjustment": float("nan")}, {"given": {}, "adjustment": True},
        {"comment": 7}, {"comment": "x" * 10_001},
    ],
)  # fmt: skip
def test_a_request_of_another_form_changes_nothing(desk: Desk, body: Any) -> None:
    versions = {answer.grade_id: answer.version for answer in desk.answers().values()}
    before = rows.dump(desk.course.root / "gradebook.db")
    complete = {"versions": versions, "rubric_version": desk.question.rubric_version}
    request = {**complete, **body} if body and isinstance(body, dict) else body
    with pytest.raises(SaveError):
        save(desk.gradebook, desk.question, Change.from_json(request), "tom")
    assert rows.dump(desk.course.root / "gradebook.db") == before


def test_a_changed_rubric_changes_scores_after_a_list(desk: Desk) -> None:
    desk.save("ann", given={"1": 1, "2": 1}, comment="Fine.")
    desk.save("ben", given={"3": 1})
    assert find_rescorings(desk.question, list(desk.answers().values())) == []
    rewrite_rubric(desk.course, RUBRIC.replace("1 point", "0.5 points").replace("common factor", "factor k"))
    listed = find_rescorings(desk.question, list(desk.answers().values()))
    assert [(each.answer.student, each.answer.score, each.score) for each in listed] == [("ann", 1.5, 1.0)]
    desk.save("ann", comment="Still fine.")  # does not apply the rubric by itself
    assert gradebook_entry(desk.course, "ann", "why").manual_score == 1.5
    versions = {answer.grade_id: answer.version for answer in desk.answers().values()}
    apply_rubric(desk.gradebook, desk.question, versions, "tom")
    entry = gradebook_entry(desk.course, "ann", "why")
    assert (entry.manual_score, entry.remark) == (
        1.0,
        "+0.5: that both are linear\n+0.5: the factor k\nStill fine.",
    )
    assert gradebook_entry(desk.course, "ben", "why").manual_score == 0.5
    assert [line["score"] for line in audit_lines(desk.course)][-1] == 6.0
    assert find_rescorings(desk.question, list(desk.answers().values())) == []


def test_an_answer_that_changes_waits_again_and_shows_what_it_got(desk: Desk) -> None:
    desk.save("ann", given={"1": 1})
    record(desk.course, "ann", made=solved(small(desk.course), why="Something else."))
    answer = desk.answers()["ann"]
    assert (answer.waits, answer.score, answer.marking.given) == (True, 1.0, {"1": 1})
    desk.save("ann", given={"1": 1})
    assert not desk.answers()["ann"].waits


OWN = {"cell_type": "markdown", "source": "My *own* cell", "metadata": {}, "id": "own"}


def around(made: Notebook) -> Notebook:
    return {**made, "cells": [*made["cells"], OWN]}


@pytest.mark.parametrize(
    ("why", "texts"),
    [
        ("A factor.", ["A factor."]),
        ("YOUR ANSWER HERE", []),
        ("A factor.", ["A factor.", "My *own* cell"]),
        ("YOUR ANSWER HERE", ["My *own* cell"]),
    ],
)
def test_an_answer_is_its_cell_and_the_text_cells_beside_it(desk: Desk, why: str, texts: list[str]) -> None:
    made = solved(small(desk.course), why=why)
    record(desk.course, "ann", made=around(made) if OWN["source"] in texts else made)
    assert [text for text, _ in read_cells(desk.question, "ann") or ()] == texts


def test_a_page_that_shows_an_old_rubric_saves_nothing(desk: Desk) -> None:
    shown = desk.question.rubric_version
    desk.save("ann", given={"1": 1}, rubric_version=shown)
    rewrite_rubric(desk.course, RUBRIC.replace("1 point;", "0.25 points;"))
    with pytest.raises(ChangedAnswerError, match="the rubric has changed; load the page again"):
        desk.save("ben", given={"1": 1}, rubric_version=shown)
    assert desk.answers()["ben"].score is None
    desk.save("ben", given={"1": 1}, rubric_version=desk.question.rubric_version)
    assert desk.answers()["ben"].score == 0.25


def test_a_rubric_that_has_changed_since_the_release_is_not_part_of_an_answer(desk: Desk) -> None:
    old = RELEASED_RUBRIC.format(named="a full answer names two things", things="- what nobody asks any more")
    made = solved(small(desk.course), why="A factor.")
    cell = {"cell_type": "markdown", "source": old, "metadata": {}, "id": "old"}
    record(desk.course, "ann", made={**made, "cells": [*made["cells"], cell]})
    assert [text for text, _ in read_cells(desk.question, "ann") or ()] == ["A factor."]


def test_a_missing_graded_notebook_is_not_an_empty_answer(desk: Desk) -> None:
    assert read_cells(desk.question, "nobody") is None


def test_each_grader_gets_every_nth_student(desk: Desk) -> None:
    assert assign_graders(desk.gradebook.db(), ["tom", "eve"]) == {"ann": "tom", "ben": "eve", "cy": "tom"}
    assert assign_graders(desk.gradebook.db(), []) == {}
