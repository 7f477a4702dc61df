"""Finds places in code by a pattern and rewrites them; so a rule turns right answers into wrong ones.

A pattern is Python in which single capital letters stand for anything: `X / Y**0.5` is met wherever something
is divided by a root. The same letter twice must be the same code twice. A letter after a dot stands for any
attribute, but for .T. `...` as the last argument of a call stands for all arguments that are left; in
`if X: ...` it stands for whatever depends on the condition. A pattern
of several lines is met where these statements follow one another. ` || ` stands between several ways to write
the rule's right side, ` && ` between rules that are applied together. In a table, the kind and the rank of an
edit come first: `operator 1.3 | X + Y => X - Y`.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from textwrap import dedent
from typing import Any, TypeVar

from autograder.diagnosis.trees import (
    altered,
    by_type,
    rewritten,
    token_counts,
    with_ancestors,
    without_positions,
)

_ARROW = "=>"
_ALL = -1
_MOST_PLACES = 4  # so many places are rewritten alone
_LETTER = re.compile(r"[A-Z]")
_ATTRIBUTE = re.compile(r"[A-SU-Z]")  # .T is torch's own
_REST = "..."
_IGNORED = ("ctx", "kind", "type_comment")
Bound = dict[str, Any]  # what a pattern's letters stand for
_Tree = TypeVar("_Tree", bound=ast.AST)


class PatternError(ValueError):
    """A rule that is no Python, or has no arrow."""


def check_expression(name: str, pattern: str) -> None:
    """Raise PatternError if a regular expression of the catalogue's entry `name` is invalid."""
    try:
        re.compile(pattern)
    except re.error as error:
        raise PatternError(f'"{name}": the pattern {pattern} is none: {error}') from None


def fits_one(where: str, answers: Iterable[str]) -> bool:
    """Whether one of the right answers to a question matches a regular expression; an empty one fits all."""
    return not where or any(re.search(where, code) for code in answers)


def fits(pattern: object, code: object, bound: Bound) -> bool:
    """Whether code is what a pattern says; what its letters stand for is added to `bound`."""
    match pattern:
        case ast.Name(id=name) if _LETTER.fullmatch(name):
            return isinstance(code, ast.expr) and _bind(name, code, bound)
        case ast.Attribute(attr=name) if _ATTRIBUTE.fullmatch(name):
            if not isinstance(code, ast.Attribute) or not fits(pattern.value, code.value, bound):
                return False
            return _bind(name, code.attr, bound)
        case ast.Call():
            return isinstance(code, ast.Call) and _fits_call(pattern, code, bound)
        case ast.If(body=[ast.Expr(value=ast.Constant(value=body))]) if body is ...:
            return isinstance(code, ast.If) and fits(pattern.test, code.test, bound)
        case ast.AST():
            fields = [name for name in pattern._fields if name not in _IGNORED]
            return type(pattern) is type(code) and all(
                fits(getattr(pattern, name, None), getattr(code, name, None), bound) for name in fields
            )
        case list():
            if not isinstance(code, list) or len(pattern) != len(code):
                return False
            return all(fits(one, other, bound) for one, other in zip(pattern, code, strict=True))
    return type(pattern) is type(code) and pattern == code


def _fits_call(pattern: ast.Call, code: ast.Call, bound: Bound) -> bool:
    first, rest = _arguments(pattern)
    if not fits(pattern.func, code.func, bound) or not fits(first, code.args[: len(first)], bound):
        return False
    named = {keyword.arg: keyword for keyword in code.keywords}
    for keyword in pattern.keywords:
        found = named.pop(keyword.arg, None)
        if found is None or not fits(keyword.value, found.value, bound):
            return False
    more = code.args[len(first) :], list(named.values())
    return _bind(_REST, more, bound) if rest else not any(more)


def _arguments(pattern: ast.Call) -> tuple[list[ast.expr], bool]:
    """Return the arguments that a pattern spells out, and whether others may follow."""
    match pattern.args:
        case [*first, ast.Constant(value=last)] if last is ...:
            return first, True
    return pattern.args, False


def _bind(name: str, value: object, bound: Bound) -> bool:
    known = bound.setdefault(name, value)
    return known is value or _text(known) == _text(value)


def _text(value: object) -> str:
    return ast.unparse(value) if isinstance(value, ast.AST) else repr(value)


