"""Names what is wrong in a submission, by wrong answers that get the same from the same tests."""

from collections.abc import Sequence
from functools import cache, cached_property
from warnings import catch_warnings

from autograder.course.exercise import Mistake
from autograder.course.reference import reference_errors
from autograder.grading.misconceptions import Catalogue, load_catalogue
from autograder.grading.named import Named as Named
from autograder.grading.namespaces import Runner
from autograder.grading.naming import Naming
from autograder.grading.table import Table, load_table
from autograder.testing.exchange import Local
from autograder.testing.suite import HiddenTest, Suite, TestRun
from autograder.worker.namespace import run_code


class Diagnosis:
    """Compares what failed tests got from a submission with what they get from known wrong answers."""

    def __init__(self, suite: Suite) -> None:
        self.suite = suite
        self.runs = cache(self._runs)
        self._table = cache(self._load)
        self._runner = Runner(suite)
        self._ways = cache(lambda question: tuple(self.failures(question).values()))

    def name(self, question: str, runs: Sequence[TestRun]) -> Named | None:
        """Return what explains the failed tests of `question`, or None.

        The runs are those on disclosed inputs. Tests that are not among them count as passed.
        """
        failed = [run for run in runs if run.error is not None and run.test.question == question]
        if not failed:
            return None
        table, tests = self._table(question), self.suite.of(question)
        return Naming(question, self.catalogue, table, tests, self._right, self._runner.run).find(failed)

    def knows(self, question: str, name: str) -> bool:
        """Whether this is a name that an answer to `question` can get, or several joined by a plus."""
        names = {mistake.name for mistake in self.suite.exercise.mistakes}
        names |= {f"{question}__{misconception.name}" for misconception in self.catalogue.misconceptions}
        first, *others = name.split("+")
        return {first, *(f"{question}__{other}" for other in others)} <= names

    def table(self, question: str) -> Table:
        """Return the known wrong answers to a question."""
        return self._table(question)

    def fitting(self) -> frozenset[str]:
        """Return the catalogue's rules that change a right answer to one of the exercise's questions."""
        return frozenset(rule for name in self.suite.exercise.points for rule in self._table(name).fitting)

    def rarity(self, test: HiddenTest) -> int:
        """Return how many known mistakes fail a test: the fewer, the more its failure says."""
        return sum(any(test.number in failed for failed in ways) for ways in self._ways(test.question))

    def failures(self, question: str) -> dict[str, list[frozenset[int]]]:
        """Return the tests that wrong answers with one thing wrong fail, by what is wrong."""
        found: dict[str, list[frozenset[int]]] = {}
        for known in self._table(question).answers:
            found.setdefault(known.answer.names[0], []).append(known.failed)
        return found

    @cached_property
    def catalogue(self) -> Catalogue:
        """The course's misconceptions."""
        return load_catalogue(self.suite.exercise.catalogue)

    @cached_property
    def _right(self) -> dict[int, TestRun]:
        return {run.test.number: run for run in self.suite.reference_runs}

    def _load(self, question: str) -> Table:
        return load_table(self.suite, self.catalogue, question)

    def _runs(self, mistake: Mistake) -> tuple[TestRun, ...]:
        exercise = self.suite.exercise
        with catch_warnings(action="ignore"):  # the mistake may deserve a warning, but nobody here made it
            with reference_errors(exercise, mistake):
                namespace = run_code(exercise.variant(mistake.code))
            return tuple(self.suite.run(Local(namespace), chosen=self.suite.of(mistake.question)))
