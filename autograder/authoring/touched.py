"""Finds the questions that other answers can touch: tests of no other question ask for what rests on them."""

import ast
import re
from collections.abc import Mapping

from autograder.course.exercise import Exercise
from autograder.course.source import defined_names
from autograder.testing.suite import Suite

_WORD = re.compile(r"\w+")


class Touched:
    """Knows for one exercise what rests on what, by its solution and by what its tests ask of it."""

    def __init__(self, suite: Suite) -> None:
        self._uses = _uses(suite.exercise)
        self._asked: dict[str, set[str]] = {name: {name} for name in suite.exercise.points}
        for run in suite.reference_runs:
            for exchange in run.exchanges:
                self._asked[run.test.question].update(_WORD.findall(repr(exchange.request[0])))

    def by(self, answers: Mapping[str, str]) -> frozenset[str]:
        """Return the questions whose tests may see that these answers stand in the solution, by question.

        Their names count, all names that they define, all questions that they mention, which they may change
        in some way, and whatever in the solution uses one of these.
        """
        mentioned = set().union(*map(_WORD.findall, answers.values())) & self._asked.keys()
        found = mentioned.union(answers, *map(defined_names, answers.values()))
        size = 0
        while size < len(found):
            size = len(found)
            found |= {name for name, words in self._uses.items() if words & found}
        return frozenset(name for name, words in self._asked.items() if words & found)


def _uses(exercise: Exercise) -> dict[str, set[str]]:
    """Return what each name of the solution stands for, as all words in it."""
    uses: dict[str, set[str]] = {}
    for cell in exercise.reference:
        for node in ast.parse(cell).body:
            text = ast.unparse(node)
            for name in defined_names(text):
                uses.setdefault(name, set()).update(_WORD.findall(text))
    return uses
