"""Finds code that matches a pattern, and rewrites it.

A rule `before => after` has a pattern and its replacement. A misconception's rules turn right answers into
wrong answers. A pattern is Python code in which a single capital letter matches any expression: `X / Y**0.5`
matches every division by a square root. If a letter occurs twice, it must match the same code both times. A
letter after a dot matches any attribute except .T. As the last argument of a call, `...` matches all
remaining arguments; in `if X: ...`, it matches any body. Several lines match consecutive statements.

` || ` separates alternative replacements. ` && ` separates rules that are applied together. In a table, a
line begins with the kind and the rank of an edit: `operator 1.3 | X + Y => X - Y`.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache, cached_property
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

_QUICK_FIELDS = ("op", "ops", "attr")  # fields that are compared before others
_ARROW = "=>"
_ALL = -1  # the index that selects every match
_MOST_SINGLE_REWRITES = 4  # at most this many matches of a rule are rewritten one at a time
_LETTER = re.compile(r"[A-Z]")
_ATTRIBUTE = re.compile(r"[A-SU-Z]")  # without T, because `.T` is torch's transpose
_REST = "..."
_IGNORED = ("ctx", "kind", "type_comment")
Bound = dict[str, Any]  # the code that each letter of a pattern has matched
_Tree = TypeVar("_Tree", bound=ast.AST)


class PatternError(ValueError):
    """An invalid rule, pattern, regular expression or entry of the catalogue."""


def check_expression(name: str, pattern: str) -> None:
    """Raise PatternError if a regular expression of the catalogue's entry `name` is invalid."""
    try:
        re.compile(pattern)
    except re.error as error:
        raise PatternError(f'"{name}": {pattern} is not a regular expression: {error}') from None


def fits_one(where: str, answers: Iterable[str]) -> bool:
    """Whether the regular expression `where` is empty or matches one of a question's right answers."""
    return not where or any(re.search(where, code) for code in answers)


def fits(pattern: object, code: Any, bound: Bound) -> bool:
    """Whether code matches a pattern. The code that the pattern's letters match is added to `bound`."""
    match pattern:
        case ast.Name(id=name) if _LETTER.fullmatch(name):
            return isinstance(code, ast.expr) and _bind(name, code, bound)
        case ast.AST() if type(pattern) is not type(code):
            return False
        case ast.Attribute(attr=name) if _ATTRIBUTE.fullmatch(name):
            return fits(pattern.value, code.value, bound) and _bind(name, code.attr, bound)
        case ast.Call():
            return _fits_call(pattern, code, bound)
        case ast.If(body=[ast.Expr(value=ast.Constant(value=body))]) if body is ...:
            return fits(pattern.test, code.test, bound)
        case ast.AST():
            return all(
                fits(getattr(pattern, name, None), getattr(code, name, None), bound)
                for name in _compared(pattern._fields)
            )
        case list():
            if not isinstance(code, list) or len(pattern) != len(code):
                return False
            return all(fits(one, other, bound) for one, other in zip(pattern, code, strict=True))
    return type(pattern) is type(code) and pattern == code


@cache
def _compared(fields: tuple[str, ...]) -> tuple[str, ...]:
    """Return the fields that must match. Operators come first, because they often differ."""
    names = (name for name in fields if name not in _IGNORED)
    return tuple(sorted(names, key=_QUICK_FIELDS.__contains__, reverse=True))


def _fits_call(pattern: ast.Call, code: ast.Call, bound: Bound) -> bool:
    first, rest = _arguments(pattern)
    if not fits(pattern.func, code.func, bound) or not fits(first, code.args[: len(first)], bound):
        return False
    named = {keyword.arg: keyword for keyword in code.keywords}
    for keyword in pattern.keywords:
        argument = named.pop(keyword.arg, None)
        if argument is None or not fits(keyword.value, argument.value, bound):
            return False
    more = code.args[len(first) :], list(named.values())
    return _bind(_REST, more, bound) if rest else not any(more)


