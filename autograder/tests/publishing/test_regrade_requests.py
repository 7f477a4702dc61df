"""What students ask for shows until a person has done it, and nothing else does."""

from typing import Any

import pytest

from autograder.course.course import Course
from autograder.errors import UsageError
from autograder.publishing import graded_work
from autograder.publishing.dashboard import find_concerns
from autograder.publishing.graded_work import GradedWork, RegradeRequests, read_graded_work
from autograder.tests.classroom import small
from autograder.tests.publishing.works import RIGHT, in_gradebook, report_on


def cell(source: str, **about: bool) -> dict[str, Any]:
    return {"cell_type": "markdown", "source": source, "metadata": {"nbgrader": about} if about else {}}


def asked(course: Course, *cells: dict[str, Any]) -> list[tuple[str, str]]:
    found = RegradeRequests(course).of("ann", "01_small", {"cells": list(cells)})
    return [(one.question, one.reason) for one in found]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Regrade double: it also takes -inf.", ("double", "it also takes -inf.")),
        ("  - **regrade `why`: see my drawing**", ("why", "see my drawing**")),
        ("# REGRADE row_sums:", ("row_sums", "")),
        ("Some words.\n\n> Regrade double : because\x1b[2J", ("double", "because [2J")),
    ],
)
def test_a_line_in_a_cell_asks(course: Course, line: str, expected: tuple[str, str]) -> None:
    assert asked(course, cell(line)) == [expected]


@pytest.mark.parametrize(
    "line", ["I want no regrade of double: it is right.", "Regraded double: no", "a regrade: x"]
)
def test_other_words_ask_nothing(course: Course, line: str) -> None:
    assert asked(course, cell(line)) == []


@pytest.mark.parametrize("line", ["Regrade", "regrade: softmax", "# Regrade softmax please"])
def test_a_line_of_another_form_is_shown_with_the_right_one(course: Course, line: str) -> None:
    reason = f'"{line}" names no question; the right form is "Regrade QUESTION: REASON"'
    assert asked(course, cell(line)) == [("?", reason)]


def test_cells_that_the_course_has_written_ask_nothing(course: Course) -> None:
    assert asked(course, cell("Regrade double: x", locked=True)) == []


def test_a_notebook_full_of_requests_gives_a_few_short_ones(course: Course) -> None:
    found = asked(course, cell("\n".join(f"Regrade q{n}: {'x' * 900}" for n in range(500))))
    assert len(found) == 20
    assert max(len(reason) for _, reason in found) == 300


def test_a_list_asks_too_and_one_that_cannot_be_read_is_named(course: Course) -> None:
    path = course.root / "regrade_requests.csv"
    path.write_text("Student;Exercise;Question;Reason\nann;01_small;why;=1+1\n;;;\n", encoding="utf-8")
    assert asked(course) == [("why", "=1+1")]
    path.write_text("who,what\n", encoding="utf-8")
    with pytest.raises(UsageError, match="must have the columns student, exercise, question, reason"):
        RegradeRequests(course)


def test_a_request_is_a_concern_until_a_person_has_done_it(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    graded = in_gradebook("ann", report_on(RIGHT))
    monkeypatch.setattr(graded_work, "read_gradebook", lambda course, exercise, **_: (graded,))
    notebook = {"cells": [cell("Regrade double: no")]}
    monkeypatch.setattr(graded_work, "read_graded", lambda submission: notebook)

    def concerns() -> list[str]:
        works: list[GradedWork] = list(read_graded_work(course, [small(course)]))
        return [concern.why for concern in find_concerns(works)]

    assert concerns() == ["not graded yet", "asks to regrade double: no"]
    asked = RegradeRequests(course)
    asked.finish(asked.of("ann", "01_small", notebook))
    assert concerns() == ["not graded yet"]
