"""Finds solutions that are more alike than their task explains, for an instructor to judge.

Code is compared by its syntax: names that it gives itself, formatting, comments, docstrings and annotations
do not count. Right answers to a short task are alike by nature. So a passage counts only if it is neither in
the stub nor in an answer of the course's own, and if few others in the class have written it as well. The two
bounds were measured: among 59 pairs of independent right answers they flag none, and all of 55 copies of
right answers under other names. Looking at the likeness alone flags half of all pairs.
"""

import ast
import io
import token
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import networkx
from rapidfuzz.distance import Indel

from autograder.course.code import quick_to_parse

PASSAGE = 6  # tokens
MIN_RARE = 12  # passages of both that few others have
MIN_ALIKE = 0.8  # the part of both that is alike
_MAX_CODE = 20_000  # characters of an answer that is compared
_FEW, _MOST, _SHARE = 4, 10, 0.1  # how many may write a passage before it counts as natural
_LEFT_OUT = {token.ENCODING, token.NEWLINE, token.NL, token.ENDMARKER, token.COMMENT}
Tokens = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Likeness:
    """Two students' answers to one question that are alike beyond what is natural."""

    question: str
    first: str
    second: str
    share: float  # how much of both is alike
    rare: int  # passages in both that few others have


def likenesses(question: str, answers: Mapping[str, str], own: Iterable[str]) -> Iterator[Likeness]:
    """Yield the pairs among a class's `answers`, by student; `own` are the stub and the course's answers."""
    tokens = {student: normalised(code) for student, code in answers.items()}
    natural = {passage for code in own for passage in _passages(normalised(code))}
    found = {student: _passages(one) - natural for student, one in tokens.items()}
    counted = Counter(passage for passages in found.values() for passage in passages)
    few = min(max(_FEW, round(_SHARE * len(answers))), _MOST)
    shared = {passage for passage, count in counted.items() if 2 <= count <= few}
    rare = {student: passages & shared for student, passages in sorted(found.items())}
    for first, second in combinations([s for s, passages in rare.items() if len(passages) >= MIN_RARE], 2):
        both = rare[first] & rare[second]
        if len(both) < MIN_RARE:
            continue
        share = Indel.normalized_similarity(tokens[first], tokens[second])
        if share >= MIN_ALIKE:
            yield Likeness(question, first, second, share, len(both))


def clusters(pairs: Iterable[Likeness]) -> list[tuple[Likeness, ...]]:
    """Return the pairs that hang together by a student they share, in groups, the most alike first."""
    found = sorted(pairs, key=lambda pair: (-pair.rare, pair.question, pair.first, pair.second))
    graph = networkx.Graph((pair.first, pair.second) for pair in found)
    groups = [
        tuple(pair for pair in found if pair.first in students)
        for students in networkx.connected_components(graph)
    ]
    return sorted(groups, key=lambda group: (-sum(pair.rare for pair in group), group[0].first))


def normalised(code: str) -> Tokens:
    """Return the tokens of code without what may be changed while it stays the same code."""
    if len(code) > _MAX_CODE or not quick_to_parse(code):
        return ()
    try:
        tree = ast.parse(code)
        own = {name for node in ast.walk(tree) for name in _bound(node)}
        text = ast.unparse(_Plain(own).visit(tree))
        found = tokenize.generate_tokens(io.StringIO(text).readline)
        return tuple(
            one.string.strip() or token.tok_name[one.type] for one in found if one.type not in _LEFT_OUT
        )
    except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError):
        return ()


def _passages(tokens: Sequence[str]) -> set[Tokens]:
    return {tuple(tokens[start : start + PASSAGE]) for start in range(len(tokens) - PASSAGE + 1)}


def _bound(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node gives to something of its own."""
    match node:
        case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.alias(asname=str(name)) | ast.ExceptHandler(name=str(name)):
            yield name


class _Plain(ast.NodeTransformer):
    """Gives every name of the code's own the same name, and takes out docstrings and annotations."""

    def __init__(self, own: set[str]) -> None:
        self._own = own

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Rename a name."""
        return ast.Name("_", node.ctx) if node.id in self._own else node

    def visit_arg(self, node: ast.arg) -> ast.AST:  # noqa: ARG002 - ast's signature
        """Rename a parameter."""
        return ast.arg("_", None)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        """Take out an annotation."""
        if node.value is None:
            return None
        return self.generic_visit(ast.Assign([node.target], node.value, lineno=node.lineno))

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Rename what the code keeps in itself, such as self.width."""
        node = ast.Attribute(self.visit(node.value), node.attr, node.ctx)
        mine = isinstance(node.value, ast.Name) and node.value.id == "_"
        return ast.Attribute(node.value, "_", node.ctx) if mine and isinstance(node.ctx, ast.Store) else node

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> ast.AST:
        """Rename a function or class, and take out its docstring."""
        node.name = "_"
        if not isinstance(node, ast.ClassDef):
            node.returns = None
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return self.generic_visit(node)

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef  # noqa: N815 - ast's names
