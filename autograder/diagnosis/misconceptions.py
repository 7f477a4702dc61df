"""Reads a course's catalogue of misconceptions.

The author writes the catalogue as Python files in solutions/misconceptions. Each file defines some of:

- `MISCONCEPTIONS`, more specific misconceptions first.
- `PLACES`: steps of right answers. If no misconception fits, a report names the wrong step.
- `WRITINGS`: rules that rewrite code into a standard form. All other rules are written for this form.
- `WRITINGS_OF_MATRICES`: such rules, but valid only for two-dimensional tensors.
"""

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from autograder.course.source import SourceError, parsed, read_text
from autograder.diagnosis.patterns import PatternError, Rule, check_expression, fits_one, rules
from autograder.diagnosis.places import Place
from autograder.diagnosis.trees import text_of

_MOST_QUOTES = 3  # the largest number of texts that a sentence quotes from messages of failed tests
_ROUNDS = 4  # how often the rules for the standard form are applied; rewriting can enable other rules


@dataclass(frozen=True)
class Misconception:
    """A mistake that students make. Answers to different questions can contain it."""

    name: str
    sentence: str  # for the student: what is wrong
    hint: str  # for the student: what to think about next
    changes: str = ""  # rules that put this mistake into right answers
    crash: str = ""  # a regular expression; an error message that matches is evidence of this mistake
    # A regular expression; a message of a failed test that matches is evidence of this mistake. The report
    # quotes the text that its group `quoted` matches.
    says: str = ""
    whole: bool = False  # whether the messages of all failed tests must match `says`
    if_unrepaired: bool = False  # whether `says` is used only if no repair was found
    where: str = ""  # a regular expression; this entry applies only to questions with a matching right answer

    def quoting(self, messages: Iterable[re.Match[str]]) -> str:
        """Return `sentence` with up to three quotations from `messages`, which are matches of `says`."""
        groups = (message.groupdict().get("quoted") for message in messages)
        quotes = [*dict.fromkeys(filter(None, groups))][:_MOST_QUOTES]
        return f"{self.sentence.removesuffix('.')}: {', or '.join(quotes)}." if quotes else self.sentence

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The rules in the text `changes`, with the name of this misconception."""
        parsed_rules = rules(self.changes) if self.changes else ()
        return tuple(replace(rule, misconception=self.name) for rule in parsed_rules)

    def check(self) -> None:
        """Raise a PatternError if a rule or a regular expression is invalid."""
        for rule in self.rules:
            rule.check()
        for pattern in (self.crash, self.says, self.where):
            check_expression(self.name, pattern)

    def fits(self, answers: Sequence[str]) -> bool:
        """Whether this entry applies to a question with these right answers."""
        return fits_one(self.where, answers)


@dataclass(frozen=True)
class Catalogue:
    """A course's misconceptions and places, in order, and the rules for the standard form of code."""

    misconceptions: tuple[Misconception, ...] = ()
    places: tuple[Place, ...] = ()
    writings: tuple[Rule, ...] = ()
    writings_of_matrices: tuple[Rule, ...] = ()  # rules that are valid only for two-dimensional tensors

    @property
    def entries(self) -> tuple[Misconception | Place, ...]:
        """All misconceptions, then all places."""
        return (*self.misconceptions, *self.places)

    def in_one_writing(self, tree: ast.Module, *, is_exact: bool = False) -> ast.Module:
        """Rewrite code into the standard form. If `is_exact`, use only rules that hold for all tensors."""
        for _ in range(_ROUNDS):
            before = tree
            for rule in (*self.writings, *(() if is_exact else self.writings_of_matrices)):
                tree = rule.everywhere(tree)
            if tree is before or list(map(text_of, tree.body)) == list(map(text_of, before.body)):
                break
        return tree


def format_rule(misconception: Misconception, rule: Rule) -> str:
    """Return the misconception's name and its rule, as the catalogue writes the rule."""
    changes = " && ".join(f"{one.before} => {one.after}" for one in (rule, *rule.others))
    return f"{misconception.name}: {changes}"


def load_catalogue(files: Sequence[Path]) -> Catalogue:
    """Read the catalogue's files, once for all exercises. Raise SourceError if a file is invalid."""
    return _read(tuple((path, read_text(path)) for path in files))


@lru_cache(1)
def _read(texts: tuple[tuple[Path, str], ...]) -> Catalogue:
    entries: dict[str, Misconception | Place] = {}
    writings, of_matrices = list[Rule](), list[Rule]()
    for path, text in texts:
        parsed(path, text)
        defined: dict[str, Any] = {"__name__": path.stem}
        exec(compile(text, str(path), "exec"), defined)  # noqa: S102 - the course's own code
        try:
            writings += rules(str(defined.get("WRITINGS", "")))
            of_matrices += rules(str(defined.get("WRITINGS_OF_MATRICES", "")))
            for entry in (*defined.get("MISCONCEPTIONS", ()), *defined.get("PLACES", ())):
                if entry.name in entries:
                    raise PatternError(f'"{entry.name}" is defined twice')
                entry.check()
                entries[entry.name] = entry
        except PatternError as error:
            raise SourceError(f"{path}: {error}") from error
    misconceptions = tuple(entry for entry in entries.values() if isinstance(entry, Misconception))
    places = tuple(entry for entry in entries.values() if isinstance(entry, Place))
    return Catalogue(misconceptions, places, tuple(writings), tuple(of_matrices))
