"""Measures the diagnosis on wrong answers that are not in its bank of known mistakes."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from autograder.course.exercise import Exercise, Heldout
from autograder.course.names import of_mistake
from autograder.course.source import SourceError
from autograder.grading.diagnosis import Diagnosis
from autograder.report.report import Report

_SHARE = 0.8  # so many of the known mistakes must be called by their names
_MOST_GRADED = 8  # submissions with two of the answers, which take longer than the answers by themselves
_MOVE = "say in the catalogue how right answers become wrong in this way, or move it to mistakes/"
_Grade = Callable[[Mapping[str, str]], Report]


@dataclass(frozen=True, slots=True)
class NamedAnswer:
    """A held-out answer, and the name by which the diagnosis called it."""

    answer: Heldout
    name: str | None
    is_wrong: bool = True  # whether the answer fails, as it should

    @property
    def expected(self) -> frozenset[str]:
        """What is wrong in the answer: one thing, or two."""
        return _parts(self.answer.expected)

    @property
    def found(self) -> frozenset[str]:
        """What the diagnosis calls wrong in it."""
        return _parts(self.name)

    @property
    def is_misnamed(self) -> bool:
        """Whether the diagnosis names something that is not wrong in the answer."""
        return not self.found <= self.expected


@dataclass(frozen=True, slots=True)
class Tally:
    """How many known mistakes were called by their names, and what the author must still change."""

    known: int = 0
    named: int = 0  # wholly or in part
    misnamed: int = 0
    findings: tuple[str, ...] = ()
    pairs: int = 0  # of the known ones, those with two things wrong
    wholly: int = 0  # pairs of which both things were named
    partly: int = 0  # pairs of which one was

    def __str__(self) -> str:
        two = f"; of {self.pairs} with two things wrong {self.wholly} wholly, {self.partly} by one of them"
        counts = f"{self.named} of {self.known} named, {self.misnamed or 'none'} wrong"
        return f"heldout: {counts}{two if self.pairs else ''}"


def measure(exercise: Exercise, diagnosis: Diagnosis, grade: _Grade) -> Tally:
    """Let the diagnosis name each held-out answer by itself, and some in a graded submission with another."""
    for answer in exercise.heldout:
        if answer.expected and not diagnosis.knows(answer.question, answer.expected):
            fix = "name it after one in mistakes/ or in the catalogue of misconceptions"
            unknown = f"{answer.question}__unknown_what.py"
            raise SourceError(f'{answer.path}: "{answer.name}" is no known mistake; {fix}, or {unknown}')
    alone = [_alone(answer, diagnosis) for answer in exercise.heldout]
    graded = islice(pairs(exercise.heldout), _MOST_GRADED)
    together = [named for pair in graded for named in _together(exercise, pair, grade)]
    return tally(alone + together)


def pairs(answers: Sequence[Heldout]) -> Iterator[tuple[Heldout, Heldout]]:
    """Yield pairs of answers to different questions; each answer comes at least once, and few come twice.

    None of the two calls the other: what it would fail with might be the other's mistake.
    """
    left = list(answers)
    while left:
        one = _commonest(left)
        others = [answer for answer in answers if not _meet(one, answer)]
        if not others:
            return
        fresh = [answer for answer in others if answer in left]
        other = _commonest(fresh or others)
        left = [answer for answer in left if answer not in (one, other)]
        yield one, other


def _meet(one: Heldout, other: Heldout) -> bool:
    """Whether two answers are to one question, or one of them calls the other."""
    return one.question == other.question or _calls(one, other) or _calls(other, one)


def _calls(one: Heldout, other: Heldout) -> bool:
    return bool(re.search(rf"(?<![.\w]){re.escape(other.question)}\(", one.code))


def _commonest(answers: Sequence[Heldout]) -> Heldout:
    """Return the first answer to the question that has most answers."""
    counts = Counter(answer.question for answer in answers)
    return max(answers, key=lambda answer: counts[answer.question])


def _alone(answer: Heldout, diagnosis: Diagnosis) -> NamedAnswer:
    runs = diagnosis.runs(answer)
    mistake = diagnosis.name(answer.question, runs)
    return NamedAnswer(answer, mistake.name if mistake else None, any(run.error is not None for run in runs))


def _together(exercise: Exercise, pair: tuple[Heldout, Heldout], grade: _Grade) -> Iterator[NamedAnswer]:
    answers = {name: code for answer in pair for name, code in exercise.replaced(answer.code).items()}
    questions = {question.name: question for question in grade(answers).questions}
    for answer in pair:
        question = questions[answer.question]
        yield NamedAnswer(answer, question.mistake or None, question.score != question.max_score)


def tally(answers: Sequence[NamedAnswer]) -> Tally:
    """Count the answers by name; report every wrong name, and missing names where there are too many.

    Of two things wrong one is enough, since the student who mends it meets the other one next.
    """
    known = [named for named in answers if named.expected]
    rightly = [named for named in known if named.found and not named.is_misnamed]
    misnamed = [named for named in answers if named.is_misnamed]
    unnamed = [named for named in known if not named.found]
    pairs = [named for named in known if len(named.expected) > 1]
    wholly = sum(named.found == named.expected for named in pairs)
    partly = sum(named in rightly for named in pairs) - wholly
    missed = unnamed if len(rightly) < _SHARE * len(known) else []
    findings = [
        *((n, "scores in full, but is no right answer") for n in answers if not n.is_wrong),
        *((n, f"is taken for {n.name}; let a hidden test tell them apart") for n in misnamed),
        *((n, f"is called by no name; {_MOVE}") for n in missed),
    ]
    shown = dict.fromkeys(f"{named.answer.path}: {problem}" for named, problem in findings)
    return Tally(len(known), len(rightly), len(misnamed), tuple(shown), len(pairs), wholly, partly)


def _parts(name: str | None) -> frozenset[str]:
    """Return the things wrong that a name stands for."""
    return frozenset(of_mistake(name)[1].split("+")) if name else frozenset()
