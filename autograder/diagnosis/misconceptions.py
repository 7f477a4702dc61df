"""Reads a course's catalogue of misconceptions: their names, sentences, hints and rules.

The catalogue is the author's: Python files in solutions/misconceptions. Each defines `MISCONCEPTIONS`, the
more specific ones first; `PLACES`, for mistakes that no misconception names; or `WRITINGS`: rules that bring
right answers into one writing, so that other rules need to know only that one.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from autograder.course.source import SourceError, parsed, read_text
from autograder.diagnosis.patterns import PatternError, Rule, check_expression, fits_one, rules
from autograder.diagnosis.places import Place
from autograder.diagnosis.trees import text_of

_ROUNDS = 4  # so often are the writings applied, since one may make room for another


@dataclass(frozen=True)
class Misconception:
    """One thing that people get wrong, in whatever class or writing it shows."""

    name: str
    sentence: str  # what is wrong, for the student
    hint: str  # what leads the student on
    changes: str = ""  # rules that make right answers wrong in this way
    crash: str = ""  # or a regular expression: whatever crashes in these words is wrong in this way
    says: str = ""  # a regular expression: whatever fails in these words of a test is wrong in this way
    whole: bool = False  # whether all failed tests must say so
    if_unrepaired: bool = False  # whether a repair says more
    where: str = ""  # a regular expression: one of the right answers must hold it, or the words would not fit

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The rules of `changes`."""
        made = rules(self.changes) if self.changes else ()
        return tuple(replace(rule, misconception=self.name) for rule in made)

    def check(self) -> None:
        """Raise a PatternError where a rule or a regular expression is none."""
        for rule in self.rules:
            rule.check()
        for pattern in (self.crash, self.says, self.where):
            check_expression(self.name, pattern)

    def fits(self, answers: Sequence[str]) -> bool:
        """Whether what it says can be said of a question with these right answers."""
        return fits_one(self.where, answers)


@dataclass(frozen=True)
class Catalogue:
    """All misconceptions and places of a course, in their order, and the rules for one way of writing."""

    misconceptions: tuple[Misconception, ...] = ()
    places: tuple[Place, ...] = ()
    writings: tuple[Rule, ...] = ()
    writings_of_matrices: tuple[Rule, ...] = ()  # with the same meaning for two dimensions only

    @property
    def entries(self) -> tuple[Misconception | Place, ...]:
        """All that has a name and a sentence."""
        return (*self.misconceptions, *self.places)

    def in_one_writing(self, tree: ast.Module, *, is_exact: bool = False) -> ast.Module:
        """Write as much as possible of the code in one way; if `is_exact`, without changing its meaning."""
        for _ in range(_ROUNDS):
            before = tree
            for rule in (*self.writings, *(() if is_exact else self.writings_of_matrices)):
                tree = rule.everywhere(tree)
            if tree is before or list(map(text_of, tree.body)) == list(map(text_of, before.body)):
                break
        return tree


def spelt(misconception: Misconception, rule: Rule) -> str:
    """Return a rule as people find it in the catalogue."""
    changes = " && ".join(f"{one.before} => {one.after}" for one in (rule, *rule.others))
    return f"{misconception.name}: {changes}"


def load_catalogue(files: Sequence[Path]) -> Catalogue:
    """Read the catalogue's files, once for all exercises; SourceError where one is none."""
    return _read(tuple((path, read_text(path)) for path in files))


@lru_cache(1)
def _read(texts: tuple[tuple[Path, str], ...]) -> Catalogue:
    found: dict[str, Misconception | Place] = {}
    writings, of_matrices = list[Rule](), list[Rule]()
    for path, text in texts:
        parsed(path, text)
        defined: dict[str, Any] = {"__name__": path.stem}
        exec(compile(text, str(path), "exec"), defined)  # noqa: S102 - the course's own code
        try:
            writings += rules(str(defined.get("WRITINGS", "")))
            of_matrices += rules(str(defined.get("WRITINGS_OF_MATRICES", "")))
            for entry in (*defined.get("MISCONCEPTIONS", ()), *defined.get("PLACES", ())):
                if entry.name in found:
                    raise PatternError(f'"{entry.name}" is there twice')
                entry.check()
                found[entry.name] = entry
        except PatternError as error:
            raise SourceError(f"{path}: {error}") from error
    misconceptions = tuple(one for one in found.values() if isinstance(one, Misconception))
    places = tuple(one for one in found.values() if isinstance(one, Place))
    return Catalogue(misconceptions, places, tuple(writings), tuple(of_matrices))
