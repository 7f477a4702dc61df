"""Looks at a whole class: scores, questions, mistakes, who needs a person, where checks and tests differ."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np

from autograder.publishing.graded_work import Work
from autograder.report.gradebook_submission import GradebookEntry
from autograder.report.report import QuestionReport, Status, Verdict

DROP = 0.4  # of the tested points, from one exercise to the student's next
FEWEST = 5  # answers from which a correlation is worth a look
_NO_SPREAD = 1e-9  # all the same, but for rounding
_WRONG = {Verdict.FAILED, Verdict.CRASHED, Verdict.TIMED_OUT, Verdict.BLOCKED, Verdict.NOT_DEFINED}


@dataclass(frozen=True, slots=True)
class ExerciseNumbers:
    """How an exercise went: the share of the tested points that each submission scored, ascending."""

    name: str
    handed_in: int
    shares: tuple[float, ...]

    @property
    def quantities(self) -> tuple[float | None, ...]:
        """The lowest, median, mean and highest share, in percent."""
        if not self.shares:
            return (None,) * 4
        found = (self.shares[0], median(self.shares), fmean(self.shares), self.shares[-1])
        return tuple(100 * share for share in found)


@dataclass(frozen=True, slots=True)
class QuestionNumbers:
    """How a question went; `scores` are those that are known, in order of the students' ids."""

    exercise: str
    name: str
    points: float
    written: bool
    scores: tuple[float, ...]
    verdicts: tuple[frozenset[Verdict], ...]  # of the question and its tests, by answer
    discrimination: float | None  # point-biserial: its score against the rest of the submission's score
    only_check: tuple[str, ...]  # students whose visible check passes while hidden tests do not
    only_tests: tuple[str, ...]  # and the other way round
    compared: int  # answers of which both are known

    @property
    def mean(self) -> float | None:
        """The mean score in points."""
        return fmean(self.scores) if self.scores else None

    @property
    def full(self) -> int:
        """How many scored all points."""
        return sum(score >= self.points for score in self.scores)

    @property
    def differs(self) -> bool:
        """Whether check and hidden tests disagree on anybody's answer."""
        return bool(self.only_check or self.only_tests)

    def count(self, verdict: Verdict) -> int:
        """Return in how many answers something came to `verdict`."""
        return sum(verdict in found for found in self.verdicts)


@dataclass(frozen=True, slots=True)
class MistakeNumbers:
    """A known mistake and who made it."""

    exercise: str
    question: str
    name: str
    students: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Look:
    """A submission that a person should look at, and why."""

    student: str
    exercise: str
    why: str


@dataclass(frozen=True, slots=True)
class Numbers:
    """All that is known of a class."""

    students: int
    exercises: tuple[ExerciseNumbers, ...]
    questions: tuple[QuestionNumbers, ...]
    mistakes: tuple[MistakeNumbers, ...]
    looks: tuple[Look, ...]


def count(works: Iterable[Work]) -> Numbers:
    """Return what `works`, in order of exercise and student, say of the class."""
    by_exercise: dict[str, list[Work]] = defaultdict(list)
    for work in works:
        by_exercise[work.exercise].append(work)
    everything = [work for group in by_exercise.values() for work in group]
    return Numbers(
        students=len({work.student for work in everything}),
        exercises=tuple(_exercise(name, group) for name, group in by_exercise.items()),
        questions=tuple(question for group in by_exercise.values() for question in _questions(group)),
        mistakes=tuple(_mistakes(everything)),
        looks=tuple(_looks(everything)),
    )


def _exercise(name: str, works: Sequence[Work]) -> ExerciseNumbers:
    shares = sorted(share for work in works if (share := work.share) is not None)
    return ExerciseNumbers(name, len(works), tuple(shares))


