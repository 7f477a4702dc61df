"""Scores and verdicts follow from tests, and a report survives being written and read."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from autograder.report.example import Example, Grid
from autograder.report.report import (
    MAX_REPORT,
    AnswerLine,
    Entry,
    GradebookSubmission,
    QuestionReport,
    Report,
    Status,
    Verdict,
    bounded,
    choose_badge,
    total,
    written,
)
from autograder.report.report import TestReport as HiddenTest

PASSED = QuestionReport("q", Verdict.PASSED, 4.0, 4.0)
FAILED = QuestionReport(
    "q", Verdict.FAILED, 0.0, 4.0, "hint", None, (HiddenTest("title", Verdict.FAILED, 1, "hint"),)
)


def test_written_answers_do_not_count_and_a_grader_error_leaves_no_score() -> None:
    assert total((PASSED, written("w", 2))) == (4.0, 4)
    assert total((PASSED, replace(PASSED, score=None))) == (None, 8)


def test_a_report_has_a_greatest_size() -> None:
    def made(count: int, hint: str) -> Report:
        question = replace(FAILED, hint=hint, tests=(HiddenTest("title", Verdict.FAILED, 1, hint),) * count)
        return Report("01_small", Status.GRADED, "m" * 5000, 0.0, 4, (), (question,))

    assert bounded(made(3, "short")).questions == made(3, "short").questions
    cut = bounded(made(20, "\U0001f600" * 3_000_000))
    assert {len(test.hint) for test in cut.questions[0].tests} == {1000}
    assert len(cut.to_json()) <= MAX_REPORT
    left_out = bounded(made(60, "\U0001f600" * 3_000_000))
    assert len(left_out.to_json()) <= MAX_REPORT
    assert {test.hint for test in left_out.questions[0].tests} == {
        "(left out, because the report would be too long)"
    }
    assert [test.verdict for test in left_out.questions[0].tests] == [Verdict.FAILED] * 60


def test_a_report_is_one_line_of_json_with_the_contracts_keys_and_comes_back_the_same(
    golden: Callable[[str, str], None],
) -> None:
    shown = Example((Grid("x", (2,), (0.5, "nan")),), Grid("result", (), (1.0,)), Grid("result", (), (2.0,)))
    questions = (replace(FAILED, mistake="q__m", shown=shown, place=AnswerLine("q", 3)), written("w", 2))
    report = Report("01_small", Status.GRADED, "", 0.0, 4, ("process",), questions)
    line = report.to_json(notebook="a.ipynb")
    data = json.loads(line)
    assert "\n" not in line
    golden("report.json", json.dumps(data, indent=1) + "\n")
    assert Report.from_dict(report.as_dict()) == Report.from_dict(data) == report
    del data["questions"][0]["place"]  # which reports of older versions do not have
    assert Report.from_dict(data).questions[0] == replace(questions[0], place=None)
    others: list[object] = [{}, [], None, {**data, "status": "?"}, {**data, "questions": [{}]}]
    for odd in others:
        with pytest.raises(ValueError, match="Report"):
            Report.from_dict(odd)


@pytest.mark.parametrize(
    ("verdict", "score", "stands"),
    [
        (Verdict.FAILED, 2.84, "nearly right"),
        (Verdict.CRASHED, 2.25, "nearly right"),
        (Verdict.TIMED_OUT, 2.2, "partly right"),
        (Verdict.BLOCKED, 0.75, "partly right"),
        (Verdict.BLOCKED, 0.7, "blocked"),
        (Verdict.FAILED, 0.0, "failed"),
        (Verdict.CRASHED, None, "crashed"),
        (Verdict.PASSED, 3.0, "passed"),
        (Verdict.REVIEW, 0.0, "review"),
        (Verdict.NOT_ATTEMPTED, 0.0, "not attempted"),
    ],
)
def test_a_part_of_the_points_is_said_to_be_a_part(
    verdict: Verdict, score: float | None, stands: str
) -> None:
    assert choose_badge(verdict, score, 3.0) == stands


DOUBLE = Entry("ann", "double", False, 2.0, None, None, 3.0, False, "", "")


@pytest.mark.parametrize(
    ("auto", "manual", "extra", "score"),
    [
        (2.0, None, None, 2.0),
        (2.0, 0.0, None, 0.0),
        (2.0, 1.0, 0.5, 1.5),
        (None, None, 0.5, None),
        (None, 1.0, None, 1.0),
        (4 / 3, None, None, 1.3333),
    ],
)
def test_a_person_s_score_counts_before_ours_and_extra_credit_is_added(
    auto: float | None, manual: float | None, extra: float | None, score: float | None
) -> None:
    assert replace(DOUBLE, auto_score=auto, manual_score=manual, extra_credit=extra).score == score


def test_a_submission_is_worth_its_entries_less_the_penalty() -> None:
    submission = GradebookSubmission("ann", 60.0, 0.5, (DOUBLE, replace(DOUBLE, auto_score=1.25)))
    assert (submission.score, submission.max_score) == (2.75, 6.0)


def test_a_written_answer_may_wait_but_a_tested_question_must_have_a_score() -> None:
    waiting = replace(DOUBLE, auto_score=None)
    written = replace(waiting, written=True)
    assert GradebookSubmission("ann", 0.0, 0.0, (DOUBLE, written)).score == 2.0
    assert GradebookSubmission("ann", 0.0, 0.0, (DOUBLE, waiting)).score is None


def test_points_that_nobody_has_given_yet_are_no_part_of_what_the_score_is_of() -> None:
    written = replace(DOUBLE, auto_score=None, written=True, max_score=4.0)
    submission = GradebookSubmission("ann", 0.0, 0.0, (DOUBLE, written))
    assert submission.points_in_words == (
        "2 of 3 points so far; an instructor will grade answers worth 4 more"
    )
    assert GradebookSubmission("ann", 0.0, 0.0, (DOUBLE,)).points_in_words == "2 of 3"
    held = replace(DOUBLE, auto_score=0.0, needs_person=True)
    submission = GradebookSubmission("ann", 0.0, 0.0, (DOUBLE, held))
    assert submission.points_in_words == (
        "2 of 3 points so far; an instructor will grade answers worth 3 more"
    )
