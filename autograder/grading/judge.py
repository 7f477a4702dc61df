"""Judges one question, given what its tests came to: its verdict, its words, and who has to look."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from autograder.course.rule import Rule
from autograder.grading.by_hand import broken_rule
from autograder.grading.diagnosis import Diagnosis, Submitted
from autograder.grading.examples import Examples
from autograder.grading.wording import leading, stated
from autograder.report.report import QuestionReport, TestReport, Verdict, summarize
from autograder.testing.suite import HiddenTest, TestRun
from autograder.worker.ran import Ran

_EXPLAINED = (Verdict.FAILED, Verdict.CRASHED, Verdict.NOT_JUDGED)
_NOTHING_HELD = (Verdict.NOT_ATTEMPTED, Verdict.NOT_DEFINED)
WhyHeld = Callable[[Sequence[Ran]], str | None]  # says why a person has to look, given the disclosed runs


@dataclass(frozen=True, slots=True)
class Judge:
    """Makes the reports on the questions of one exercise."""

    points: Mapping[str, float]
    rules: Mapping[str, Rule]
    diagnosis: Diagnosis
    examples: Examples

    def held(self, codes: Sequence[str], ran: Mapping[str, Sequence[Ran]]) -> dict[str, WhyHeld]:
        """Return the questions whose rules seem broken, each with what says why, given the disclosed runs."""
        why = {n: partial(broken_rule, n, r, codes, ran.get(n, ())) for n, r in self.rules.items()}
        return {name: say for name, say in why.items() if say(()) is not None}

    def question(
        self,
        name: str,
        reports: Mapping[HiddenTest, TestReport],
        runs: Sequence[TestRun],
        why_held: WhyHeld | None,
        submitted: Submitted | None = None,
    ) -> QuestionReport:
        """Return the report on a question; `runs` are those on disclosed inputs, which supply all words.

        Without what was `submitted`, only the tests' own words explain a failure.
        """
        explained = {test: report for test, report in reports.items() if test.question == name}
        told = stated(explained)
        question = summarize(name, self.points[name], tuple(told.values()))
        wrong = any(test.verdict in _EXPLAINED for test in question.tests)
        own = [run for run in runs if run.test.question == name]
        if submitted and wrong and (mistake := self.diagnosis.name(name, own, submitted)):
            question = replace(question, mistake=mistake.name or None, hint=mistake.hint)
        elif question.verdict is Verdict.FAILED:
            words = leading(explained, told, self.diagnosis.rarity)
            question = replace(question, hint=words or question.hint)
        if why_held is None or question.verdict in _NOTHING_HELD or not question.score:
            return replace(question, shown=self.examples.of(name, explained, own))
        hint = why_held([shown for run in own for shown in run.ran]) or ""
        rule = TestReport("Written by hand, as the question asks.", Verdict.REVIEW, 0.0, hint)
        return replace(question, verdict=Verdict.REVIEW, score=0.0, hint=hint, tests=(*question.tests, rule))