def _arguments(pattern: ast.Call) -> tuple[list[ast.expr], bool]:
    """Return a pattern's arguments before `...`, and whether there is a `...`."""
    match pattern.args:
        case [*first, ast.Constant(value=last)] if last is ...:
            return first, True
    return pattern.args, False


def _bind(name: str, value: object, bound: Bound) -> bool:
    first_value = bound.setdefault(name, value)
    return first_value is value or _text(first_value) == _text(value)


def _text(value: object) -> str:
    return ast.unparse(value) if isinstance(value, ast.AST) else repr(value)


def filled(template: _Tree, bound: Mapping[str, Any]) -> _Tree:
    """Return a copy of a template in which the matched code replaces the letters and `...`."""

    def change(_: ast.AST, node: ast.AST) -> ast.AST:
        match node:
            case ast.Name(id=name) if isinstance(value := bound.get(name), ast.AST):
                return value if isinstance(node.ctx, ast.Load) else altered(value, ctx=node.ctx)
            case ast.Attribute(attr=name) if _ATTRIBUTE.fullmatch(name) and isinstance(bound.get(name), str):
                return altered(node, attr=bound[name])
            case ast.Call() if (more := bound.get(_REST)) and (first := _arguments(node))[1]:
                given = {keyword.arg for keyword in node.keywords}
                others = [keyword for keyword in more[1] if keyword.arg not in given]
                return altered(node, args=[*first[0], *more[0]], keywords=[*node.keywords, *others])
        return node

    return rewritten(template, change)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Rule:
    """A pattern, and the template of the code that replaces its matches."""

    before: str
    after: str
    others: tuple["Rule", ...] = ()  # rules that are applied together with this rule
    kind: str = ""  # the kind of edit that the rule makes
    rank: float = 0.0  # the rank of the edit; if 0, its rank and kind are derived from the changed code
    misconception: str = ""  # the misconception that the rule puts into code or, in reverse, repairs

    def apply(
        self, tree: ast.Module, within: Container[str] | None = None, near: Container[int] | None = None
    ) -> Iterator[ast.Module]:
        """Yield copies of the code: first some with one match rewritten, then one with all matches rewritten.

        Only functions and classes with names in `within`, and nodes with ids in `near`, are rewritten.
        """
        count = self._rewrite(tree, None, within, near)[1]
        single = [*range(min(count, _MOST_SINGLE_REWRITES))] if count > 1 and not self.others else []
        for match_index in [*single, _ALL] if count else []:
            rewritten_tree = self._rewrite(tree, match_index, within, near)[0]
            for other in self.others:
                rewritten_tree = other._rewrite(rewritten_tree, _ALL, within)[0]
            yield rewritten_tree

    def fits(self, tree: ast.Module) -> bool:
        """Whether the rule matches any part of the code."""
        return self._rewrite(tree, None)[1] > 0

    def everywhere(self, tree: ast.Module) -> ast.Module:
        """Return the code with every match rewritten."""
        return self._rewrite(tree, _ALL)[0]

    @cached_property
    def inverse(self) -> "Rule | None":
        """The rule in reverse: its pattern is this rule's replacement. None if the rule cannot be reversed.

        Pattern and replacement must be expressions. The replacement must have all letters of the pattern,
        and must be more than a name.
        """
        before, after = self._expressions
        inverses = tuple(one.inverse for one in self.others)
        if before is None or after is None or isinstance(after, ast.Name) or None in inverses:
            return None
        has_all_letters = _letters(before) <= _letters(after)
        if not has_all_letters:
            return None
        return Rule(self.after, self.before, tuple(filter(None, inverses)), misconception=self.misconception)

    @cached_property
    def type(self) -> type[ast.AST]:
        """The type of the pattern's expression or first statement."""
        return type(self._expressions[0] or self._patterns[0][0])

    def at(self, node: ast.AST) -> ast.AST | None:
        """Return the replacement of an expression, or None if the rule does not match it."""
        bound: Bound = {}
        before, after = self._expressions
        if before is None or after is None or not _fits_value(before, node, bound):
            return None
        return filled(after, bound)

    def check(self) -> None:
        """Raise PatternError if a pattern or a replacement is not valid Python."""
        for rule in (self, *self.others):
            _ = rule._patterns

    @cached_property
    def is_about_results(self) -> bool:
        """Whether the pattern is a `return` without arithmetic, such as `return X`.

        Such a rule would match nearly every function. So it is not applied to helper functions.
        """
        first = self._patterns[0][0]
        return isinstance(first, ast.Return) and "BinOp(" not in ast.dump(first)

    def _rewrite(
        self,
        tree: ast.Module,
        match_index: int | None,
        within: Container[str] | None = None,
        near: Container[int] | None = None,
    ) -> tuple[ast.Module, int]:
        """Rewrite the match with this index. Return the code and the number of matches.

        If the index is _ALL, all matches are rewritten. If it is None, they are only counted.
        """
        ids = self._ids_to_rewrite(tree, within, near)
        if not ids:
            return tree, 0
        before, after = self._patterns
        value, template = self._expressions
        match_count = 0

        def is_selected() -> bool:
            nonlocal match_count
            match_count += 1
            return match_index is not None and match_index in (_ALL, match_count - 1)

        def change(_: ast.AST, node: ast.AST) -> ast.AST:
            bound: Bound = {}
            if value is not None and template is not None:
                fitting = _fits_value(value, node, bound) and is_selected()
                return filled(template, bound) if fitting else node
            for name in ("body", "orelse", "finalbody"):
                if isinstance(statements := getattr(node, name, None), list):
                    new = (
                        _replace_matches(statements, before, after, is_selected)
                        or [ast.Pass()][: name == "body"]
                    )
                    node = node if new == statements else altered(node, **{name: new})
            return node

        if within is None:
            return rewritten(tree, change, ids), match_count
        body = [rewritten(statement, change, ids) for statement in tree.body]
        return ast.Module(body, tree.type_ignores), match_count

    def _ids_to_rewrite(
        self, tree: ast.Module, within: Container[str] | None, near: Container[int] | None
    ) -> set[int]:
        """Return the ids of the nodes that match the pattern's root, and the ids of their ancestors.

        If `near` is given, leave out all ids that are not in `near`.
        """
        ids = set[int]()
        matched = near if isinstance(self._root, ast.expr) else None
        for statement in tree.body:
            is_within = within is None or getattr(statement, "name", None) in within
            if is_within and self._words <= token_counts(statement).keys():
                ids |= with_ancestors(statement, _matching_nodes(statement, self._root, matched))
        ids |= {id(tree)} if ids else set()
        return ids if near is None else {node_id for node_id in ids if node_id in near}

    @cached_property
    def _root(self) -> ast.AST:
        """The pattern's expression or first statement."""
        value, template = self._expressions
        return value if value is not None and template is not None else self._patterns[0][0]

    @cached_property
    def _expressions(self) -> tuple[ast.expr | None, ast.expr | None]:
        """The pattern and its replacement. Each is None if it is not a single expression."""
        before, after = self._patterns
        return _value(before), _value(after)

    @cached_property
    def _words(self) -> set[str]:
        """The names and keywords in the pattern, without its letters. Matching code contains all of them."""
        words = (word for statement in self._patterns[0] for word in token_counts(statement))
        return {word for word in words if len(word) > 1 and word.isidentifier()}

    @cached_property
    def _patterns(self) -> tuple[list[ast.stmt], list[ast.stmt]]:
        try:
            return ast.parse(self.before).body, without_positions(ast.parse(self.after)).body
        except SyntaxError as error:
            raise PatternError(f"{self.before!r} {_ARROW} {self.after!r}: {error.msg}") from error


