"""Finds places in code by a pattern and rewrites them; so a rule turns right answers into wrong ones.

A pattern is Python in which single capital letters stand for anything: `X / Y**0.5` is met wherever something
is divided by a root. The same letter twice must be the same code twice. A letter after a dot stands for any
attribute, but for .T. `...` as the last argument of a call stands for all arguments that are left. A pattern
of several lines is met where these statements follow one another. ` || ` stands between several ways to write
the rule's right side, ` && ` between rules that are applied together.
"""

import ast
import copy
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from autograder.diagnosis.fitting import Bound, filled, fits
from autograder.diagnosis.vocabulary import Vocabulary, vocabulary, words

_ARROW = "=>"
_ALL = -1
_MOST_PLACES = 4  # so many places are rewritten alone
_Names = Container[str]


class PatternError(ValueError):
    """A rule that is no Python, or has no arrow."""


@dataclass(frozen=True)
class Rule:
    """What is looked for in code, and what is written there instead."""

    before: str
    after: str
    others: tuple["Rule", ...] = ()  # applied everywhere as well

    def apply(
        self, tree: ast.Module, within: _Names | None = None, near: Container[int] | None = None
    ) -> Iterator[tuple[int, ast.Module]]:
        """Yield the code with each place rewritten alone, and then with all of them if there are several.

        The number of the place stands before it.

        The tree stays as it is, now and later; what is not rewritten belongs to both. Only the functions and
        classes named in `within` are rewritten, if it is there, and only nodes with the addresses in `near`.
        """
        count = self._rewrite(tree, None, within, near)[1]
        single = [*range(min(count, _MOST_PLACES))] if count > 1 and not self.others else []
        for place in [*single, _ALL] if count else []:
            made = self._rewrite(tree, place, within, near)[0]
            for other in self.others:
                made = other._rewrite(made, _ALL, within)[0]
            yield place, made

    def everywhere(self, tree: ast.Module) -> ast.Module:
        """Rewrite every place in the code, and return it."""
        return self._rewrite(tree, _ALL, None)[0]

    def check(self) -> None:
        """Raise PatternError where one side is no Python."""
        for rule in (self, *self.others):
            _ = rule._patterns

    @cached_property
    def words(self) -> frozenset[str]:
        """What code, as ast.unparse writes it, must hold for a place to be found."""
        return words(self._patterns[0])

    @cached_property
    def is_about_results(self) -> bool:
        """Whether it rewrites whatever is returned, which concerns no function but the one asked for."""
        first = self._patterns[0][0]
        return isinstance(first, ast.Return) and "BinOp(" not in ast.dump(first)

    def _rewrite(
        self,
        tree: ast.Module,
        place: int | None,
        within: _Names | None,
        near: Container[int] | None = None,
    ) -> tuple[ast.Module, int]:
        known = vocabulary(tree)
        if (mask := known.mask(self.words)) is None:
            return tree, 0
        rewriter = _Rewriter(*self._patterns, place, known, mask, near)
        if within is None:
            return cast(ast.Module, rewriter.rewritten(tree)), rewriter.seen
        chosen = (getattr(node, "name", None) in within for node in tree.body)
        body = [
            rewriter.rewritten(node) if own else node for node, own in zip(tree.body, chosen, strict=True)
        ]
        return ast.Module(cast(list[ast.stmt], body), tree.type_ignores), rewriter.seen

    @cached_property
    def _patterns(self) -> tuple[list[ast.stmt], list[ast.stmt]]:
        try:
            return ast.parse(self.before).body, ast.parse(self.after).body
        except SyntaxError as error:
            raise PatternError(f"{self.before!r} {_ARROW} {self.after!r}: {error.msg}") from error


def rules(text: str) -> tuple[Rule, ...]:
    """Read rules from text: one a line, `before => after`; or a block with the arrow on a line of its own."""
    blocks = re.split(r"\n\s*\n", _dedented(text)) if text.strip() else []
    return tuple(rule for block in blocks for rule in _block(block))


