"""What students ask for shows until a person has done it, and nothing else does."""

from typing import Any

import pytest
from click.testing import CliRunner

from autograder.cli import main
from autograder.course.course import Course
from autograder.publishing import graded_work
from autograder.publishing.concerns import find_concerns
from autograder.publishing.graded_work import GradedWork, read_graded_work
from autograder.publishing.regrade_requests import RegradeRequests, RequestError
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
    "line",
    ["I want no regrade of double: it is right.", "regrade", "Regraded double: no", "regrade: x"],
)
def test_other_words_ask_nothing(course: Course, line: str) -> None:
    assert asked(course, cell(line)) == []


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
    with pytest.raises(RequestError, match="must have the columns student, exercise, question, reason"):
        RegradeRequests(course)


def test_a_request_is_a_concern_until_a_person_has_done_it(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    graded = in_gradebook("ann", report_on(RIGHT))
    monkeypatch.setattr(graded_work, "read_gradebook", lambda course, exercise: (graded,))
    notebook = {"cells": [cell("Regrade double: no")]}
    monkeypatch.setattr(graded_work, "autograded_notebook", lambda submission: notebook)

    def concerns() -> list[str]:
        works: list[GradedWork] = list(read_graded_work(course, [small(course)]))
        return [concern.why for concern in find_concerns(works)]

    def run(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(main, ["--course", str(course.root), "requests", *arguments])
        return done.exit_code, done.output

    assert concerns() == ["not graded yet", "asks to regrade double: no"]
    assert "ann      01_small  double    no" in run()[1]
    assert run("01_small", "--done", "ann", "why")[0] == 2
    assert run("01_small", "--done", "ann", "double") == (0, "done: ann 01_small double\n")
    assert concerns() == ["not graded yet"]


def test_a_row_that_names_nobody_or_nothing_is_told_with_what_may_be_meant(course: Course) -> None:
    (course.root / "students.csv").write_text("id,name\nann,Ann\nben,Ben\n", encoding="utf-8")
    (course.root / "submitted" / "left" / "01_small").mkdir(parents=True)
    rows = [
        "ann,01,double,a",
        "Ben,01_small,why,b",
        "ann,01_small,row_sum,c",
        "ann,01_small,why,d",
        ",,why,e",
    ]
    rows += ["", "left,01_small,why,f", "zzz,01_small,doubl,g"]
    path = course.root / "regrade_requests.csv"
    path.write_text("\n".join(["student,exercise,question,reason", *rows]) + "\n", encoding="utf-8")
    done = CliRunner().invoke(main, ["--course", str(course.root), "requests"])
    assert done.exit_code == 1
    assert done.stderr.splitlines() == [
        'regrade_requests.csv:2: "01" is no exercise; did you mean "01_small"?',
        'regrade_requests.csv:3: "Ben" is no id in students.csv; did you mean "ben"?',
        'regrade_requests.csv:4: "row_sum" is no question of 01_small; did you mean "row_sums"?',
        'regrade_requests.csv:6: names no student, and "" is no exercise; use one of 01_small',
        'regrade_requests.csv:9: "zzz" is no id in students.csv; add it there, '
        'and "doubl" is no question of 01_small; did you mean "double"?',
    ]
    assert [line.split()[-1] for line in done.stdout.splitlines() if "01_small" in line] == list("bcdfg")
    finished = CliRunner().invoke(
        main, ["--course", str(course.root), "requests", "01_small", "--done", "ann", "row_sum"]
    )
    assert finished.exit_code == 0
    assert len(RegradeRequests(course).problems) == 4
