"""Finds the submissions that a person should look at, and says why."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autograder.publishing.graded_work import GradedWork
from autograder.report.report import QuestionReport, Verdict

DROP = 0.4  # a loss of this share of the points, from one exercise to the next, is a concern


@dataclass(frozen=True, slots=True)
class Concern:
    """A submission that a person should look at, and why."""

    student: str
    exercise: str
    why: str


def find_concerns(works: Iterable[GradedWork]) -> tuple[Concern, ...]:
    """Return the concerns, the gravest first, about `works` in the order of exercises."""
    scored: dict[str, GradedWork] = {}  # each student's latest work that has a score
    found: list[tuple[int, Concern]] = []
    for work in works:
        reasons = (*_unfinished(work), *_falling_behind(work, scored.get(work.student)))
        found += [(rank, Concern(work.student, work.exercise, why)) for rank, why in reasons]
        if work.share is not None:
            scored[work.student] = work
    return tuple(concern for _, concern in sorted(found, key=lambda pair: pair[0]))


def _unfinished(work: GradedWork) -> Iterator[tuple[int, str]]:
    """Yield what a person has to settle, each with its rank: the graver it is, the smaller the rank."""
    waiting = {entry.question for entry in work.tested if entry.needs_person or entry.score is None}
    if work.report is None:
        yield 1, "not graded yet"
    elif work.is_unreadable:
        yield 2, f"unreadable: {work.report.message}"
    questions = [question for question in work.questions.values() if question.name in waiting]
    if names := _names(questions, Verdict.GRADER_ERROR):
        yield 0, f"grader error in {names}"
    if names := _names(questions, Verdict.REVIEW):
        yield 3, f"review of {names}"
    if work.is_late_untimed:
        yield 4, "late as Canvas says, time unknown: collect again with --times"
    for request in work.requests:
        yield 4, request.words


def _falling_behind(work: GradedWork, before: GradedWork | None) -> Iterator[tuple[int, str]]:
    """Yield a sign that the student does worse than in the exercise `before`, with its rank."""
    if work.untouched:
        yield 5, "nothing attempted"
    elif before and before.share is not None and work.share is not None and before.share - work.share >= DROP:
        yield 6, f"from {before.share:.0%} in {before.exercise} to {work.share:.0%}"


def _names(questions: Iterable[QuestionReport], verdict: Verdict) -> str:
    return ", ".join(question.name for question in questions if question.verdict is verdict)
