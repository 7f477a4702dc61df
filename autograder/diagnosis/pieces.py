"""Collects the steps and values of right answers, to try them in a wrong answer."""

import ast
import builtins
import copy
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import TypeVar

from autograder.diagnosis.code import Code, Place, Scope, Slot, called_name, is_signed

HOLE = "_hole_"
_MOST_NODES = 14  # of a value; a larger one would be the answer itself
_MOST_AROUND = 16  # nodes of a step, without what it acts on
_LIKEST = 2  # right answers, of whose operations some may be missing in a wrong one
_TOKEN = re.compile(r"\w+|[^\w\s]")
_BUILT_IN = frozenset(dir(builtins))
Names = Mapping[str, str]  # a student's name by that of a right answer; attributes with "self." before them
MOST_NAMES = 8  # ways to put a student's names in the place of others
_ANYWHERE = frozenset(("torch", "nn", "F", "math", "self", "float", "int", "range", "len", "super", HOLE))


@dataclass(frozen=True, slots=True)
class Piece:
    """A value or a step of a right answer: `_hole_` stands for what the step acts on."""

    tree: ast.expr
    names: frozenset[str]  # that are read in it, but for those that any code may use
    attributes: frozenset[str]  # of self
    does: str = ""  # of a step: the function or operator that it applies
    calls: frozenset[str] = frozenset()  # functions of the notebook
    words: Counter[str] = field(default_factory=Counter, compare=False)
    size: int = 0  # how many words these are

    def __hash__(self) -> int:
        return id(self.tree)


@dataclass(frozen=True)
class Pieces:
    """The values of right answers by where they stand, their steps, and their statements by function."""

    values: Mapping[Slot, tuple[Piece, ...]]
    steps: tuple[Piece, ...]
    statements: Mapping[str, tuple[ast.stmt, ...]]
    operations: tuple[Counter[str], ...] = ()  # of each answer
    attributes: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)  # of each class
    errors: frozenset[str] = frozenset()  # that they raise

    def compared(self, code: Code) -> "Compared":
        """Compare the operations of some code with those of the right answers that are most like it."""
        own = operations(code)
        apart = sorted(self.operations, key=lambda other: (own - other).total() + (other - own).total())
        lacks = [frozenset(other - own) for other in apart[:_LIKEST]] or [frozenset[str]()]
        has = [frozenset(own - other) for other in apart[:_LIKEST]] or [frozenset[str]()]
        return Compared(lacks[0], frozenset().union(*lacks), frozenset.intersection(*has))


@dataclass(frozen=True, slots=True)
class Compared:
    """Which operations some code has too few of, beside the likest right answer or others, or too many."""

    lacks: frozenset[str]
    may_lack: frozenset[str]
    has_more: frozenset[str]


_Tree = TypeVar("_Tree", bound=ast.AST)


def parsed(text: str) -> ast.expr:
    """Return an expression to put into a student's code; it does not say that it stands there already."""
    return placeless(ast.parse(text, mode="eval")).body


def placeless(tree: _Tree) -> _Tree:
    """Return a copy of some code that does not say where in a file it stands."""
    tree = copy.deepcopy(tree)
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            node.lineno = 0
    return tree


def pieces_of(answers: Iterable[Code]) -> Pieces:
    """Return what these right answers are made of."""
    values, steps = defaultdict[Slot, dict[str, Piece]](dict), dict[str, Piece]()
    statements = defaultdict[str, dict[str, ast.stmt]](dict)
    attributes = defaultdict[str, dict[tuple[str, ...], None]](dict)
    answers = [*answers]
    whole = {ast.unparse(one) for answer in answers for one in _whole(answer)}
    for answer in answers:
        for place in answer.places():
            node = place.node
            if isinstance(node, ast.ClassDef):
                attributes[node.name].setdefault(place.scope.attributes)
            if isinstance(node, ast.stmt) and place.scope.function and _may_be_missing(node):
                statements[place.scope.function].setdefault(ast.unparse(node), node)
            if not isinstance(node, ast.expr) or not isinstance(getattr(node, "ctx", None), ast.Load | None):
                continue
            if place.slot and _size(node) <= _MOST_NODES and (text := ast.unparse(node)) not in whole:
                known = values[place.slot]
                known[text] = known.get(text) or _piece(node)
            for step in _steps(node) if _is_spelt_out(node, place.scope) else ():
                text = ast.unparse(step)
                steps[text] = steps.get(text) or _piece(step, is_step=True)
    return Pieces(
        {slot: tuple(found.values()) for slot, found in values.items()},
        tuple(steps.values()),
        {name: tuple(found.values()) for name, found in statements.items()},
        tuple(map(operations, answers)),
        {name: tuple(found) for name, found in attributes.items()},
        frozenset(name for answer in answers for name in _raised(answer)),
    )