def _block(block: str) -> Iterator[Rule]:
    lines = [line for line in block.split("\n") if line.strip()]
    if any(line.strip() == _ARROW for line in lines):
        middle = [line.strip() for line in lines].index(_ARROW)
        yield Rule("\n".join(lines[:middle]), "\n".join(lines[middle + 1 :]))
        return
    for line in lines:
        before, arrow, after = line.partition(_ARROW)
        if not arrow:
            raise PatternError(f"{line.strip()!r} has no {_ARROW}")
        yield from (_chain(before.strip(), choice) for choice in after.split(" || "))


def _chain(before: str, text: str) -> Rule:
    """Read `after`, or `after && before => after` for rules that are applied together."""
    after, *others = text.split(" && ")
    rules = (other.partition(_ARROW) for other in others)
    return Rule(before, after.strip(), tuple(Rule(one.strip(), two.strip()) for one, _, two in rules))


def _dedented(text: str) -> str:
    lines = text.strip("\n").rstrip().split("\n")
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    return "\n".join(line[min(indents, default=0) :] for line in lines)


class _Rewriter:
    """Counts the places where a pattern is met, and rewrites one of them, or all, or none for None.

    The tree stays as it is. What is rewritten is made anew with all that stands around it.
    """

    def __init__(
        self,
        before: list[ast.stmt],
        after: list[ast.stmt],
        place: int | None,
        known: Vocabulary,
        mask: int,
        near: Container[int] | None,
    ) -> None:
        self.seen = 0
        self._place, self._near = place, near
        self._known, self._mask = known, mask
        self._before, self._after = before, after
        both = [*before, *after] if len(before) == len(after) == 1 else []
        values = [statement.value for statement in both if isinstance(statement, ast.Expr)]
        self._expression: ast.expr | None = values[0] if len(values) == 2 else None
        self._value: ast.expr | None = values[-1] if len(values) == 2 else None

    def rewritten(self, node: ast.AST) -> ast.AST:
        """Return what becomes of a node once all in it is rewritten; the node itself where nothing is."""
        if not self._known.holds(node, self._mask) or (self._near is not None and id(node) not in self._near):
            return node
        node = _with(node, {name: self._part(value) for name, value in ast.iter_fields(node)})
        if self._expression is None:
            parts = ((name, getattr(node, name, None)) for name in ("body", "orelse", "finalbody"))
            lists = ((name, value) for name, value in parts if isinstance(value, list))
            return _with(node, {name: self._statements(value, name == "body") for name, value in lists})
        bound: Bound = {}
        if _may_fit(self._expression, node) and fits(self._expression, node, bound) and self._chosen():
            return filled(self._value, bound) if self._value else node
        return node

    def _part(self, value: object) -> object:
        if isinstance(value, list):
            return [self.rewritten(item) if isinstance(item, ast.AST) else item for item in value]
        return self.rewritten(value) if isinstance(value, ast.AST) else value

    def _statements(self, statements: list[ast.stmt], needed: bool) -> list[ast.stmt]:
        size, at = len(self._before), 0
        while at + size <= len(statements):
            bound: Bound = {}
            if fits(self._before, statements[at : at + size], bound) and self._chosen():
                new = [filled(statement, bound) for statement in self._after]
                statements = [*statements[:at], *new, *statements[at + size :]]
                at += len(new)
            else:
                at += 1
        return statements or ([ast.Pass()] if needed else [])

    def _chosen(self) -> bool:
        self.seen += 1
        return self._place is not None and self._place in (_ALL, self.seen - 1)


def _with(node: ast.AST, parts: Mapping[str, object]) -> ast.AST:
    """Return a node with other parts: a copy, or the node itself where they are what it has."""
    new = {name: part for name, part in parts.items() if part != getattr(node, name)}
    if not new:
        return node
    made = copy.copy(node)
    for name, part in new.items():
        setattr(made, name, part)
    return made


def _may_fit(pattern: ast.expr, node: ast.AST) -> bool:
    """Whether this is an expression of the pattern's kind that has a value: no target of an assignment."""
    if type(pattern) is not type(node) and not isinstance(pattern, ast.Name):
        return False
    return isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", None), ast.Load | None)
