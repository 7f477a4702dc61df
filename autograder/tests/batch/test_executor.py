"""The interface of what grades many submissions, as the executor in this process keeps it."""

from collections.abc import Iterator

import psutil
import pytest

from autograder.batch.executor import Executor, Task
from autograder.batch.in_process import InProcess
from autograder.course.course import Course
from autograder.submission.notebook import read_notebook
from autograder.tests.classroom import WRONG_SUMS, Notebook, hand_in, small, solved


@pytest.fixture
def tasks(course: Course) -> list[Task]:
    """Return three submissions: right, no notebook, wrong."""
    made: dict[str, Notebook | str] = {
        "zoe": solved(small(course)),
        "ben": "no notebook",
        "ann": solved(small(course), row_sums=WRONG_SUMS),
    }
    submissions = [hand_in(course, student, notebook) for student, notebook in made.items()]
    return [(submission, read_notebook(submission.notebook)) for submission in submissions]


def test_each_submission_comes_back_with_what_it_came_to_in_the_order_given(
    course: Course, tasks: list[Task]
) -> None:
    with InProcess(course) as executor:
        done = list(executor.map(tasks))
    assert [(submission, notebook) for submission, notebook, _ in done] == tasks
    assert [graded.report.status for _, _, graded in done] == ["graded", "unreadable", "graded"]
    assert [graded.report.score for _, _, graded in done][:2] == [5.0, 0.0]


def test_a_submission_is_taken_only_when_its_result_is_asked_for(course: Course, tasks: list[Task]) -> None:
    taken: list[str] = []

    def counted() -> Iterator[Task]:
        for task in tasks:
            taken.append(task[0].student)
            yield task

    with InProcess(course) as executor:
        results = executor.map(counted())
        assert taken == []
        next(results)
        assert taken == ["zoe"]


def test_one_executor_serves_several_rounds(course: Course, tasks: list[Task]) -> None:
    executor: Executor
    with InProcess(course) as executor:
        first, second = list(executor.map(tasks[:1])), list(executor.map(tasks[:1]))
    assert [graded.to_json() for _, _, graded in first] == [graded.to_json() for _, _, graded in second]


def test_no_process_is_started_for_nothing_and_none_is_left_at_the_end(
    course: Course, tasks: list[Task]
) -> None:
    before = set(psutil.Process().children(recursive=True))
    with InProcess(course) as executor:
        assert list(executor.map([])) == []
        assert set(psutil.Process().children(recursive=True)) == before
        list(executor.map(tasks[:1]))
        begun = set(psutil.Process().children(recursive=True)) - before
        assert begun
    assert not psutil.wait_procs(begun, timeout=30)[1]
