"""A class in which nothing has changed: how many queries and digests it takes to find that out."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import Engine, event

from autograder.batch.grade import grade_submissions
from autograder.collecting import attempts
from autograder.course.course import Course
from autograder.submission.notebook import Notebook
from autograder.tests.batch.test_attempts import ByTheirWord, hand_in
from autograder.tests.classroom import hand_in as hand_in_file
from autograder.tests.classroom import small


@contextmanager
def queries() -> Iterator[list[str]]:
    """Yield a list to which each statement is added that any database gets meanwhile."""
    statements = list[str]()

    def note(_: object, __: object, statement: str, *___: object) -> None:
        statements.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield statements
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def test_a_class_that_is_current_costs_as_many_queries_as_one_student_and_one_digest_each(
    ready: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts, digests = list[int](), list[bytes]()

    class Counted(Notebook):
        @property
        def digest(self) -> str:
            digests.append(self.content)
            return Notebook(self.content).digest

    for students in (["ann"], [f"student{number}" for number in range(12)]):
        for student in students:
            hand_in(ready, 0.4, -1, student)
        grade_submissions(ready, [small(ready)], executor=ByTheirWord())
        executor = ByTheirWord()
        with monkeypatch.context() as patch, queries() as statements:
            patch.setattr(attempts, "Notebook", Counted)
            digests.clear()
            summary = grade_submissions(ready, [small(ready)], executor=executor)
        assert not any(line.graded for line in summary.lines)
        assert executor.asked == []
        assert len(digests) == len(summary.lines)
        counts.append(len(statements))
    assert counts[0] == counts[1]


def test_a_submission_of_which_no_bytes_can_be_stored_is_graded_once(ready: Course) -> None:
    submission = hand_in_file(ready, "ann", "")
    submission.notebook.unlink()
    submission.notebook.symlink_to("nowhere")
    for is_first in (True, False):
        executor = ByTheirWord()
        (line,) = grade_submissions(ready, [small(ready)], executor=executor).lines
        assert (bool(executor.asked), line.graded) == (is_first, is_first)
