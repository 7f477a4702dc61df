"""The command `requests` lists what students ask for, closes a request, and names rows that match nothing."""

import pytest
from click.testing import CliRunner

from autograder.cli import main
from autograder.course.course import Course
from autograder.plugins.requests import problems
from autograder.publishing import graded_work
from autograder.publishing.graded_work import RegradeRequests
from autograder.publishing.overview import write_pages
from autograder.tests.classroom import small, solved
from autograder.tests.gradebook.rows import Formgrader, record
from autograder.tests.publishing.pages import Page
from autograder.tests.publishing.test_regrade_requests import cell
from autograder.tests.publishing.works import RIGHT, in_gradebook, report_on


def test_a_request_is_listed_until_an_instructor_closes_it(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    graded = in_gradebook("ann", report_on(RIGHT))
    monkeypatch.setattr(graded_work, "read_gradebook", lambda course, exercise, **_: (graded,))
    notebook = {"cells": [cell("Regrade double: no")]}
    monkeypatch.setattr(graded_work, "read_graded", lambda submission: notebook)

    def run(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(main, ["--course", str(course.root), "requests", *arguments])
        return done.exit_code, done.output

    assert "ann      01_small  double    no" in run()[1]
    assert run("01_small", "--done", "ann", "why")[0] == 2
    assert run("01_small", "--done", "ann", "double") == (0, "done: ann 01_small double\n")
    assert "double" not in run()[1]


def test_a_reply_stands_on_the_student_s_page_beside_what_graders_wrote(ready: Course) -> None:
    asking = {**cell("Regrade row_sums: mine is right"), "id": "asks"}
    made = solved(small(ready))
    record(ready, "ann", made={**made, "cells": [*made["cells"], asking]})
    Formgrader(ready).comment("ann", "row_sums", "Look at the shape.")

    def run(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(main, ["--course", str(ready.root), "requests", "01_small", *arguments])
        return done.exit_code, done.output

    assert run("--reply", "You are right.")[0] == 2
    reply = ("--done", "ann", "row_sums", "--reply", "You are right: <b>2</b> points.")
    assert run(*reply) == (0, "done: ann 01_small row_sums\n")
    assert run(*reply)[0] == 2  # it is done
    (page,) = write_pages(ready, [small(ready)])
    words = " ".join(Page(page.read_text(encoding="utf-8")).words.split())
    said = "On your request to grade this again: You are right: <b>2</b> points."
    assert f"Look at the shape. {said}" in words


def test_a_reply_about_no_question_changes_nothing(ready: Course) -> None:
    record(ready, "ann", made=solved(small(ready)))
    path = ready.root / "regrade_requests.csv"
    path.write_text("student,exercise,question,reason\nann,01_small,doubl,a\n", encoding="utf-8")
    arguments = ["--course", str(ready.root), "requests", "01_small", "--done", "ann", "doubl"]
    done = CliRunner().invoke(main, [*arguments, "--reply", "Yes."])
    assert done.exit_code == 2
    assert "the gradebook has no answer of ann to doubl of 01_small" in done.output
    assert len(RegradeRequests(ready).rows) == 1


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
        'regrade_requests.csv:2: "01" is not an exercise; did you mean "01_small"?',
        'regrade_requests.csv:3: "Ben" is not an id in students.csv; did you mean "ben"?',
        'regrade_requests.csv:4: "row_sum" is not a question of 01_small; did you mean "row_sums"?',
        'regrade_requests.csv:6: names no student, and "" is not an exercise; use one of 01_small',
        'regrade_requests.csv:9: "zzz" is not an id in students.csv; add it there, '
        'and "doubl" is not a question of 01_small; did you mean "double"?',
    ]
    assert [line.split()[-1] for line in done.stdout.splitlines() if "01_small" in line] == list("bcdfg")
    finished = CliRunner().invoke(
        main, ["--course", str(course.root), "requests", "01_small", "--done", "ann", "row_sum"]
    )
    assert finished.exit_code == 0
    assert len(list(problems(course, RegradeRequests(course).rows))) == 4
