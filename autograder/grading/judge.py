"""Judges one question from the results of its tests: verdict, score, hint, and whether it needs review."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from autograder.course.rule import Rule
from autograder.grading.by_hand import broken_rule
from autograder.grading.diagnosis import Diagnosis, Submitted
from autograder.grading.examples import Examples
from autograder.grading.outcomes import TestOutcome
from autograder.grading.wording import leading, stated
from autograder.report.report import QuestionReport, TestReport, Verdict, summarize
from autograder.testing.suite import Run

_EXPLAINED = (Verdict.FAILED, Verdict.CRASHED, Verdict.NOT_JUDGED)
_NOTHING_HELD = (Verdict.NOT_ATTEMPTED, Verdict.NOT_DEFINED)


@dataclass(frozen=True, slots=True)
class Judge:
    """Makes the reports on the questions of one exercise."""

    points: Mapping[str, float]
    rules: Mapping[str, Rule]
    diagnosis: Diagnosis
    examples: Examples

    def held(self, name: str, outcomes: Iterable[TestOutcome], codes: Sequence[str]) -> str | None:
        """Return why an instructor has to look at a question, or None; `codes` are the code cells that ran.

        The runs that decide do so here, too. Disclosed runs only supply names.
        """
        if (rule := self.rules.get(name)) is None:
            return None
        own = [outcome for outcome in outcomes if outcome.test.question == name]
        ran = [one for outcome in own for one in outcome.decisive.ran]
        shown = [one for outcome in own if outcome.disclosed for one in outcome.disclosed.ran]
        return broken_rule(name, rule, codes, ran, shown)

    def question(self, name: str, outcomes: Iterable[TestOutcome], submitted: Submitted) -> QuestionReport:
        """Return the verdict on a question and its score; `explained` adds what a student reads."""
        own = [outcome for outcome in outcomes if outcome.test.question == name]
        told = stated({outcome.test: submitted.explain(outcome) for outcome in own})
        question = summarize(name, self.points[name], tuple(told.values()))
        held = self.held(name, own, submitted.codes)
        if held is None or question.verdict in _NOTHING_HELD or not question.score:
            return question
        rule = TestReport("Written by hand, as the question asks.", Verdict.REVIEW, 0.0, held)
        return replace(question, verdict=Verdict.REVIEW, score=0.0, hint=held, tests=(*question.tests, rule))

    def explained(
        self,
        question: QuestionReport,
        outcomes: Iterable[TestOutcome],
        submitted: Submitted,
        *,
        repaired: bool = True,
        named_by: Sequence[Run] | None = None,
    ) -> QuestionReport:
        """Return the report on a failed question with what is wrong there; disclosed runs supply all words.

        Only tests' own words explain a failure, unless the code is to be `repaired`. If other runs than these
        are to name the mistake, they are `named_by`.
        """
        if question.verdict is Verdict.REVIEW:
            return question
        own = [outcome for outcome in outcomes if outcome.test.question == question.name]
        runs = [outcome.disclosed for outcome in own if outcome.disclosed]
        explained = {outcome.test: submitted.explain(outcome) for outcome in own}
        shown = self.examples.of(question.name, explained, runs)
        wrong = any(test.verdict in _EXPLAINED for test in question.tests)
        named = named_by or runs
        if repaired and wrong and (mistake := self.diagnosis.name(question.name, named, submitted)):
            return replace(question, mistake=mistake.name or None, hint=mistake.hint, shown=shown)
        if question.verdict is Verdict.FAILED:
            told = dict(zip(explained, question.tests, strict=True))
            words = leading(explained, told, self.diagnosis.rarity)
            return replace(question, hint=words or question.hint, shown=shown)
        return replace(question, shown=shown)
