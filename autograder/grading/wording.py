"""Chooses what students read about failed tests, and leaves out hints that would mislead."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from autograder.report.report import TestReport, Verdict
from autograder.testing.suite import HiddenTest

_SENTENCES = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


def stated(reports: Mapping[HiddenTest, TestReport]) -> dict[HiddenTest, TestReport]:
    """Return the reports on one question's tests; where its basic test fails, the others state facts alone.

    What they ask their reader supposes that the basic values are right. Where these are wrong, it leads away
    from the cause.
    """
    basic = _basic(list(reports))
    if basic is None or reports[basic].verdict is not Verdict.FAILED:
        return dict(reports)
    return {
        test: replace(report, hint=facts(report.hint))
        if test != basic and report.verdict is Verdict.FAILED
        else report
        for test, report in reports.items()
    }


def leading(
    before: Mapping[HiddenTest, TestReport],
    after: Mapping[HiddenTest, TestReport],
    rarity: Callable[[HiddenTest], int],
) -> str:
    """Return the words of the failure that says most: that of the test which the fewest known mistakes fail.

    A test that was left with less than it said `before` says no more than the basic one.
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
