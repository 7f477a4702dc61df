"""Finds places in code by pattern and writes something else there, which makes right answers wrong.

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
from typing import TypeVar, cast

_LETTER = re.compile(r"[A-Z]")
_ATTRIBUTE = re.compile(r"[A-SU-Z]")  # .T is torch's own
_REST = "..."
_ARROW = "=>"
_ALL = -1
_MOST_PLACES = 4  # so many places are rewritten alone
_Bound = dict[str, object]
_Names = Container[str]
_Node = TypeVar("_Node", bound=ast.AST)


class PatternError(ValueError):
    """A rule that is no Python, or has no arrow."""


@dataclass(frozen=True)
class Rule:
    """What is looked for in code, and what is written there instead."""

    before: str
    after: str
    others: tuple["Rule", ...] = ()  # applied everywhere as well

    def apply(
        self, code: str, tree: ast.Module, within: _Names | None = None
    ) -> Iterator[tuple[int, ast.Module]]:
        """Yield the code with each place rewritten alone, and then with all of them if there are several.

        The number of the place stands before it.

        `tree` is the code's own, and is only looked at: to parse is quicker than to copy. Only the functions
        and classes named in `within` are rewritten, if it is there.
        """
        count = self._rewrite(tree, None, within)[1]
        single = [*range(min(count, _MOST_PLACES))] if count > 1 and not self.others else []
        for place in [*single, _ALL] if count else []:
            if made := self.once(code, place, within):
                yield place, made

    def once(self, code: str, place: int, within: _Names | None = None) -> ast.Module | None:
        """Return the code with one place rewritten, by the number that `apply` goes by; None without it."""
        made, seen = self._rewrite(ast.parse(code), place, within)
        if seen <= max(place, 0):
            return None
        for other in self.others:
            made = other._rewrite(made, _ALL, within)[0]
        return made

    def everywhere(self, tree: ast.Module) -> ast.Module:
        """Rewrite every place in the code, and return it."""
        return self._rewrite(tree, _ALL, None)[0]

    def check(self) -> None:
        """Raise PatternError where one side is no Python."""
        for rule in (self, *self.others):
            _ = rule._patterns

    @cached_property
    def words(self) -> frozenset[str]:
        """The names that code must hold for a place to be found in it."""
        nodes = [node for statement in self._patterns[0] for node in ast.walk(statement)]
        names = {node.id for node in nodes if isinstance(node, ast.Name)}
        names |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        return frozenset(name for name in names if not _LETTER.fullmatch(name))

    @cached_property
    def is_about_results(self) -> bool:
        """Whether it rewrites whatever is returned, which concerns no function but the one asked for."""
        first = self._patterns[0][0]
        return isinstance(first, ast.Return) and "BinOp(" not in ast.dump(first)

    def _rewrite(self, tree: ast.Module, place: int | None, within: _Names | None) -> tuple[ast.Module, int]:
        rewriter = _Rewriter(self._patterns[0], self._patterns[1], place)
        if within is None:
            return cast(ast.Module, rewriter.visit(tree)), rewriter.seen
        body = (rewriter.visit(node) if getattr(node, "name", None) in within else node for node in tree.body)
        tree.body = [cast(ast.stmt, node) for node in body]
        return tree, rewriter.seen

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


class _Rewriter(ast.NodeTransformer):
    """Counts the places where a pattern is met, and rewrites one of them, or all, or none for None."""

    def __init__(self, before: list[ast.stmt], after: list[ast.stmt], place: int | None) -> None:
        self.seen = 0
        self._place = place
        self._before, self._after = before, after
        both = [*before, *after] if len(before) == len(after) == 1 else []
        values = [statement.value for statement in both if isinstance(statement, ast.Expr)]
        self._expression: ast.expr | None = values[0] if len(values) == 2 else None
        self._value: ast.expr | None = values[-1] if len(values) == 2 else None

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if self._expression is None:
            for name in ("body", "orelse", "finalbody"):
                if isinstance(statements := getattr(node, name, None), list):
                    setattr(node, name, self._statements(statements, name == "body"))
            return node
        bound: _Bound = {}
        if isinstance(node, ast.expr) and _fits(self._expression, node, bound) and self._chosen():
            return _filled(self._value, bound) if self._value else node
        return node

    def _statements(self, statements: list[ast.stmt], needed: bool) -> list[ast.stmt]:
        size, at = len(self._before), 0
        while at + size <= len(statements):
            bound: _Bound = {}
            if _fits(self._before, statements[at : at + size], bound) and self._chosen():
                new = [_filled(statement, bound) for statement in self._after]
                statements = [*statements[:at], *new, *statements[at + size :]]
                at += len(new)
            else:
                at += 1
        return statements or ([ast.Pass()] if needed else [])

    def _chosen(self) -> bool:
        self.seen += 1
        return self._place is not None and self._place in (_ALL, self.seen - 1)


def _fits(pattern: object, code: object, bound: _Bound) -> bool:
    """Whether code is what a pattern says; what its letters stand for is added to `bound`."""
    match pattern:
        case ast.Name(id=name) if _LETTER.fullmatch(name):
            return isinstance(code, ast.expr) and _bind(name, code, bound)
        case ast.Attribute(attr=name) if _ATTRIBUTE.fullmatch(name):
            fits = isinstance(code, ast.Attribute) and _fits(pattern.value, code.value, bound)
            return fits and isinstance(code, ast.Attribute) and _bind(name, code.attr, bound)
        case ast.Call():
            return isinstance(code, ast.Call) and _fits_call(pattern, code, bound)
        case ast.AST():
            if type(pattern) is not type(code):
                return False
            fields = [name for name in pattern._fields if name not in ("ctx", "kind", "type_comment")]
            return all(_fits(getattr(pattern, n, None), getattr(code, n, None), bound) for n in fields)
        case list():
            if not isinstance(code, list) or len(pattern) != len(code):
                return False
            return all(_fits(one, other, bound) for one, other in zip(pattern, code, strict=True))
    return type(pattern) is type(code) and pattern == code


def _fits_call(pattern: ast.Call, code: ast.Call, bound: _Bound) -> bool:
    wanted = list(pattern.args)
    rest = bool(wanted) and isinstance(wanted[-1], ast.Constant) and wanted[-1].value is ...
    wanted = wanted[:-1] if rest else wanted
    if not _fits(pattern.func, code.func, bound) or not _fits(wanted, code.args[: len(wanted)], bound):
        return False
    named = {keyword.arg: keyword for keyword in code.keywords}
    for keyword in pattern.keywords:
        found = named.pop(keyword.arg, None)
        if found is None or not _fits(keyword.value, found.value, bound):
            return False
    more = code.args[len(wanted) :], list(named.values())
    return _bind(_REST, more, bound) if rest else not any(more)


def _bind(name: str, value: object, bound: _Bound) -> bool:
    if name not in bound:
        bound[name] = value
        return True
    return _text(bound[name]) == _text(value)


def _text(value: object) -> str:
    return ast.unparse(value) if isinstance(value, ast.AST) else repr(value)


def _filled(template: _Node, bound: Mapping[str, object]) -> _Node:
    """Return a copy of a template with what its letters stand for."""
    return cast(_Node, _Filler(bound).visit(copy.deepcopy(template)))


class _Filler(ast.NodeTransformer):
    def __init__(self, bound: Mapping[str, object]) -> None:
        self._bound = bound

    def visit_Name(self, node: ast.Name) -> ast.AST:
        value = self._bound.get(node.id)
        return copy.deepcopy(value) if isinstance(value, ast.AST) else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if _ATTRIBUTE.fullmatch(node.attr) and isinstance(name := self._bound.get(node.attr), str):
            node.attr = name
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if node.args and isinstance(node.args[-1], ast.Constant) and node.args[-1].value is ...:
            more = self._bound.get(_REST)
            arguments, keywords = more if isinstance(more, tuple) else ([], [])
            node.args = [*node.args[:-1], *copy.deepcopy(arguments)]
            node.keywords = [*node.keywords, *copy.deepcopy(keywords)]
        return node
