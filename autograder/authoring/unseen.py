"""Finds misconceptions of the course's catalogue that no hidden test of a question sees."""

import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from autograder.course.exercise import Exercise
from autograder.course.names import of_mistake
from autograder.grading.diagnosis import Diagnosis
from autograder.grading.wrong_answers import WrongAnswer, WrongAnswers

_Fails = Callable[[str, tuple[str, ...]], bool]  # whether cells fail a test of a question


@dataclass(frozen=True, slots=True)
class Unseen:
    """A misconception that changes a right answer, and that no test of its question fails."""

    question: str
    misconception: str
    right: str
    wrong: str

    @property
    def diff(self) -> str:
        """What it changes, as a unified diff."""
        codes = self.right.split("\n"), self.wrong.split("\n")
        name = f"{self.question}__{self.misconception}"
        return "\n".join(difflib.unified_diff(*codes, "a right answer", name, n=1, lineterm=""))


def unseen(exercise: Exercise, diagnosis: Diagnosis, fails: _Fails) -> tuple[int, list[Unseen]]:
    """Return how many misconceptions fit the exercise's questions, and those of which no way fails a test."""
    count, left = 0, list[Unseen]()
    for question in exercise.points:
        maker, known = WrongAnswers(exercise, diagnosis.catalogue, question), diagnosis.failures(question)
        ways = _misconceptions(maker)
        count += len(ways)
        for name, answers in ways.items():
            known_to_fail = f"{question}__{name}" in known
            if not known_to_fail and not any(fails(question, exercise.variant(one.code)) for one in answers):
                left.append(_unseen(maker, name, answers[0].code))
    return count, left


def _misconceptions(maker: WrongAnswers) -> dict[str, list[WrongAnswer]]:
    """Return the ways to make each misconception in an answer to a question, by its name.

    Mistakes that an author has written are left out: `verify` sees to it that each of them fails.
    """
    ways: dict[str, list[WrongAnswer]] = {}
    for answer in maker.single:
        if not answer.written:
            ways.setdefault(of_mistake(answer.names[0])[1], []).append(answer)
    return ways


def _unseen(maker: WrongAnswers, name: str, wrong: str) -> Unseen:
    """Say what is wrong beside the right answer that is most like it."""
    right = min(maker.right, key=lambda one: len(list(_changed(one, wrong))))
    return Unseen(maker.question, name, right, wrong)


def _changed(one: str, other: str) -> Iterator[str]:
    compared = difflib.ndiff(one.split("\n"), other.split("\n"))
    yield from (line for line in compared if line[0] in "-+")
