"""Which of several attempts counts, by the rule in course.yaml, and what the page tells of all of them."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pkgutil import resolve_name
from typing import Any

import pytest

from autograder.batch.grade import grade_submissions
from autograder.batch.pool import Done, Task
from autograder.collecting.attempts import Arrival, place
from autograder.course.course import Course, load_course
from autograder.course.exercise import Exercise
from autograder.gradebook.book import copied_state
from autograder.gradebook.lateness import extend
from autograder.grading.graded import Graded
from autograder.records.database import writing
from autograder.records.tables import ATTEMPTS
from autograder.report.report import total
from autograder.submission.submission import Submission
from autograder.tests.classroom import ANSWER, small, solved
from autograder.tests.gradebook.rows import by_hand, feedback, full_marks, gradebook_submission, ruled

DUE = datetime(2026, 3, 1, 17, tzinfo=UTC)  # 18:00 in Berlin
HOUR = timedelta(hours=1)


class ByTheirWord:
    """Grades at once: each notebook says what its tested questions score, or else they score 0.

    It lists what it is asked.
    """

    def __init__(self, *, factor: float = 1.0) -> None:
        self.asked: list[str] = []
        self.factor = factor

    def map(self, tasks: Iterable[Task], *, marks_only: bool = False) -> Iterator[Done]:
        for submission, notebook, _ in tasks:
            said = re.search(rb"# score ([\d.]+)", notebook.content)
            share = float(said[1]) if said else 0.0
            self.asked.append(f"{share:g}")
            yield submission, notebook, scored(small(load_course(submission.root)), share * self.factor)


def scored(exercise: Exercise, share: float) -> Graded:
    graded = full_marks(exercise)
    questions = tuple(
        q if q.score is None else replace(q, score=q.score * share) for q in graded.report.questions
    )
    score, _ = total(questions)
    return replace(graded, report=replace(graded.report, questions=questions, score=score))


def written(course: Course, share: float, why: str = ANSWER) -> bytes:
    made = solved(small(course), why=why)
    made["cells"].append({"cell_type": "code", "source": f"# score {share}", "metadata": {}, "id": "share"})
    return json.dumps(made).encode()


def hand_in(course: Course, share: float, hours: float, student: str = "ann", why: str = ANSWER) -> None:
    """Hand in a notebook of this worth so many hours after the due date."""
    submission = Submission(course.root, student, "01_small")
    place(submission, written(course, share, why), Arrival(DUE + hours * HOUR))


def grade(course: Course, executor: ByTheirWord | None = None) -> float | None:
    grade_submissions(course, [small(course)], executor=executor or ByTheirWord())
    return gradebook_submission(course, "ann").score


def regraded(course: Course, *, factor: float = 1.0) -> list[str]:
    """Grade again, and return the shares of the notebooks that are graded anew."""
    executor = ByTheirWord(factor=factor)
    grade_submissions(course, [small(course)], executor=executor)
    return sorted(executor.asked)


def test_by_default_what_was_collected_last_counts_and_the_rule_can_change_at_any_time(ready: Course) -> None:
    for share, hours in ((0.4, -3), (1.0, -2), (0.6, -1), (0.8, 5)):
        hand_in(ready, share, hours)
    assert grade(ready) == 4.0
    assert grade(ruled(ready, "last before due")) == 3.0
    assert grade(ruled(ready, "best")) == 5.0
    assert grade(ruled(ready, "newest")) == 4.0


def test_the_best_is_found_once_and_again_when_the_tests_change(ready: Course) -> None:
    course = ruled(ready, "best")
    for share, hours in ((0.4, -3), (1.0, -2), (0.6, -1)):
        hand_in(course, share, hours)
    assert regraded(course) == ["0.4", "0.6", "1"]
    assert regraded(course) == []
    hand_in(course, 0.2, 0)
    assert regraded(course) == ["0.2"]
    assert gradebook_submission(course, "ann").score == 5.0
    with small(course).suite.open("a") as suite:
        suite.write("\n# mended\n")
    assert regraded(course, factor=0.5) == ["0.2", "0.4", "0.6", "1"]
    assert gradebook_submission(course, "ann").score == 2.5


def test_of_equals_the_newest_counts_and_a_penalty_counts_before_points(ready: Course) -> None:
    course = ruled(ready, "best", "percent: 50")
    hand_in(course, 0.6, -2)
    hand_in(course, 0.6, -1, why="Because.")
    hand_in(course, 1.0, 3)  # which being late makes 1.5
    assert grade(course) == 3.0
    time = (Submission(course.root, "ann", "01_small").folder / "timestamp.txt").read_text()
    assert time.startswith("2026-03-01 16:00")
    extend(course, "ann", "01_small", "2026-03-02 18:00 Europe/Berlin")
    assert grade(course) == 5.0


def test_the_last_before_due_knows_grace_and_extensions_and_takes_the_newest_of_late_ones(
    ready: Course,
) -> None:
    course = ruled(ready, "last before due", "percent: 10, grace: 30 minutes")
    hand_in(course, 0.2, 30)
    hand_in(course, 0.4, 31)
    assert grade(course) == pytest.approx(2.0 - 2 * 0.7)  # of 7 points, two days begun
    hand_in(course, 0.6, 0.4)
    assert grade(course) == 3.0
    extend(course, "ann", "01_small", "2026-03-02 23:59 Europe/Berlin")
    assert grade(course) == 1.0


def foreseen(course: Course, executor: ByTheirWord) -> list[tuple[object, ...]]:
    """Return what a dry run tells, once it is certain that grading then does just this."""
    before = {path: path.read_bytes() for path in course.root.rglob("*") if path.is_file()}
    with copied_state(course) as copy:
        dry = grade_submissions(copy, [small(course)], executor=executor).changes
    assert {path: path.read_bytes() for path in before} == before
    after = [path for path in course.root.rglob("*") if path.is_file() and path not in before]
    assert [path for path in after if path.suffix != ".lock"] == []
    done = grade_submissions(course, [small(course)], executor=ByTheirWord(factor=executor.factor)).changes
    assert dry == done
    return [(one.student, one.before, one.after, one.why) for one in dry]


def test_a_dry_run_foresees_that_another_attempt_counts_and_names_it(ready: Course) -> None:
    course = ruled(ready, "best", "percent: 50")
    hand_in(course, 0.6, -3)
    hand_in(course, 0.4, -2)
    assert grade(course) == 3.0
    by_hand(course, "ann", "why", 1.0)
    hand_in(course, 0.8, -1)
    hand_in(course, 0.2, -0.5)
    asked = ByTheirWord()
    another = "another notebook (attempt 3 of 4, 2026-03-01 17:00 CET)"
    assert foreseen(course, asked) == [("ann", 4.0, 5.0, another)]
    assert sorted(asked.asked) == ["0.2", "0.8"]
    hand_in(course, 1.0, 3)  # which being late makes 1.5
    assert foreseen(course, ByTheirWord()) == []
    extend(course, "ann", "01_small", "2026-03-02 18:00 Europe/Berlin")
    another = "another notebook (attempt 5 of 5, 2026-03-01 21:00 CET)"
    assert foreseen(course, ByTheirWord()) == [("ann", 5.0, 6.0, another)]
    course = ruled(course, "last before due", "percent: 50")
    extend(course, "ann", "01_small", None)
    by_itself = Submission(course.root, "ann", "01_small")  # put there by hand, and not yet kept
    by_itself.notebook.write_bytes(written(course, 0.7))
    (by_itself.folder / "timestamp.txt").write_text("2026-03-01 16:45:00 UTC")
    another = "dates or late policy, another notebook (attempt 6 of 6, 2026-03-01 17:45 CET)"
    assert foreseen(course, ByTheirWord()) == [("ann", 6.0, 4.5, another)]


def test_an_attempt_whose_time_is_no_time_stops_nobody(ready: Course) -> None:
    course = ruled(ready, "best", "percent: 50")
    for share in (1.0, 0.4):
        hand_in(course, share, -share)
    with writing(course.root) as store:
        store.execute(ATTEMPTS.update().values(time="last week"))
    hand_in(course, 0.2, 0, "ben")
    summary = grade_submissions(course, [small(course)], executor=ByTheirWord())
    assert {line.student: line.status for line in summary.lines}["ben"] == "graded"


@pytest.mark.parametrize("step", ["ExerciseGradebook.take_in", "ExerciseGradebook.finish"])
def test_who_has_an_attempt_that_cannot_be_chosen_gets_a_line_and_no_score(
    ready: Course, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = ruled(ready, "best")
    for student in ("ann", "ben"):
        hand_in(course, 0.4, -2, student)
        hand_in(course, 0.2, -1, student)
    path = f"autograder.batch.grade.{step}"
    original = resolve_name(path)

    def broken(*arguments: Any, **options: Any) -> Any:
        if any(getattr(one, "student", "") == "ann" for one in arguments):
            raise ArithmeticError
        return original(*arguments, **options)

    monkeypatch.setattr(path, broken)
    summary = grade_submissions(course, [small(course)], executor=ByTheirWord())
    ann, ben = summary.lines
    assert (ann.student, ann.ours, ann.score) == ("ann", True, None)
    assert "cannot be processed: ArithmeticError" in ann.message
    assert (ben.status, ben.score, summary.exit_code) == ("graded", 2.0, 3)


def test_the_page_shows_the_course_of_attempts_and_the_extension(ready: Course) -> None:
    course = ruled(ready, "best")
    extend(course, "ann", "01_small", "2026-03-03 18:00 Europe/Berlin")
    extend(course, "ben", "01_small", "2026-03-02 18:00 Europe/Berlin")
    hand_in(course, 1.0, -3)
    hand_in(course, 0.4, -2)
    hand_in(course, 1.0, -3, "ben")
    grade(course)
    hand_in(course, 0.2, -1)
    page = feedback(course, "ann")
    assert "<p>You had an extension: you could hand in until 2026-03-03 18:00 CET.</p>" in page
    assert "<summary>You have handed in 3 times</summary>" in page
    assert [line for line in page.splitlines() if line.startswith("<li>2026")] == [
        "<li>2026-03-01 15:00 CET: 5 of 5 points from tests; this one counts</li>",
        "<li>2026-03-01 16:00 CET: 2 of 5 points from tests</li>",
        "<li>2026-03-01 17:00 CET</li>",
    ]
    other = feedback(course, "ben")
    assert "until 2026-03-02 18:00 CET" in other
    assert "handed in" not in other
    assert "attempts" not in [path.parent.name for path in (course.root / "autograded").glob("*/*")]
