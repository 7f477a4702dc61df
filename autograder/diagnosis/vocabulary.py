"""Collects the names and operators in code, to skip patterns that cannot match it."""

import ast
import re
from collections.abc import Iterable
from functools import lru_cache

LETTER = re.compile(r"[A-Z]")  # a name of one capital letter stands for anything in a pattern
_OPERATORS = {
    ast.MatMult: "@",
    ast.Div: "/",
    ast.Pow: "**",
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Return: "return",
    ast.For: "for",
    ast.If: "if",
    ast.Subscript: "[",
}
_KEPT = 512  # trees, to which one rule after the other comes back


def words(pattern: Iterable[ast.AST]) -> frozenset[str]:
    """Return what code must hold where a pattern is met: names, attributes and operators."""
    nodes = (node for statement in pattern for node in ast.walk(statement))
    found = (word for node in nodes if (word := _word(node)))
    return frozenset(word for word in found if not LETTER.fullmatch(word))


class Vocabulary:
    """The words in a tree and in each of its parts, which go by their addresses.

    The tree must stay as it is, and be held by somebody as long as it is asked about.
    """

    def __init__(self, tree: ast.AST) -> None:
        self._bits: dict[str, int] = {}
        self._masks: dict[int, int] = {}
        self._look_at(tree)

    def mask(self, wanted: Iterable[str]) -> int | None:
        """Return what `holds` asks for; None where the tree lacks one of the words."""
        mask = 0
        for word in wanted:
            if word not in self._bits:
                return None
            mask |= self._bits[word]
        return mask

    def holds(self, part: ast.AST, mask: int) -> bool:
        """Whether a part of the tree holds all words of a mask."""
        return self._masks[id(part)] & mask == mask

    def _look_at(self, node: ast.AST) -> int:
        word, mask = _word(node), 0
        if word:
            mask = self._bits.setdefault(word, 1 << len(self._bits))
        for child in ast.iter_child_nodes(node):
            mask |= self._look_at(child)
        self._masks[id(node)] = mask
        return mask


@lru_cache(_KEPT)
def vocabulary(tree: ast.AST) -> Vocabulary:
    """Return a tree's words."""
    return Vocabulary(tree)


def _word(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else _OPERATORS.get(type(node), "")