def _raised(answer: Code) -> Iterator[str]:
    for statement in answer.statements:
        for node in ast.walk(statement):
            match node:
                case ast.Raise(exc=ast.Call(func=ast.Name(id=name))):
                    yield name


def _whole(answer: Code) -> Iterator[ast.expr]:
    """Yield what functions return that do nothing else: no value to be tried, but an answer."""
    for place in answer.places():
        match place.node:
            case ast.FunctionDef(body=[ast.Return(value=ast.expr() as value)]):
                yield value


def _piece(tree: ast.expr, *, is_step: bool = False) -> Piece:
    nodes = [*ast.walk(tree)]
    made = {one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    names = {one.id for one in nodes if isinstance(one, ast.Name)} - made - _ANYWHERE
    calls = {one.func.id for one in nodes if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)}
    does = operation(tree) if is_step else ""
    words = words_of(tree)
    return Piece(
        tree,
        frozenset(names - calls),
        frozenset(_of_self(nodes)),
        does,
        frozenset(calls - _BUILT_IN),
        words,
        words.total(),
    )


def words_of(node: ast.AST) -> Counter[str]:
    """Return the words and signs in some code, but for the hole."""
    found = Counter(_TOKEN.findall(ast.unparse(node)))
    del found[HOLE]
    return found


def operation(node: ast.AST) -> str:
    """Return what a node applies to its parts: a function, a method, a layer or an operator; or nothing."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name("self"))):
            return "layer"
        case ast.Call():
            return _SAME.get(name := called_name(node), name)
        case ast.BinOp(op=op) | ast.UnaryOp(op=op):
            return type(op).__name__
        case ast.Attribute(attr="T" | "mT" | "data" | "grad" as name):
            return _SAME.get(name, name)
        case ast.Subscript():
            return "[]"
        case ast.Compare(ops=[one, *_]):
            return type(one).__name__
    return ""


_OF_TWO = frozenset(("MatMult", "maximum", "minimum", "masked_fill", "Add", "Mult", "dot"))
_SAME = {
    "T": "transpose", "mT": "transpose", "t": "transpose", "swapaxes": "transpose", "permute": "transpose",
    "matmul": "MatMult", "mm": "MatMult", "bmm": "MatMult", "sqrt": "Pow", "masked_fill_": "masked_fill",
    "where": "masked_fill", "view": "reshape", "unflatten": "reshape", "flatten": "reshape", "neg": "USub",
    "mul": "Mult", "div": "Div", "sub": "Sub", "add": "Add", "Sub": "Add", "drop": "dropout", "size": "[]",
}  # fmt: skip


def operations(code: Code) -> Counter[str]:
    """Return how often each operation stands in some code."""
    nodes = (
        node
        for number, one in enumerate(code.statements)
        if number not in code.fixed
        for node in ast.walk(one)
    )
    return Counter(filter(None, map(operation, nodes)))


def _of_self(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for one in nodes:
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == "self":
            yield one.attr


def _is_spelt_out(node: ast.expr, scope: Scope) -> bool:
    """Whether no size in a node has a name of its own, which a student's code need not have."""
    for one in ast.walk(node):
        part = one.slice if isinstance(one, ast.Subscript) else None
        names = [name.id for name in ast.walk(part) if isinstance(name, ast.Name)] if part else []
        if not {*names} <= {*scope.parameters, *_ANYWHERE}:
            return False
    return True


def _size(node: ast.AST) -> int:
    return sum(isinstance(one, ast.expr) for one in ast.walk(node))


def _may_be_missing(node: ast.stmt) -> bool:
    """Whether a statement can be left out by itself: a check of arguments, or a call for its effect."""
    match node:
        case ast.If(body=[ast.Raise()], orelse=[]):
            return True
        case ast.Expr(value=ast.Call()):
            return True
        case ast.Assign(targets=[ast.Name() | ast.Attribute()]):
            return True
        case ast.AugAssign():
            return True
    return False


