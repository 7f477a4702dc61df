"""The scores that count: a person's before ours, and none where one is missing."""

from dataclasses import replace

import pytest

from autograder.report.gradebook_submission import GradebookEntry, GradebookSubmission

ENTRY = GradebookEntry("ann", "double", False, 2.0, None, None, 3.0, False, "", "")


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
    assert replace(ENTRY, auto_score=auto, manual_score=manual, extra_credit=extra).score == score


def test_a_submission_is_worth_its_entries_less_the_penalty() -> None:
    submission = GradebookSubmission("ann", 60.0, 0.5, (ENTRY, replace(ENTRY, auto_score=1.25)))
    assert (submission.score, submission.max_score) == (2.75, 6.0)


def test_a_written_answer_may_wait_but_a_tested_question_must_have_a_score() -> None:
    waiting = replace(ENTRY, auto_score=None)
    written = replace(waiting, written=True)
    assert GradebookSubmission("ann", 0.0, 0.0, (ENTRY, written)).score == 2.0
    assert GradebookSubmission("ann", 0.0, 0.0, (ENTRY, waiting)).score is None


def test_points_that_nobody_has_given_yet_are_no_part_of_what_the_score_is_of() -> None:
    written = replace(ENTRY, auto_score=None, written=True, max_score=4.0)
    submission = GradebookSubmission("ann", 0.0, 0.0, (ENTRY, written))
    assert submission.points_in_words == "2 of 3 so far, 4 not graded yet"
    assert GradebookSubmission("ann", 0.0, 0.0, (ENTRY,)).points_in_words == "2 of 3"
