"""Runs the hidden tests of chosen questions on a submission, on hidden inputs or on disclosed ones."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from autograder.course.names import checked_question
from autograder.course.rule import Rule
from autograder.course.settings import Limits
from autograder.grading.session import LOST, Session
from autograder.submission.notebook import NotebookCell
from autograder.testing.inputs import DISCLOSED, Inputs
from autograder.testing.suite import HiddenTest, Suite, TestRun
from autograder.worker.protocol import ProtocolError


@dataclass(frozen=True, slots=True)
class Running:
    """How the tests of one exercise are run: its suite, its rules and its limits."""

    suite: Suite
    rules: Mapping[str, Rule]
    limits: Limits

    def tests(
        self, session: Session, inputs: Inputs, chosen: Container[HiddenTest] | None = None
    ) -> Iterator[TestRun]:
        """Run tests; where one of them loses the worker, no more tests of its question are run.

        Where the sandbox fails, nothing more is run, and no run counts.
        """
        lost: dict[str, BaseException] = {}
        for run in self.suite.run(session, inputs, chosen, lost.get, self.rules):
            if session.failure is not None:
                raise session.failure
            if isinstance(run.error, LOST):
                lost.setdefault(run.test.question, run.error)
            yield run

    def disclosed(self, session: Session, questions: Container[str]) -> list[TestRun]:
        """Run all tests of these questions on inputs that may be shown, in a worker that knows no others.

        All of them, since a known mistake is known by the tests that it passes, too.
        """
        chosen = self.tests_of(questions)
        return list(self.tests(session, DISCLOSED, chosen)) if chosen else []

    def forged(self, questions: Container[str]) -> list[TestRun]:
        """Return runs of these questions' tests that found a forged answer, without running any.

        Each takes a worker, and what the forger computes. That an answer to the visible check was forged
        is known already, from a worker that knew no hidden inputs.
        """
        tests = (test for test in self.suite.tests if test.question in questions)
        return [TestRun(test, ProtocolError("the visible check got no answer"), ()) for test in tests]

    def tests_of(self, questions: Container[str]) -> set[HiddenTest]:
        """Return the tests of these questions."""
        return {test for test in self.suite.tests if test.question in questions}

    def in_new_worker(
        self, first: Session, cells: Sequence[NotebookCell], questions: Container[str]
    ) -> list[TestRun]:
        """Make disclosed runs after hidden ones; the worker that knows hidden inputs has ended.

        The visible checks define nothing, so the new worker does without them, and without the cells that
        cost the first one its life.
        """
        with first.another(defining(cells)) as session:
            return self.disclosed(session, questions)

    @property
    def repair_limits(self) -> Limits:
        """The limits of a session in which edited code is tried; it has met no hidden input."""
        call = min(self.limits.call_seconds, _REPAIR_CALL)
        return replace(
            self.limits, call_seconds=call, total_seconds=min(self.limits.total_seconds, _REPAIR_TOTAL)
        )


_REPAIR_CALL, _REPAIR_TOTAL = 1.0, 60.0  # seconds


def defining(cells: Sequence[NotebookCell]) -> list[NotebookCell]:
    """Return the cells without the visible checks, which define nothing."""
    return [cell for cell in cells if checked_question(cell.name) is None]
