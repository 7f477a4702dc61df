"""Measures the diagnosis on wrong answers that the bank does not hold: each by its own name or by none."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from autograder.course.exercise import Exercise, Heldout
from autograder.grading.diagnosis import Diagnosis
from autograder.report.report import Report

_SHARE = 0.9  # of the known mistakes must be called by their names
_MEND = "move it to mistakes/, as question__what__writing.py, and write another one here"


@dataclass(frozen=True, slots=True)
class Naming:
    """What one held-out answer was called."""

    answer: Heldout
    name: str | None
    is_wrong: bool = True  # the answer, as it should be


@dataclass(frozen=True, slots=True)
class Tally:
    """How many known mistakes were called by their names, and what is not as it must be."""

    known: int = 0
    named: int = 0
    misnamed: int = 0
    findings: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"heldout: {self.named} of {self.known} named, {self.misnamed or 'none'} wrong"


def measure(exercise: Exercise, diagnosis: Diagnosis, grade: Callable[[Mapping[str, str]], Report]) -> Tally:
    """Name each held-out answer by itself, and again in a submission with another one, which is graded."""
    alone = [_alone(answer, diagnosis) for answer in exercise.heldout]
    together = [naming for pair in pairs(exercise.heldout) for naming in _together(exercise, pair, grade)]
    return tally(alone + together)


def pairs(answers: Sequence[Heldout]) -> Iterator[tuple[Heldout, Heldout]]:
    """Yield answers in pairs, of two questions each, so that each comes once, and few again."""
    left = list(answers)
    while left:
        one = _commonest(left)
        others = [answer for answer in answers if answer.question != one.question]
        if not others:
            return
        fresh = [answer for answer in others if answer in left]
        other = _commonest(fresh or others)
        left = [answer for answer in left if answer not in (one, other)]
        yield one, other


def _commonest(answers: Sequence[Heldout]) -> Heldout:
    """Return the first answer to the question that has most of them."""
    counts = Counter(answer.question for answer in answers)
    return max(answers, key=lambda answer: counts[answer.question])


def _alone(answer: Heldout, diagnosis: Diagnosis) -> Naming:
    runs = diagnosis.runs(answer)
    mistake = diagnosis.name(answer.question, runs)
    return Naming(answer, mistake.name if mistake else None, any(run.error is not None for run in runs))


def _together(
    exercise: Exercise, pair: tuple[Heldout, Heldout], grade: Callable[[Mapping[str, str]], Report]
) -> Iterator[Naming]:
    answers = {name: code for answer in pair for name, code in exercise.replaced(answer.code).items()}
    questions = {question.name: question for question in grade(answers).questions}
    for answer in pair:
        question = questions[answer.question]
        yield Naming(answer, question.mistake or None, question.score != question.max_score)


def tally(namings: Sequence[Naming]) -> Tally:
    """Count the namings; a wrong name is a fault, and so are too many mistakes without one."""
    known = [naming for naming in namings if naming.answer.expected]
    named = [naming for naming in known if naming.name == naming.answer.expected]
    misnamed = [naming for naming in namings if naming.name not in (None, naming.answer.expected)]
    missed = [naming for naming in known if naming.name is None] if len(named) < _SHARE * len(known) else []
    findings = dict.fromkeys(
        [
            *(_finding(n, "scores in full, but is no right answer") for n in namings if not n.is_wrong),
            *(_finding(n, f"is taken for {n.name}; let a hidden test tell them apart") for n in misnamed),
            *(_finding(n, f"is called by no name; {_MEND}") for n in missed),
        ]
    )
    return Tally(len(known), len(named), len(misnamed), tuple(findings))


def _finding(naming: Naming, fault: str) -> str:
    return f"{naming.answer.path}: {fault}"