def _letters(pattern: ast.expr) -> Set[str]:
    bound: Bound = {}
    fits(pattern, pattern, bound)  # a pattern matches itself, so this binds all its letters
    return bound.keys()


def _value(statements: list[ast.stmt]) -> ast.expr | None:
    match statements:
        case [ast.Expr(value=value)]:
            return value
    return None


def _matching_nodes(tree: ast.AST, pattern: ast.AST, near: Container[int] | None) -> Iterator[ast.AST]:
    """Yield the nodes of a tree that match a pattern's expression or first statement."""
    is_any = isinstance(pattern, ast.Name) and _LETTER.fullmatch(pattern.id)
    nodes = ast.walk(tree) if is_any else by_type(tree).get(type(pattern), ())
    return (node for node in nodes if (near is None or id(node) in near) and fits(pattern, node, {}))


def _fits_value(pattern: ast.expr, node: ast.AST, bound: Bound) -> bool:
    """Whether a node matches an expression, and nothing is assigned to the node."""
    return isinstance(getattr(node, "ctx", None), ast.Load | None) and fits(pattern, node, bound)


def _replace_matches(
    statements: list[ast.stmt], before: list[ast.stmt], after: list[ast.stmt], is_selected: Callable[[], bool]
) -> list[ast.stmt]:
    size, index = len(before), 0
    while index + size <= len(statements):
        bound: Bound = {}
        if fits(before, statements[index : index + size], bound) and is_selected():
            new = [filled(statement, bound) for statement in after]
            statements = [*statements[:index], *new, *statements[index + size :]]
            index += len(new)
        else:
            index += 1
    return statements


