"""Parses code without running it, and finds the names that the code binds.

Python's parser stores every prefix of a dotted name in an import. Python's compiler copies all names of a
function for each function inside it. So time and memory can grow with the square of the code's length, up to
gigabytes. Code within the limits of this module takes a fraction of a second.
"""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

MAX_CODE = 150_000  # characters of a notebook's code
MAX_TOKENS = 20_000  # words and signs; the longest notebook of the course has 6,000
MAX_DOTS = 100  # a dotted name must have fewer dots than this
MAX_RUN_DOTS = 1000  # dots in one dotted name of a cell that a worker runs
MAX_DEPTH = 100  # levels of nested brackets
_PART = r"(?:\.[\s\\]*\w+[\s\\]*)"  # a dot and the word after it in a dotted name
_LONG_NAME = re.compile(rf"{_PART}{{{MAX_DOTS}}}")
_DOTTED = re.compile(rf"{_PART}++")
_TOKEN = re.compile(r"\w+|[^\w\s\\]")
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
# _TIMED matches a magic before code, as in `%time f(x)`. _MAGIC matches a whole line: a magic, a
# shell command such as `!ls`, or a request for help such as `f?`.
_TIMED = re.compile(r"^([ \t]*)%(?:time|timeit|prun)[ \t]+(?:-\w+[ \t]+)*", re.MULTILINE)
_MAGIC = re.compile(r"^([ \t]*)(?:[%!].*|\?{0,2}[\w.]+\?{1,2}[ \t]*)$", re.MULTILINE)
_ASSIGNED_MAGIC = re.compile(r"=[ \t]*[%!].*$", re.MULTILINE)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (*_FUNCTIONS, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_WORD = re.compile(r"[^\W\d]\w*")
_QUOTED = re.compile(r"(\"{3}|'{3}).*?\1", re.DOTALL)
_DEFINED = re.compile(r"^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.MULTILINE)
_ASSIGNED = re.compile(r"^(\w+(?:[ \t]*,[ \t]*\w+)*)[ \t]*(?::[^=\n]*)?=(?!=)", re.MULTILINE)


@lru_cache(4096)
def bound_names(code: str) -> frozenset[str]:
    """Return the names that code binds at its top level: its functions, classes and variables.

    The names are found with regular expressions, so this is quick and also works for invalid code.
    """
    plain = _QUOTED.sub("", code)
    return frozenset(_DEFINED.findall(plain)).union(*map(_WORD.findall, _ASSIGNED.findall(plain)))


def readable(codes: Iterable[str]) -> bool:
    """Whether all cells of a notebook can be parsed: no cell is too long or nested too deeply."""
    codes = list(codes)
    return len(_readable(codes)) == len(codes)


def _readable(codes: Sequence[str]) -> set[int]:
    """Return the indices of the cells to parse: the shortest cells, up to a limit on their total length."""
    left, tokens_left = MAX_CODE, MAX_TOKENS
    chosen = set[int]()
    for at in sorted(range(len(codes)), key=lambda at: len(codes[at])):
        left -= len(codes[at])
        tokens, depth, has_short_names = _measured(codes[at]) if left >= 0 else (0, 0, False)
        tokens_left -= tokens
        if left < 0 or tokens_left < 0:
            break
        if depth <= MAX_DEPTH and has_short_names:
            chosen.add(at)
    return chosen


@lru_cache(256)
def _measured(code: str) -> tuple[int, int, bool]:
    """Return the number of tokens, the depth of brackets, and the result of `quick_to_parse`."""
    tokens = _TOKEN.findall(code)
    return len(tokens), _depth(tokens), quick_to_parse(code)


def quick_to_parse(code: str) -> bool:
    """Whether every dotted name has fewer than MAX_DOTS dots. `ast.parse` takes long for long names."""
    return _LONG_NAME.search(code) is None


def quick_to_run(code: str) -> bool:
    """Whether every dotted name has at most MAX_RUN_DOTS dots. Compiling long names takes long."""
    return code.count(".") <= MAX_RUN_DOTS or all(
        name[0].count(".") <= MAX_RUN_DOTS for name in _DOTTED.finditer(code)
    )


def _depth(tokens: Iterable[str]) -> int:
    """Return the maximum depth of nested brackets, including brackets in strings and comments."""
    steps = (1 if sign in _OPEN else -1 for sign in tokens if sign in _OPEN or sign in _CLOSE)
    return max(accumulate(steps, lambda depth, step: max(depth + step, 0), initial=0))


@dataclass(frozen=True, slots=True)
class CodePart:
    """A top-level statement, or a whole cell if the cell cannot be parsed."""

    tree: ast.stmt | None  # None for a whole cell
    bound: frozenset[str]  # the global names that the code binds
    named: frozenset[str]  # the global names in the code; for a whole cell, all its words
    at: int = 0  # the index of the cell


def code_parts(codes: Iterable[str]) -> list[CodePart]:
    """Return the parts of a notebook's code cells."""
    codes = list(codes)
    chosen = _readable(codes)
    parts, copies = list[CodePart](), Counter[str]()
    for at, code in enumerate(codes):
        statements = _statements(code, copies[code]) if at in chosen else None
        copies[code] += 1
        if statements is None:
            parts.append(CodePart(None, bound_names(code), frozenset(_WORD.findall(code)), at))
        parts += [CodePart(*statement, at) for statement in statements or ()]
    return parts


@lru_cache(256)
def _statements(code: str, _copy: int) -> tuple[tuple[ast.stmt, frozenset[str], frozenset[str]], ...] | None:
    """Return a cell's statements, each with the names that it binds and all names in it.

    The result is cached, because many students have the same cell. Equal cells of one notebook have different
    values of `_copy`, so each cell gets its own tree.
    """
    body = parsed(code)
    return None if body is None else tuple((node, bindings(node), _named(node)) for node in body)


def parsed(code: str) -> list[ast.stmt] | None:
    """Return a cell's statements, or None if the code is invalid.

    A magic becomes `pass`, and `x = %magic` becomes `x = None`. Of `%time f(x)`, only `f(x)` remains.
    """
    timed = _TIMED.sub(r"\1", code)
    plain = (_ASSIGNED_MAGIC.sub("= None", _MAGIC.sub(r"\1pass", text)) for text in (timed, code))
    for text in (code, *plain):
        try:
            return ast.parse(text).body
        except UNREADABLE:
            continue
    return None


def dependencies(name: str, parts: Sequence[CodePart]) -> tuple[list[CodePart], set[str]]:
    """Return all parts on which a name depends, directly or indirectly, and all names in these parts."""
    binding = defaultdict[str, list[int]](list)
    for number, part in enumerate(parts):
        for bound in part.bound:
            binding[bound].append(number)
    names, followed, pending = set[str](), dict[int, None](), [name]
    while pending:
        for number in binding.pop(pending.pop(), ()):
            if number not in followed:
                followed[number] = None
                pending += parts[number].named - names
                names |= parts[number].named
    return [parts[number] for number in followed], names


def bindings(statement: ast.stmt) -> frozenset[str]:
    """Return the global names that a statement binds."""
    nodes = [(node, local) for node, local in in_scope(statement) if not isinstance(node, ast.arg)]
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        shared = {name for node, _ in nodes if isinstance(node, ast.Global) for name in node.names}
        return frozenset(shared | {statement.name})
    return frozenset(name for node, local in nodes for name in _bound(node) if name not in local)


@lru_cache(256)
def in_scope(tree: ast.AST) -> Sequence[tuple[ast.AST, frozenset[str]]]:
    """Return every node of a tree with the names that are local to the functions around it."""
    pending, nodes = [(tree, frozenset[str]())], list[tuple[ast.AST, frozenset[str]]]()
    while pending:
        node, local = pending.pop()
        nodes.append((node, local))
        inside = local | _local_names(node) if isinstance(node, _SCOPES) else local
        outside = [*node.decorator_list, node.args, node.returns] if isinstance(node, _FUNCTIONS) else []
        pending += [(child, local if child in outside else inside) for child in ast.iter_child_nodes(node)]
    return nodes


def _local_names(scope: ast.AST) -> frozenset[str]:
    """Return the local names of a function or comprehension, without those of nested functions."""
    nodes = list(ast.walk(scope.args)) if isinstance(scope, (*_FUNCTIONS, ast.Lambda)) else list[ast.AST]()
    pending = list(ast.iter_child_nodes(scope))
    while pending:
        nodes.append(node := pending.pop())
        if not isinstance(node, (*_SCOPES, ast.ClassDef)):
            pending += ast.iter_child_nodes(node)
    shared = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
    return frozenset(name for node in nodes for name in _bound(node)) - shared


def _bound(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(name, ast.Store()) | ast.arg(name) | ast.FunctionDef(name) | ast.ClassDef(name):
            yield name
        case ast.AsyncFunctionDef(name) | ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
            yield name
        case ast.Import(aliases) | ast.ImportFrom(names=aliases):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in aliases)


def _named(statement: ast.stmt) -> frozenset[str]:
    pairs = in_scope(statement)
    return frozenset(node.id for node, local in pairs if isinstance(node, ast.Name) and node.id not in local)
