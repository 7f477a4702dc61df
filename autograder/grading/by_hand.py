"""Says why an instructor has to look at a question with rules: by what ran, and by what is read.

What torch computes is recorded while it runs, whatever the code says (worker/operators.py). Beside that, one
scan of the code that an answer reaches looks for names that are used as what is forbidden. A match asks an
instructor to look. It proves nothing, and clever code can evade the scan: a missed trick costs less than the
points of a right answer.
"""

import ast
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from autograder.course.code import Piece, in_scope, rests_on
from autograder.course.rule import Rule
from autograder.worker.operators import LOST

_LOOKS = "An instructor looks at this answer because"
_UNREAD = f"{_LOOKS} the grader cannot read its code."
_NOT_RECORDED = f"{_LOOKS} the grader could not record what its code ran."
_RAN = f"{_LOOKS} of an operation that its code ran. The code ran an operation"
_WITHOUT = "which this question asks you to do without."
_ROUNDS = 10  # of a search for drafts that are read; a notebook that needs more is read with all of them
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,79}")
_ALSO_FORBIDDEN = {  # by a forbidden word
    "@": frozenset({"matmul", "rmatmul", "imatmul"}),
    **dict.fromkeys(("dot", "sum"), frozenset({"dist", "fsum", "hypot", "sumprod"})),
}
# Packages whose functions can be what a rule forbids; those of others only bear the same name.
_COMPUTING = frozenset(
    {"torch", "numpy", "scipy", "math", "operator", "statistics", "builtins", "jax", "einops"}
)


@dataclass(frozen=True, slots=True)
class Use:
    """A forbidden name, the place of the cell that uses it, and the line there."""

    name: str
    at: int
    line: int


def forbidden_use(
    question: str, rule: Rule, found: Sequence[Piece], unfinished: Container[int] = ()
) -> Use | None:
    """Return the first use of a forbidden name in the code that the answer to a question reaches.

    `found` are the statements with which the question is judged; `unfinished` are the places of cells that
    may have ended before their last statement.
    """
    return _first_use(rule, found, *_reached(question, found, unfinished))


def _first_use(rule: Rule, found: Sequence[Piece], reached: Sequence[Piece], read: set[str]) -> Use | None:
    if not rule.forbid:
        return None
    words = frozenset(rule.forbid).union(*(_ALSO_FORBIDDEN.get(word, ()) for word in rule.forbid))
    scan = _Scan(words, found, reached, read)
    return next((use for piece in reached for use in scan.uses(piece)), None)


def broken_rule(
    question: str,
    rule: Rule,
    found: Sequence[Piece],
    ran: Sequence[frozenset[str]] = (),
    shown: Sequence[frozenset[str]] = (),
    where: Callable[[int, int], str] = lambda _, line: f"line {line}",
    unfinished: Container[int] = (),
) -> str | None:
    """Return in a student's words why an instructor has to look at `question`, or None.

    `found` are the statements with which it is judged; `where` puts the place of a cell and a line there into
    words. `ran` is what the worker says of the question's calls on hidden inputs: it decides. `shown` is what
    a worker says of its calls on inputs that may be shown: names come from there alone, since no hidden input
    can have shaped them. `unfinished` are the places of cells that may have ended before their last
    statement.
    """
    if not rule.forbid and rule.operators is None:
        return None
    reached, read = _reached(question, found, unfinished)
    if not reached or any(piece.tree is None for piece in reached):
        return _UNREAD
    if use := _first_use(rule, found, reached, read):
        return _because_of(where(use.at, use.line), f'uses "{use.name}"')
    if rule.operators is not None and (needless := _needless(ran, rule.operators)):
        told = _needless(shown, rule.operators)
        if LOST in (told or needless):
            return _NOT_RECORDED
        if not (name := _named(told)):
            return f"{_RAN}, {_WITHOUT}"
        if place := _place(name, reached):
            return _because_of(where(*place), f"calls {name}")
        return f"{_LOOKS} of {name}. The code called {name}, {_WITHOUT}"
    return None


def _because_of(place: str, what: str) -> str:
    return f"{_LOOKS} of {place}. {place[:1].upper()}{place[1:]} {what}, {_WITHOUT}"


def _reached(
    question: str, found: Sequence[Piece], unfinished: Container[int]
) -> tuple[list[Piece], set[str]]:
    """Return the statements that an answer reaches by names, and these names.

    A function that is defined again is not reached, unless a statement between may have kept it.
    """
    finished = ((at, piece) for at, piece in enumerate(found) if piece.at not in unfinished)
    last = {name: at for at, piece in finished if (name := _defined_afresh(piece))}
    places = {id(piece): at for at, piece in enumerate(found)}
    for _ in range(_ROUNDS):
        drafts = {at for at, piece in enumerate(found) if _is_replaced(piece, at, last)}
        reached, read = rests_on(question, [piece for at, piece in enumerate(found) if at not in drafts])
        kept = {name for piece in reached for name in piece.named if places[id(piece)] < last.get(name, 0)}
        if not kept:
            break
        last = {name: at for name, at in last.items() if name not in kept}
    else:
        reached, read = rests_on(question, found)
    return reached + [piece for piece in found if "*" in piece.bound], read