def rules(text: str) -> tuple[Rule, ...]:
    """Read rules from blocks of text. In a block, each line is a rule `before => after`.

    If `=>` is alone on a line, the whole block is one rule.
    """
    blocks = re.split(r"\n\s*\n", dedent(text).strip()) if text.strip() else []
    return tuple(rule for block in blocks for rule in _parse_block(block))


def table(text: str) -> tuple[Rule, ...]:
    """Read rules from a table. A line has the form `kind rank | rules` or `kind | rules`."""
    parsed_rules: list[Rule] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        head, _, rest = line.partition(" | ")
        kind, _, rank = head.strip().rpartition(" ")
        named = (kind, float(rank)) if rank[:1].isdigit() else (head.strip(), 0.0)
        parsed_rules += (replace(rule, kind=named[0], rank=named[1]) for rule in rules(rest))
    return tuple(parsed_rules)


RulesByType = Mapping[type[ast.AST], Sequence[Rule]]


def rules_by_type(all_rules: Iterable[Rule]) -> RulesByType:
    """Return rules by the type of the node that they rewrite."""
    rules_of_type = defaultdict[type[ast.AST], list[Rule]](list)
    for rule in all_rules:
        rules_of_type[rule.type].append(rule)
    return rules_of_type


def _parse_block(block: str) -> Iterator[Rule]:
    lines = block.split("\n")
    if _ARROW in map(str.strip, lines):
        middle = [line.strip() for line in lines].index(_ARROW)
        yield Rule("\n".join(lines[:middle]), "\n".join(lines[middle + 1 :]))
        return
    for line in lines:
        before, arrow, after = line.partition(_ARROW)
        if not arrow:
            raise PatternError(f"{line.strip()!r} has no {_ARROW}")
        yield from (_parse_rule(before.strip(), choice) for choice in after.split(" || "))


def _parse_rule(before: str, text: str) -> Rule:
    """Return a rule. `text` has the replacement and then, after each `&&`, another rule to apply together."""
    after, *others = text.split(" && ")
    sides = (other.partition(_ARROW) for other in others)
    return Rule(before, after.strip(), tuple(Rule(left.strip(), right.strip()) for left, _, right in sides))