def _questions(works: Sequence[Work]) -> Iterator[QuestionNumbers]:
    """Yield the questions of one exercise as the gradebook has them."""
    known = {entry.question: entry for work in works for entry in work.handin.entries}
    for name, entry in known.items():
        answers = [(work, answer) for work in works if work.questions and (answer := _entry(work, name))]
        pairs = [
            (work.student, passed, work.questions[name].verdict)
            for work, _ in answers
            if name in work.questions and (passed := work.checks.get(name)) is not None
        ]
        yield QuestionNumbers(
            exercise=works[0].exercise,
            name=name,
            points=entry.max_score,
            written=entry.written,
            scores=tuple(answer.score for _, answer in answers if answer.score is not None),
            verdicts=tuple(_verdicts(work.questions[name]) for work, _ in answers if name in work.questions),
            discrimination=_discrimination(answers),
            only_check=tuple(student for student, passed, verdict in pairs if passed and verdict in _WRONG),
            only_tests=tuple(
                student for student, passed, verdict in pairs if not passed and verdict is Verdict.PASSED
            ),
            compared=sum(verdict in _WRONG or verdict is Verdict.PASSED for _, _, verdict in pairs),
        )


def _verdicts(question: QuestionReport) -> frozenset[Verdict]:
    return frozenset({question.verdict, *(test.verdict for test in question.tests)})


def _entry(work: Work, name: str) -> GradebookEntry | None:
    return next((entry for entry in work.handin.entries if entry.question == name), None)


def _discrimination(answers: Sequence[tuple[Work, GradebookEntry]]) -> float | None:
    """Correlate a question's score with that of the other tested questions; None where it says nothing."""
    pairs = [
        (answer.score, work.score - (0.0 if answer.written else answer.score))
        for work, answer in answers
        if answer.score is not None and work.score is not None
    ]
    if len(pairs) < FEWEST:
        return None
    scores, rests = np.array(pairs).T
    spread = float(scores.std() * rests.std())
    return float(np.corrcoef(scores, rests)[0, 1]) if spread > _NO_SPREAD else None


def _mistakes(works: Iterable[Work]) -> list[MistakeNumbers]:
    """Return the mistakes that were made, those of most students first."""
    made: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for work in works:
        for question in work.questions.values():
            if question.mistake:
                made[work.exercise, question.name, question.mistake].append(work.student)
    found = [MistakeNumbers(*which, tuple(students)) for which, students in made.items()]
    return sorted(found, key=lambda mistake: -len(mistake.students))


def _looks(works: Iterable[Work]) -> list[Look]:
    """Return who needs a person, those with the gravest reasons first."""
    before: dict[str, Work] = {}
    found: list[tuple[int, Look]] = []
    for work in works:
        for gravity, why in _reasons(work, before.get(work.student)):
            found.append((gravity, Look(work.student, work.exercise, why)))
        if work.share is not None:
            before[work.student] = work
    return [look for _, look in sorted(found, key=lambda pair: pair[0])]


def _reasons(work: Work, before: Work | None) -> Iterator[tuple[int, str]]:
    """Yield why a person should look, with a number that is the smaller the graver it is."""
    waiting = {entry.question for entry in work.tested if entry.needs_person or entry.score is None}
    if work.report is None:
        yield 1, "not graded yet"
    elif work.report.status is Status.UNREADABLE:
        if waiting:
            yield 2, f"unreadable: {work.report.message}"
        return
    open_questions = [question for question in work.questions.values() if question.name in waiting]
    if names := _named(open_questions, Verdict.GRADER_ERROR):
        yield 0, f"grader error in {names}"
    if names := _named(open_questions, Verdict.REVIEW):
        yield 3, f"review of {names}"
    if work.untouched:
        yield 4, "nothing attempted"
    elif before is not None and (before.share or 0.0) - (work.share or 0.0) >= DROP:
        yield 5, f"from {before.share:.0%} in {before.exercise} to {work.share:.0%}"


def _named(questions: Sequence[QuestionReport], verdict: Verdict) -> str:
    return ", ".join(question.name for question in questions if question.verdict is verdict)
