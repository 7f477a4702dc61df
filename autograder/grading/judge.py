"""Runs the hidden tests of an exercise, and judges each question: verdict, score and what students read."""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from autograder.course.rule import Rule
from autograder.grading.by_hand import broken_rule
from autograder.grading.diagnosis import Diagnosis
from autograder.grading.examples import Examples
from autograder.grading.explanation import Submitted
from autograder.grading.outcomes import TestOutcome, blamed
from autograder.grading.session import Session
from autograder.report.report import QuestionReport, TestReport, Verdict
from autograder.testing.inputs import DISCLOSED, Inputs
from autograder.testing.suite import HiddenTest, Run, Suite
from autograder.worker.protocol import ProtocolError

_EXPLAINED = (Verdict.FAILED, Verdict.CRASHED, Verdict.NOT_JUDGED)
_NOTHING_HELD = (Verdict.NOT_ATTEMPTED, Verdict.NOT_DEFINED)
_SENTENCES = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
Told = Mapping[HiddenTest, TestReport]  # what students read of a question's tests


@dataclass(frozen=True, slots=True)
class Judge:
    """Runs the tests of one exercise, and makes the reports on its questions."""

    suite: Suite
    rules: Mapping[str, Rule]
    diagnosis: Diagnosis
    examples: Examples

    def tests_of(self, questions: Container[str]) -> set[HiddenTest]:
        """Return the tests of these questions."""
        return {test for test in self.suite.tests if test.question in questions}

    def run(
        self, session: Session, inputs: Inputs, chosen: Container[HiddenTest] | None = None
    ) -> Iterator[Run]:
        """Run tests; where one of them loses the worker, no more tests of its question are run.

        Where the sandbox fails, nothing more is run, and no run counts.
        """
        lost: dict[str, BaseException] = {}
        for run in self.suite.run(session, inputs, chosen, lost.get, self.rules):
            if session.failure is not None:
                raise session.failure
            if run.lost and run.error is not None:
                lost.setdefault(run.test.question, run.error)
            yield blamed(self.suite, run, inputs)

    def disclosed(self, session: Session, questions: Container[str]) -> dict[HiddenTest, Run]:
        """Run all tests of these questions on inputs that may be shown, in a worker that knows no others.

        All of them, since a known mistake is known by the tests that it passes, too.
        """
        chosen = self.tests_of(questions)
        return {run.test: run for run in self.run(session, DISCLOSED, chosen)} if chosen else {}

    def forged(self, questions: Container[str]) -> dict[HiddenTest, TestOutcome]:
        """Return outcomes of these questions' tests that found a forged answer, without running any.

        Each takes a worker, and what the forger computes. That an answer to the visible check was forged
        is known already, from a worker that knew no hidden inputs.
        """
        error = ProtocolError("the visible check got no answer")
        runs = (Run.ended(test, error) for test in self.tests_of(questions))
        return {run.test: TestOutcome(run.test, run, run) for run in runs}

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
        question = summarize(name, self.suite.exercise.points[name], tuple(told.values()))
        if question.verdict is Verdict.CRASHED:
            places = (submitted.place(one) for one in own if told[one.test].hint == question.hint)
            question = replace(question, place=next(places, None))
        held = self.held(name, own, submitted.ran)
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
        told = {outcome.test: submitted.explain(outcome) for outcome in own}
        failed = [run for run in runs if told[run.test].verdict is Verdict.FAILED]
        question = replace(question, shown=self.examples.of(question.name, failed))
        wrong = any(test.verdict in _EXPLAINED for test in question.tests)
        if repaired and wrong and (one := self.diagnosis.name(question.name, named_by or runs, submitted)):
            return replace(question, mistake=one.name or None, hint=one.hint, place=one.place)
        if question.verdict is Verdict.FAILED:
            shortened = dict(zip(told, question.tests, strict=True))
            words = leading(told, shortened, self.diagnosis.rarity)
            return replace(question, hint=words or question.hint)
        return question


def summarize(name: str, points: float, tests: tuple[TestReport, ...]) -> QuestionReport:
    """Return the report on question `name`, given its tests and the points it is worth."""
    worst = min(tests, key=lambda test: (list(Verdict).index(test.verdict), not test.hint))
    passed = [test.weight for test in tests if test.verdict is Verdict.PASSED]
    half_done = worst.verdict is Verdict.NOT_ATTEMPTED and passed
    verdict = Verdict.FAILED if half_done or worst.verdict is Verdict.NOT_JUDGED else worst.verdict
    score: float | None = round(points * sum(passed) / sum(test.weight for test in tests), 4)
    if verdict in (Verdict.REVIEW, Verdict.GRADER_ERROR):  # an instructor looks, and then gives the score
        score = 0.0 if verdict is Verdict.REVIEW else None
    return QuestionReport(name, verdict, score, points, worst.hint, None, tests)


def stated(told: Told) -> dict[HiddenTest, TestReport]:
    """Return the reports on one question's tests; where its basic test fails, the others state facts alone.

    What they ask their reader supposes that the basic values are right. Where these are wrong, it leads away
    from the cause.
    """
    basic = _basic(list(told))
    if basic is None or told[basic].verdict is not Verdict.FAILED:
        return dict(told)
    return {
        test: replace(report, hint=facts(report.hint))
        if test != basic and report.verdict is Verdict.FAILED
        else report
        for test, report in told.items()
    }


def leading(before: Told, after: Told, rarity: Callable[[HiddenTest], int]) -> str:
    """Return the words of the failure that says most: that of the test which the fewest known mistakes fail.

    A test whose hint was shortened says no more than the basic one.
    """
    failed = [test for test, report in after.items() if report.verdict is Verdict.FAILED and report.hint]
    whole = [test for test in failed if after[test].hint == before[test].hint] or failed
    return after[min(whole, key=rarity)].hint if whole else ""


def facts(hint: str) -> str:
    """Return a hint without the questions at its end that nudge its reader."""
    first, *others = _SENTENCES.split(hint)
    return " ".join([first, *(sentence for sentence in others if not sentence.endswith("?"))])


def _basic(tests: list[HiddenTest]) -> HiddenTest | None:
    """Return the test on whose values the others rest: the one so marked, else the first of most weight."""
    marked = [test for test in tests if test.basic]
    heaviest = [test for test in tests if test.weight == max(one.weight for one in tests)]
    return next(iter(marked or (heaviest if len(heaviest) < len(tests) else [])), None)