def filled(template: _Tree, bound: Mapping[str, Any]) -> _Tree:
    """Return a template with what its letters stand for."""

    def change(_: ast.AST, made: ast.AST) -> ast.AST:
        match made:
            case ast.Name(id=name) if isinstance(value := bound.get(name), ast.AST):
                return value if isinstance(made.ctx, ast.Load) else altered(value, ctx=made.ctx)
            case ast.Attribute(attr=name) if _ATTRIBUTE.fullmatch(name) and isinstance(bound.get(name), str):
                return altered(made, attr=bound[name])
            case ast.Call() if (more := bound.get(_REST)) and (first := _arguments(made))[1]:
                given = {keyword.arg for keyword in made.keywords}
                others = [keyword for keyword in more[1] if keyword.arg not in given]
                return altered(made, args=[*first[0], *more[0]], keywords=[*made.keywords, *others])
        return made

    return rewritten(template, change)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Rule:
    """What is looked for in code, and what is written there instead."""

    before: str
    after: str
    others: tuple["Rule", ...] = ()  # applied everywhere as well
    kind: str = ""  # of the edit that it makes; nothing where the edit shows it
    rank: float = 0.0  # a lower one is tried earlier
    misconception: str = ""  # the name of what it makes, or undoes

    def apply(
        self, tree: ast.Module, within: Container[str] | None = None, near: Container[int] | None = None
    ) -> Iterator[ast.Module]:
        """Yield the code with each place rewritten alone, and then with all of them if there are several.

        Only the functions and classes named in `within` are rewritten, if it is there, and only nodes with
        the addresses in `near`.
        """
        count = self._rewrite(tree, None, within, near)[1]
        single = [*range(min(count, _MOST_PLACES))] if count > 1 and not self.others else []
        for place in [*single, _ALL] if count else []:
            made = self._rewrite(tree, place, within, near)[0]
            for other in self.others:
                made = other._rewrite(made, _ALL, within)[0]
            yield made

    def fits(self, tree: ast.Module) -> bool:
        """Whether the rule changes anything in some code."""
        return self._rewrite(tree, None)[1] > 0

    def everywhere(self, tree: ast.Module) -> ast.Module:
        """Rewrite every place in the code, and return it."""
        return self._rewrite(tree, _ALL)[0]

    @cached_property
    def inverse(self) -> "Rule | None":
        """The rule that makes of the right side what was there before, if that can be told."""
        before, after = map(_value, self._patterns)
        others = tuple(one.inverse for one in self.others)
        if before is None or after is None or isinstance(after, ast.Name) or None in others:
            return None
        is_known = _letters(before) <= _letters(after)
        chosen = tuple(one for one in others if one)
        return Rule(self.after, self.before, chosen, misconception=self.misconception) if is_known else None

    @cached_property
    def type(self) -> type[ast.AST]:
        """The type of the expression, or of the first statement, that is looked for."""
        before = self._patterns[0]
        return type(_value(before) or before[0])

    def at(self, node: ast.AST) -> ast.AST | None:
        """Return what the rule makes of an expression; None where it does not fit."""
        bound: Bound = {}
        match [*map(_value, self._patterns)]:
            case [ast.expr() as before, ast.expr() as after] if _fits_value(before, node, bound):
                return filled(after, bound)
        return None

    def wrap(self, node: ast.AST) -> ast.AST:
        """Return what the rule makes of an expression, if its left side is a single letter, X."""
        return filled(self._patterns[1][0].value, {"X": node})  # type: ignore[attr-defined, no-any-return]

    @cached_property
    def does(self) -> str:
        """The name of the function or method that the right side calls; nothing if it calls none."""
        match _value(self._patterns[1]):
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
                return name
        return ""

    def check(self) -> None:
        """Raise PatternError where one side is no Python."""
        for rule in (self, *self.others):
            _ = rule._patterns

    @cached_property
    def is_about_results(self) -> bool:
        """Whether it rewrites whatever is returned, which concerns no function but the one asked for."""
        first = self._patterns[0][0]
        return isinstance(first, ast.Return) and "BinOp(" not in ast.dump(first)

    def _rewrite(
        self,
        tree: ast.Module,
        place: int | None,
        within: Container[str] | None = None,
        near: Container[int] | None = None,
    ) -> tuple[ast.Module, int]:
        """Rewrite one place where the rule fits, or all, or none; return the code and how many there are."""
        before, after = self._patterns
        value, template = _value(before), _value(after)
        seen = 0

        def chosen() -> bool:
            nonlocal seen
            seen += 1
            return place is not None and place in (_ALL, seen - 1)

        def change(_: ast.AST, made: ast.AST) -> ast.AST:
            bound: Bound = {}
            if value is not None and template is not None:
                fitting = _fits_value(value, made, bound) and chosen()
                return filled(template, bound) if fitting else made
            for name in ("body", "orelse", "finalbody"):
                if isinstance(statements := getattr(made, name, None), list):
                    new = _exchanged(statements, before, after, chosen) or [ast.Pass()][: name == "body"]
                    made = made if new == statements else altered(made, **{name: new})
            return made

        found = set[int]()
        for statement in tree.body:
            is_within = within is None or getattr(statement, "name", None) in within
            if is_within and self._words <= token_counts(statement).keys():
                alike = _alike(statement, value if template is not None and value is not None else before[0])
                found |= with_ancestors(statement, alike)
        if not found:
            return tree, 0
        found.add(id(tree))
        found = found if near is None else {one for one in found if one in near}
        if within is None:
            return rewritten(tree, change, found), seen
        body = [rewritten(statement, change, found) for statement in tree.body]
        return ast.Module(body, tree.type_ignores), seen

    @cached_property
    def _words(self) -> set[str]:
        """The words of what is looked for, but for letters: code without them cannot fit."""
        words = (word for statement in self._patterns[0] for word in token_counts(statement))
        return {word for word in words if len(word) > 1 and word.isidentifier()}

    @cached_property
    def _patterns(self) -> tuple[list[ast.stmt], list[ast.stmt]]:
        try:
            return ast.parse(self.before).body, without_positions(ast.parse(self.after)).body
        except SyntaxError as error:
            raise PatternError(f"{self.before!r} {_ARROW} {self.after!r}: {error.msg}") from error


