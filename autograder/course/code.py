"""Reads Python code without running it: whether it can be parsed quickly, and which names it binds.

Python's parser keeps every beginning of a dotted name in an import, so that a long one takes gigabytes. Its
tables of symbols copy all names of a function for each function inside. Both grow with the square of the
code; what is left within the bounds here takes a fraction of a second.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

MAX_CODE = 150_000  # characters of a notebook's code
MAX_TOKENS = 20_000  # words and signs; the longest notebook of the course has 6,000
MAX_DOTS = 100  # in one dotted name
MAX_RUN_DOTS = 1000  # in one dotted name of code that is only run; with more, this begins to take long
MAX_DEPTH = 100  # brackets inside brackets
_PART = r"(?:\.[\s\\]*\w+[\s\\]*)"  # of a dotted name
_LONG_NAME = re.compile(rf"{_PART}{{{MAX_DOTS}}}")
_DOTTED = re.compile(rf"{_PART}++")
_TOKEN = re.compile(r"\w+|[^\w\s\\]")
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
_TIMED = re.compile(r"^([ \t]*)%(?:time|timeit|prun)[ \t]+(?:-\w+[ \t]+)*", re.MULTILINE)  # code follows
_MAGIC = re.compile(r"^([ \t]*)(?:[%!].*|\?{0,2}[\w.]+\?{1,2}[ \t]*)$", re.MULTILINE)  # or asks for help
_ASSIGNED_MAGIC = re.compile(r"=[ \t]*[%!].*$", re.MULTILINE)
_WORD = re.compile(r"[^\W\d]\w*")
_QUOTED = re.compile(r"(\"{3}|'{3}).*?\1", re.DOTALL)
_DEFINED = re.compile(r"^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.MULTILINE)
_ASSIGNED = re.compile(r"^(\w+(?:[ \t]*,[ \t]*\w+)*)[ \t]*(?::[^=\n]*)?=(?!=)", re.MULTILINE)


@lru_cache(4096)
def bound_names(code: str) -> frozenset[str]:
    """Return the names that code binds at its top level: its functions, classes and variables.

    This is told by its lines, so it is quick, whatever the code, and needs no code that Python can read.
    """
    plain = _QUOTED.sub("", code)
    return frozenset(_DEFINED.findall(plain)).union(*map(_WORD.findall, _ASSIGNED.findall(plain)))


def readable(codes: Iterable[str]) -> bool:
    """Whether the code of a whole notebook is short and flat enough to be parsed."""
    left, tokens_left = MAX_CODE, MAX_TOKENS
    for code in codes:
        left -= len(code)
        tokens = _TOKEN.findall(code) if left >= 0 else []
        tokens_left -= len(tokens)
        if left < 0 or tokens_left < 0 or _depth(tokens) > MAX_DEPTH or not quick_to_parse(code):
            return False
    return True


def quick_to_parse(code: str) -> bool:
    """Whether no dotted name in some code is too long for Python's parser."""
    return _LONG_NAME.search(code) is None


def quick_to_run(code: str) -> bool:
    """Whether no dotted name keeps Python's parser busy for long before some code begins to run."""
    return code.count(".") <= MAX_RUN_DOTS or all(
        name[0].count(".") <= MAX_RUN_DOTS for name in _DOTTED.finditer(code)
    )


def _depth(tokens: Iterable[str]) -> int:
    """Return how many brackets are open at the deepest place; text and comments count as if code."""
    steps = (1 if sign in _OPEN else -1 for sign in tokens if sign in _OPEN or sign in _CLOSE)
    return max(accumulate(steps, lambda depth, step: max(depth + step, 0), initial=0))


@dataclass(frozen=True, slots=True)
class Piece:
    """A top-level statement, or a cell that cannot be parsed, of which the words count."""

    tree: ast.stmt | None
    bound: frozenset[str]  # names of the notebook
    named: frozenset[str]  # all names in it
    at: int = 0  # the place of its cell


def pieces(codes: Iterable[str]) -> list[Piece]:
    """Return the pieces of a notebook's code cells; magics count as nothing."""
    codes = list(codes)
    is_readable = readable(codes)
    found = list[Piece]()
    for at, code in enumerate(codes):
        body = parsed(code) if is_readable else None
        if body is None:
            found.append(Piece(None, bound_names(code), frozenset(_WORD.findall(code)), at))
        found += [Piece(statement, bindings(statement), _named(statement), at) for statement in body or ()]
    return found


def parsed(code: str) -> list[ast.stmt] | None:
    """Return a cell's statements, with `pass` or None for magics without code; None where it is no Python."""
    timed = _TIMED.sub(r"\1", code)
    plain = (_ASSIGNED_MAGIC.sub("= None", _MAGIC.sub(r"\1pass", text)) for text in (timed, code))
    for text in (code, *plain):
        try:
            return ast.parse(text).body
        except UNREADABLE:
            continue
    return None


def rests_on(name: str, found: Sequence[Piece]) -> tuple[list[Piece], set[str]]:
    """Return the pieces that a name leads to, each once, and every name in them."""
    binding = defaultdict[str, list[int]](list)
    for number, piece in enumerate(found):
        for one in piece.bound:
            binding[one].append(number)
    seen, followed, pending = set[str](), dict[int, None](), [name]
    while pending:
        for number in binding.pop(pending.pop(), ()):
            if number not in followed:
                followed[number] = None
                pending += found[number].named - seen
                seen |= found[number].named
    return [found[number] for number in followed], seen


def bindings(statement: ast.stmt) -> frozenset[str]:
    """Return the notebook's names that a statement binds, without those that are local to a function."""
    nodes = list(ast.walk(statement))
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        shared = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
        return frozenset(shared | {statement.name})
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    imported = {
        alias.asname or alias.name.partition(".")[0]
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    defined = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    return frozenset(stored | imported | defined)


def _named(statement: ast.stmt) -> frozenset[str]:
    """Return the names in a statement, without what are a function's or a method's own arguments."""
    if isinstance(statement, ast.ClassDef):
        around = [*statement.decorator_list, *statement.bases, *statement.keywords]
        return _names(around).union(*map(_named, statement.body))
    if not isinstance(statement, ast.FunctionDef):
        return _names([statement])
    around = [statement.args, *statement.decorator_list, *filter(None, [statement.returns])]
    inside = [node for part in statement.body for node in ast.walk(part)]
    shared = {name for node in inside if isinstance(node, ast.Global) for name in node.names}
    own = {node.arg for node in ast.walk(statement.args) if isinstance(node, ast.arg)} - shared
    return _names(statement.body) - own | _names(around)


def _names(nodes: Iterable[ast.AST]) -> frozenset[str]:
    return frozenset(node.id for one in nodes for node in ast.walk(one) if isinstance(node, ast.Name))