def _steps(node: ast.expr) -> Iterator[ast.expr]:
    """Yield a node with each of its operands taken out, if what is left is small and computes something."""
    for holder, name, at in _operands(node):
        operand = getattr(holder, name) if at is None else getattr(holder, name)[at]
        if isinstance(operand, ast.Constant) or _size(node) - _size(operand) > _MOST_AROUND:
            continue
        made = copy.copy(node)
        hole = ast.Name(HOLE, ast.Load())
        if holder is not node:
            made.func = copy.copy(holder)  # type: ignore[attr-defined]
            made.func.value = hole  # type: ignore[attr-defined]
        elif at is None:
            setattr(made, name, hole)
        else:
            parts = [*getattr(node, name)]
            parts[at] = hole
            setattr(made, name, parts)
        yield made


def _operands(node: ast.expr) -> Iterator[tuple[ast.AST, str, int | None]]:
    match node:
        case ast.BinOp():
            yield from ((node, "left", None), (node, "right", None))
        case ast.UnaryOp():
            yield node, "operand", None
        case ast.Subscript() | ast.Attribute(attr="T" | "mT"):
            yield node, "value", None
        case ast.Call(func=ast.Attribute(value=owner)) if not (
            isinstance(owner, ast.Name) and owner.id in _ANYWHERE
        ):
            yield node.func, "value", None
        case ast.Call():
            many = 2 if operation(node) in _OF_TWO else 1
            yield from ((node, "args", at) for at in range(min(len(node.args), many)))


def in_words_of(piece: Piece, scope: Scope, most: int = MOST_NAMES) -> Iterator[Names]:
    """Yield which of a student's names stand for those in a piece that the student does not have."""
    if piece.attributes and not scope.in_class:
        return
    strange = sorted(piece.names.difference(scope.names))
    fields = sorted(piece.attributes.difference(scope.attributes, _OF_MODULES)) if piece.attributes else []
    if len(strange) + len(fields) > 2:
        return
    choices = [_nearest(name, scope.names) for name in strange]
    choices += [[f"self.{other}" for other in _nearest(name, scope.attributes)] for name in fields]
    for chosen in islice(product(*choices), most):
        yield dict(zip([*strange, *(f"self.{name}" for name in fields)], chosen, strict=True))


_OF_MODULES = ("training",)


def renamed(words: Counter[str], names: Names) -> Counter[str]:
    """Return words with a student's names in the place of others."""
    if not names:
        return words
    plain = {one.removeprefix("self."): other.removeprefix("self.") for one, other in names.items()}
    found = Counter[str]()
    for word, count in words.items():
        found[plain.get(word, word)] += count
    return found


def _nearest(name: str, names: Sequence[str]) -> list[str]:
    """Return a student's names, those first that begin alike."""
    return sorted(names, key=lambda other: (other[:1].lower() != name[:1].lower(), names.index(other)))


def built(tree: ast.expr, names: Names, value: ast.expr | None = None) -> ast.expr:
    """Return a piece with a student's names in it, acting on this value if it is a step."""
    return _built(tree, names, value)  # type: ignore[return-value]


def _built(node: ast.AST, names: Names, value: ast.expr | None) -> ast.AST:
    match node:
        case ast.Name(id=name):
            if name == HOLE and value is not None:
                return value
            return ast.Name(names[name], node.ctx) if name in names else node
        case ast.Attribute(value=ast.Name("self"), attr=name) if f"self.{name}" in names:
            return ast.Attribute(node.value, names[f"self.{name}"].removeprefix("self."), node.ctx)
    made = node
    for name, part in ast.iter_fields(node):
        if isinstance(part, ast.AST):
            new: object = _built(part, names, value)
            changed = new is not part
        elif isinstance(part, list):
            new = [_built(one, names, value) if isinstance(one, ast.AST) else one for one in part]
            changed = any(one is not other for one, other in zip(new, part, strict=True))
        else:
            continue
        if changed:
            made = copy.copy(node) if made is node else made
            setattr(made, name, new)
    return made


def holds_place(place: Place) -> bool:
    """Whether a step may act on what stands here: a value that is computed or named."""
    node = place.node
    if not isinstance(node, ast.Name | ast.Call | ast.BinOp | ast.Attribute | ast.Subscript | ast.UnaryOp):
        return False
    if not isinstance(getattr(node, "ctx", None), ast.Load | None) or place.slot is None:
        return False
    return not is_signed(node) and not (isinstance(node, ast.Name) and node.id in _ANYWHERE)