def _letters(pattern: ast.expr) -> Set[str]:
    """Return what a pattern binds, as it does where it meets itself."""
    bound: Bound = {}
    fits(pattern, pattern, bound)
    return bound.keys()


def _value(statements: list[ast.stmt]) -> ast.expr | None:
    """Return the expression that is all of a pattern, or None."""
    match statements:
        case [ast.Expr(value=value)]:
            return value
    return None


def _alike(tree: ast.AST, pattern: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a tree that may fit a pattern: of several statements, those that fit the first."""
    is_any = isinstance(pattern, ast.Name) and _LETTER.fullmatch(pattern.id)
    nodes = ast.walk(tree) if is_any else by_type(tree).get(type(pattern), ())
    return (node for node in nodes if fits(pattern, node, {}))


def _fits_value(pattern: ast.expr, node: ast.AST, bound: Bound) -> bool:
    """Whether a node fits an expression, and has a value: it is no target of an assignment."""
    return isinstance(getattr(node, "ctx", None), ast.Load | None) and fits(pattern, node, bound)


def _exchanged(
    statements: list[ast.stmt], before: list[ast.stmt], after: list[ast.stmt], chosen: Callable[[], bool]
) -> list[ast.stmt]:
    """Return statements with others wherever some of them, one after the other, fit a pattern."""
    size, at = len(before), 0
    while at + size <= len(statements):
        bound: Bound = {}
        if fits(before, statements[at : at + size], bound) and chosen():
            new = [filled(one, bound) for one in after]
            statements = [*statements[:at], *new, *statements[at + size :]]
            at += len(new)
        else:
            at += 1
    return statements


def rules(text: str) -> tuple[Rule, ...]:
    """Read rules from text: one a line, `before => after`; or a block with the arrow on a line of its own."""
    blocks = re.split(r"\n\s*\n", dedent(text).strip()) if text.strip() else []
    return tuple(rule for block in blocks for rule in _block(block))


def table(text: str) -> tuple[Rule, ...]:
    """Read rules from a table: a kind and a rank, a bar, and the rules of a line."""
    found: list[Rule] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        head, _, rest = line.partition(" | ")
        kind, _, rank = head.strip().rpartition(" ")
        named = (kind, float(rank)) if rank[:1].isdigit() else (head.strip(), 0.0)
        found += (replace(rule, kind=named[0], rank=named[1]) for rule in rules(rest))
    return tuple(found)


def rules_by_type(several: Iterable[Rule]) -> Mapping[type[ast.AST], Sequence[Rule]]:
    """Return rules by the type of what they look for."""
    found = defaultdict[type[ast.AST], list[Rule]](list)
    for rule in several:
        found[rule.type].append(rule)
    return found


def _block(block: str) -> Iterator[Rule]:
    lines = block.split("\n")
    if _ARROW in map(str.strip, lines):
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
