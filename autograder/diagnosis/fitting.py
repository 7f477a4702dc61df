"""Matches code with a pattern, and fills in a pattern's letters."""

import ast
import copy
import re
from collections.abc import Mapping
from typing import TypeVar, cast

from autograder.diagnosis.vocabulary import LETTER

_ATTRIBUTE = re.compile(r"[A-SU-Z]")  # .T is torch's own
_REST = "..."
Bound = dict[str, object]
_Node = TypeVar("_Node", bound=ast.AST)


def fits(pattern: object, code: object, bound: Bound) -> bool:
    """Whether code is what a pattern says; what its letters stand for is added to `bound`."""
    match pattern:
        case ast.Name(id=name) if LETTER.fullmatch(name):
            return isinstance(code, ast.expr) and _bind(name, code, bound)
        case ast.Attribute(attr=name) if _ATTRIBUTE.fullmatch(name):
            if not isinstance(code, ast.Attribute) or not fits(pattern.value, code.value, bound):
                return False
            return _bind(name, code.attr, bound)
        case ast.Call():
            return isinstance(code, ast.Call) and _fits_call(pattern, code, bound)
        case ast.AST():
            if type(pattern) is not type(code):
                return False
            fields = [name for name in pattern._fields if name not in ("ctx", "kind", "type_comment")]
            return all(fits(getattr(pattern, n, None), getattr(code, n, None), bound) for n in fields)
        case list():
            if not isinstance(code, list) or len(pattern) != len(code):
                return False
            return all(fits(one, other, bound) for one, other in zip(pattern, code, strict=True))
    return type(pattern) is type(code) and pattern == code


def _fits_call(pattern: ast.Call, code: ast.Call, bound: Bound) -> bool:
    wanted = list(pattern.args)
    rest = bool(wanted) and isinstance(wanted[-1], ast.Constant) and wanted[-1].value is ...
    wanted = wanted[:-1] if rest else wanted
    if not fits(pattern.func, code.func, bound) or not fits(wanted, code.args[: len(wanted)], bound):
        return False
    named = {keyword.arg: keyword for keyword in code.keywords}
    for keyword in pattern.keywords:
        found = named.pop(keyword.arg, None)
        if found is None or not fits(keyword.value, found.value, bound):
            return False
    more = code.args[len(wanted) :], list(named.values())
    return _bind(_REST, more, bound) if rest else not any(more)


def _bind(name: str, value: object, bound: Bound) -> bool:
    if name not in bound:
        bound[name] = value
        return True
    return _text(bound[name]) == _text(value)


def _text(value: object) -> str:
    return ast.unparse(value) if isinstance(value, ast.AST) else repr(value)


def filled(template: _Node, bound: Mapping[str, object]) -> _Node:
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
