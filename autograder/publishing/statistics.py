"""Sums up a whole class: how exercises and questions went, known mistakes, and whom to look at."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import fmean, median

from autograder.publishing.concerns import Concern, find_concerns
from autograder.publishing.graded_work import GradedWork
from autograder.publishing.question_statistics import QuestionStatistics, question_statistics

TENTHS = 10


@dataclass(frozen=True, slots=True)
class ExerciseStatistics:
    """How one exercise went; `shares` are the scored parts of the tested points, in ascending order."""

    name: str
    handed_in: int
    shares: tuple[float, ...]

    @property
    def score_summary(self) -> tuple[float | None, ...]:
        """The lowest, median, mean and highest share, in percent."""
        if not self.shares:
            return (None,) * 4
        summary = (self.shares[0], median(self.shares), fmean(self.shares), self.shares[-1])
        return tuple(100 * share for share in summary)

    @property
    def histogram(self) -> tuple[int, ...]:
        """How many submissions scored in each tenth of the points; full marks are in the last."""
        counts = Counter(min(max(int(share * TENTHS + 1e-9), 0), TENTHS - 1) for share in self.shares)
        return tuple(counts[tenth] for tenth in range(TENTHS))


@dataclass(frozen=True, slots=True)
class MistakeStatistics:
    """A known mistake, and the students who made it."""

    exercise: str
    question: str
    name: str
    students: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HandGrading:
    """How many answers to a question people have graded, and how many wait for them."""

    exercise: str
    question: str
    graded: int
    waiting: int


@dataclass(frozen=True, slots=True)
class ClassStatistics:
    """All that the dashboard shows about a class."""

    students: int
    exercises: tuple[ExerciseStatistics, ...]
    questions: tuple[QuestionStatistics, ...]
    mistakes: tuple[MistakeStatistics, ...]
    concerns: tuple[Concern, ...]
    hand_grading: tuple[HandGrading, ...]


def class_statistics(works: Iterable[GradedWork]) -> ClassStatistics:
    """Return the statistics of `works`, which come in the order of exercises and students."""
    by_exercise: dict[str, list[GradedWork]] = defaultdict(list)
    for work in works:
        by_exercise[work.exercise].append(work)
    everything = list(chain.from_iterable(by_exercise.values()))
    return ClassStatistics(
        students=len({work.student for work in everything}),
        exercises=tuple(map(_exercise, by_exercise.values())),
        questions=tuple(chain.from_iterable(map(question_statistics, by_exercise.values()))),
        mistakes=_mistakes(everything),
        concerns=find_concerns(everything),
        hand_grading=tuple(_hand_grading(everything)),
    )


def _hand_grading(works: Iterable[GradedWork]) -> Iterator[HandGrading]:
    """Yield how far people are with each question that they grade or are asked about."""
    graded, waiting = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for work in works:
        for entry in work.submission.entries:
            question, waits = (work.exercise, entry.question), entry.needs_person or entry.score is None
            waiting[question] += waits
            graded[question] += not waits and entry.manual_score is not None
    for question, left in waiting.items():
        if left or graded[question]:
            yield HandGrading(*question, graded[question], left)


def _exercise(works: Sequence[GradedWork]) -> ExerciseStatistics:
    shares = sorted(work.share for work in works if work.share is not None)
    return ExerciseStatistics(works[0].exercise, len(works), tuple(shares))


def _mistakes(works: Iterable[GradedWork]) -> tuple[MistakeStatistics, ...]:
    """Return the mistakes that were made, the most frequent first."""
    made: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for work in works:
        for question in work.questions.values():
            if question.mistake:
                made[work.exercise, question.name, question.mistake].append(work.student)
    mistakes = (MistakeStatistics(*mistake, tuple(students)) for mistake, students in made.items())
    return tuple(sorted(mistakes, key=lambda mistake: -len(mistake.students)))
