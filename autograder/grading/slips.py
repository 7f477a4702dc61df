"""Recognises an answer that holds one slip and is right otherwise, by its runs on hidden inputs.

Hidden runs decide, disclosed runs explain. What is wrong in an answer is found by its disclosed runs, where
a submission may only pretend. So the known wrong answer that explains them is run on the submission's own
hidden inputs: who has made that slip and no other fails the same tests there, with the same answers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from warnings import catch_warnings

from autograder.course.slips import SlipSettings
from autograder.grading.diagnosis import Diagnosis
from autograder.grading.evidence import explained, own_affair
from autograder.grading.known import Known, sketch
from autograder.grading.session import LOST
from autograder.report.report import QuestionReport, Verdict
from autograder.sandbox.errors import ZygoteError
from autograder.testing.exchange import Local, NotDefinedError
from autograder.testing.inputs import Inputs
from autograder.testing.student_error import StudentError
from autograder.testing.suite import TestRun
from autograder.worker.namespace import run_code

_MOST_TRIED = 3  # known wrong answers that disclosed runs do not tell apart
_ENOUGH = 0.5  # of a question's weight must go to tests that passed, or that got a value and no error
_ANSWERED = {Verdict.PASSED, Verdict.FAILED, Verdict.CRASHED}
_NO_ANSWER = (*LOST, NotDefinedError, ZygoteError)
_Runs = Mapping[int, TestRun]  # by the test's number


@dataclass(frozen=True, slots=True)
class HiddenRuns:
    """What a submission's tests came to on its hidden inputs."""

    inputs: Inputs
    runs: Sequence[TestRun] = ()

    def of(self, question: str) -> dict[int, TestRun]:
        """Return the runs of one question."""
        return {run.test.number: run for run in self.runs if run.test.question == question}


def kept(run: TestRun) -> TestRun:
    """Return what of a hidden run can still be asked for: of a test that passed, only that."""
    return run if run.error is not None else replace(run, exchanges=(), ran=())


class Slips:
    """Prices wrong answers to the questions of one exercise; without `settings` tests alone count."""

    def __init__(self, diagnosis: Diagnosis, settings: SlipSettings | None = None) -> None:
        self.settings = settings
        self.diagnosis = diagnosis
        self._hidden = lru_cache(32)(self._run)

    def priced(
        self, question: QuestionReport, shown: Sequence[TestRun], hidden: HiddenRuns
    ) -> QuestionReport:
        """Return the report on a question with what its wrong answer costs, and a sentence where that is new.

        `shown` are the question's runs on disclosed inputs.
        """
        settings, score = self.settings, question.score
        wrong = {test.verdict for test in question.tests} - {Verdict.PASSED}
        if settings is None or score is None or not wrong:
            return question
        recognised = (
            self.may_gain(question) and wrong <= _ANSWERED and self._recognises(question.name, shown, hidden)
        )
        price = settings.score(score, question.max_score, recognised=recognised)
        if price == score:
            return question
        share = f"{1 - price / question.max_score:.0%}".replace("%", " %")
        told = f"One slip, recognised: it costs {share} of this question."
        told = told if recognised else f"A failed test costs at least {share} of its question."
        return replace(question, score=price, hint=f"{told} {question.hint}".rstrip())

    def may_gain(self, question: QuestionReport) -> bool:
        """Whether a question has lost more than one slip may cost."""
        if self.settings is None or question.score is None:
            return False
        return question.score < question.max_score * (1 - self.settings.most)

    def explanations(self, question: str, shown: Sequence[TestRun]) -> list[Known]:
        """Return the known wrong answers with one slip that explain all of a question's disclosed runs.

        There is none where it could be something else, too, that is no slip.
        """
        return self.slips_among(self.alike(question, shown)) if self.settings else []

    def slips_among(self, alike: Sequence[Known]) -> list[Known]:
        """Return these known wrong answers, which nothing tells apart, if each of them is one slip."""
        if self.settings is None or any(map(self.why_no_slip, alike)):
            return []
        return list({one.answer.code: one for one in alike}.values())

    def alike(self, question: str, shown: Sequence[TestRun]) -> list[Known]:
        """Return the known wrong answers with one thing wrong that got the same from a question's tests."""
        failed = {run.test.number: run for run in shown if run.error is not None}
        if not failed:
            return []
        table = self.diagnosis.table(question)
        own = own_affair(table.own_numbers, failed.values())
        given = {number: sketch(run) for number, run in failed.items() if number not in own}
        return [
            one
            for one in table.by_failed.get(frozenset(failed), ())
            if all(seen.may_be(one.sketches[number]) for number, seen in given.items())
            and explained(one.runs, failed.values(), own)
        ]

    def why_no_slip(self, known: Known) -> str:
        """Return why a known wrong answer is more than one slip, or nothing."""
        return self.diagnosis.why_no_slip(known.answer.names[0])

    def _recognises(self, question: str, shown: Sequence[TestRun], hidden: HiddenRuns) -> bool:
        seen = hidden.of(question)
        if not (shows_enough(shown) and shows_enough(list(seen.values()))):
            return False
        tried = self.explanations(question, shown)[:_MOST_TRIED]
        return any(self._is_confirmed(question, one.answer.code, seen, hidden.inputs) for one in tried)

    def _is_confirmed(self, question: str, code: str, seen: _Runs, inputs: Inputs) -> bool:
        """Whether known code fails the same tests on hidden inputs, and no others, with the same answers."""
        known = self._hidden(question, code, inputs)
        failed = {number: run for number, run in seen.items() if run.error is not None}
        if known.keys() != seen.keys():
            return False
        if {number for number, run in known.items() if run.error is not None} != failed.keys():
            return False
        own = own_affair(self.diagnosis.table(question).own_numbers, failed.values())
        return explained(known, failed.values(), own)

    def _run(self, question: str, code: str, inputs: Inputs) -> _Runs:
        """Run known wrong code, which is the course's own, on hidden inputs."""
        suite = self.diagnosis.suite
        with catch_warnings(action="ignore"):  # it may deserve a warning, but nobody here made it
            backend = Local(run_code(suite.exercise.variant(code)))
            runs = suite.run(backend, inputs, suite.of(question))
            return {run.test.number: kept(run) for run in runs}


def shows_enough(runs: Sequence[TestRun]) -> bool:
    """Whether enough of a question's runs came to an answer: an error shows nothing that is right.

    Anybody can raise an error in the words of one who has made a slip.
    """
    if any(isinstance(run.error, _NO_ANSWER) for run in runs):
        return False
    answered = sum(run.test.weight for run in runs if not isinstance(run.error, StudentError))
    return answered >= _ENOUGH * sum(run.test.weight for run in runs)