def _defined_afresh(piece: Piece) -> str:
    """Return the name of a plain function, which uses nothing that had this name before; else nothing."""
    match piece.tree:
        case ast.FunctionDef(name, decorator_list=[]) as tree:
            header = {node.id for node in ast.walk(tree.args) if isinstance(node, ast.Name)}
            return "" if name in header else name
    return ""


def _is_replaced(piece: Piece, at: int, last: Mapping[str, int]) -> bool:
    """Whether all names that a statement binds are bound again, at the places in `last`."""
    return bool(piece.bound) and all(at < last.get(name, 0) for name in piece.bound)


def _needless(ran: Sequence[frozenset[str]], allowed: frozenset[str]) -> frozenset[str]:
    """Return what ran and is not allowed; where nothing at all was recorded, that it was lost."""
    operators = frozenset[str]().union(*ran) or frozenset({LOST} if ran else ())
    return frozenset(name for name in operators if not {name, name.rstrip("_")} & allowed)


def _named(operators: Iterable[str]) -> str:
    """Return the name of one of some operators, if torch has any of them; else an empty text."""
    import torch  # which has recorded them

    names = [name for name in operators if _NAME.fullmatch(name) and hasattr(torch.ops.aten, name)]
    return min(names, key=lambda name: (name.startswith("_"), name), default="")


def _place(operator: str, reached: Sequence[Piece]) -> tuple[int, int] | None:
    """Return the cell and line that name an operator, if any do."""
    for piece in reached:
        for node in ast.walk(piece.tree or ast.Pass()):
            match node:
                case ast.Name(name) | ast.Attribute(attr=name) if name == operator:
                    return piece.at, node.lineno
    return None


class _Scan:
    """Looks for names that are used as what is forbidden, in the statements that an answer reaches."""

    def __init__(
        self, words: frozenset[str], found: Sequence[Piece], reached: Sequence[Piece], read: Container[str]
    ) -> None:
        self._words, self._read = words, read
        self._own = frozenset[str]().union(*(piece.bound for piece in reached))
        trees = [piece.tree for piece in found if piece.tree is not None]
        self._modules = dict(pair for tree in trees for pair in _modules(tree))
        self._attributes = frozenset[str]().union(*map(_made_attributes, trees))

    def uses(self, piece: Piece) -> Iterator[Use]:
        """Yield the uses in a statement."""
        for node, local in in_scope(piece.tree or ast.Pass()):
            for name in self._spelt(node, local):
                if name.strip("_") in self._words:
                    yield Use(name, piece.at, getattr(node, "lineno", 0))

    def _spelt(self, node: ast.AST, local: frozenset[str]) -> Iterable[str]:
        """Return the names by which a node could use something of another's, and not of the notebook."""
        match node:
            case ast.Name(name, ast.Load()) if name not in local and name not in self._own:
                return [name]
            case ast.Attribute(ast.Name(owner), name, ast.Load()) if owner in self._modules:
                return [name] if owner in local or self._modules[owner] in _COMPUTING else []
            case ast.Attribute(_, name, ast.Load()) if name not in self._attributes:
                return [name]
            case ast.BinOp(op=ast.MatMult()) | ast.AugAssign(op=ast.MatMult()):
                return ["@"]
            case ast.ImportFrom(module=str(module), names=aliases) if module.split(".")[0] in _COMPUTING:
                read = (one.name for one in aliases if local or (one.asname or one.name) in self._read)
                return [*read]
            case ast.MatchClass(kwd_attrs=names):
                return names
            case ast.Call(ast.Name("getattr"), [_, ast.Constant(str(text)), *_]):
                return text.split(".")
        return []


@lru_cache(256)
def _modules(tree: ast.stmt) -> Sequence[tuple[str, str]]:
    """Return the names that imports in a statement give to modules, and the package of each."""
    found = list[tuple[str, str]]()
    for node in ast.walk(tree):
        match node:
            case ast.Import(aliases):
                for alias in aliases:
                    root = alias.name.partition(".")[0]
                    found.append((alias.asname or root, root))
            case ast.ImportFrom(module=str(module), names=aliases):
                found += [(alias.asname or alias.name, module.partition(".")[0]) for alias in aliases]
    return found


@lru_cache(256)
def _made_attributes(tree: ast.stmt) -> frozenset[str]:
    """Return the attributes that a statement gives to objects of the notebook."""
    found = set[str]()
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(_, name, ast.Store()):
                found.add(name)
            case ast.ClassDef(body=body):
                found |= {one.name for one in body if isinstance(one, ast.FunctionDef)}
    return frozenset(found)
