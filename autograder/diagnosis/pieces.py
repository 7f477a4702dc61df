"""Collects the steps and values of right answers, and makes the edits that try them in a wrong one."""

import ast
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice, product
from typing import Any

from autograder.diagnosis.code import ALWAYS_THERE, MODULES, Code, Place, Scope, Slot, called_name, is_signed
from autograder.diagnosis.patterns import Rule
from autograder.diagnosis.trees import (
    HOLE,
    New,
    altered,
    names_in,
    of_self,
    placeless,
    replaced,
    with_values,
    words_of,
)

_MOST_NODES = 14  # of a value; a larger one would be the answer itself
_MOST_AROUND = 16  # nodes of a step, without what it acts on
_LIKEST = 2  # right answers, of whose operations some may be missing in a wrong one
Names = Mapping[str, str]  # a student's name by that of a right answer; attributes with "self." before them
MOST_NAMES = 8  # ways to put a student's names in the place of others
ANYWHERE = frozenset((*MODULES, "self", "float", "int", "range", "len", "super", HOLE))


@dataclass(frozen=True, slots=True)
class Piece:
    """A value or a step of a right answer: `_hole_` stands for what the step acts on."""

    tree: ast.expr | ast.stmt
    names: frozenset[str]  # that are read in it, but for those that any code may use
    attributes: frozenset[str]  # of self
    does: str  # the function or operator that it applies
    calls: frozenset[str]  # functions of the notebook
    words: Counter[str] = field(compare=False)
    size: int  # how many words these are
    slots: frozenset[Slot | None] = frozenset()  # where a step stands in right answers

    def written(self, names: Names, value: ast.expr | None = None) -> Any:
        """Return the piece with a student's names in it, acting on this value if it is a step."""
        own: dict[str, ast.expr] = {
            one: of_self(other.removeprefix("self.")) if "." in one else ast.Name(other, ast.Load())
            for one, other in names.items()
        }
        return with_values(self.tree, own | ({HOLE: value} if value is not None else {}))


@lru_cache(4096)
def ways(piece: Piece, scope: Scope, most: int = MOST_NAMES) -> tuple[tuple[Names, Counter[str]], ...]:
    """Return which of a student's names may stand for those in a piece that the student does not have.

    With each choice come the words that the piece then holds.
    """
    if piece.attributes and not scope.in_class:
        return ()
    strange = sorted(piece.names.difference(scope.names))
    fields = sorted(piece.attributes.difference(scope.attributes, ("training",)))
    if len(strange) + len(fields) > 2:
        return ()
    variables = sorted(scope.names, key=lambda name: name in scope.parameters)
    choices = [_nearest(name, variables) for name in strange]
    choices += [[f"self.{other}" for other in _nearest(name, scope.attributes)] for name in fields]
    names = [*strange, *(f"self.{name}" for name in fields)]
    chosen = (dict(zip(names, several, strict=True)) for several in islice(product(*choices), most))
    return tuple((one, _renamed(piece.words, one)) for one in chosen)


def _renamed(words: Counter[str], names: Names) -> Counter[str]:
    plain = {one.removeprefix("self."): other.removeprefix("self.") for one, other in names.items()}
    found = Counter[str]()
    for word, count in words.items():
        found[plain.get(word, word)] += count
    return found


def _nearest(name: str, names: Sequence[str]) -> list[str]:
    """Return a student's names, those first that begin alike."""
    return sorted(names, key=lambda other: other[:1].lower() != name[:1].lower())


@dataclass(frozen=True)
class Pieces:
    """The values of right answers by where they stand, and their steps."""

    values: Mapping[Slot, tuple[Piece, ...]]
    steps: tuple[Piece, ...]
    statements: tuple[Piece, ...]  # that neither assign nor return anything, such as `model.eval()`
    operations: tuple[Counter[str], ...]  # of each answer
    outlines: frozenset[str]  # of all expressions, without the names in them
    inverse_rules: Mapping[type[ast.AST], Sequence[Rule]] = field(default_factory=dict)  # of the catalogue

    def unfamiliarity(self, code: Code) -> Mapping[int, float]:
        """Return by the address of each node how unlike right answers the expression around it is: 0 to 1."""
        found = dict[int, float]()
        for statement in code.statements:
            _add_unfamiliarity(statement, 1.0, self.outlines, found)
        return found

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


def pieces_of(trees: Iterable[ast.Module]) -> Pieces:
    """Return what these right answers are made of."""
    answers = [Code(tuple(placeless(tree).body)) for tree in trees]
    values, steps = defaultdict[Slot, dict[str, Piece]](dict), dict[str, Piece]()
    slots = defaultdict[str, set[Slot | None]](set)
    statements = dict[str, Piece]()
    places = [place for answer in answers for place in answer.places]
    whole = {ast.unparse(value) for place in places for value in _whole(place.node)}
    for place in places:
        node = place.node
        if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", None), ast.Load | None):
            text = ast.unparse(node)
            if place.slot and _size(node) <= _MOST_NODES and text not in whole:
                known = values[place.slot]
                known[text] = known.get(text) or _piece(node)
            for step in _steps(node) if _is_spelt_out(node, place.scope) else ():
                text = ast.unparse(step)
                steps[text] = steps.get(text) or _piece(step)
                slots[text].add(place.slot)
        elif place.scope.function and (statement := _without_result(node)):
            statements.setdefault(ast.unparse(statement), _piece(statement))
    return Pieces(
        {slot: tuple(found.values()) for slot, found in values.items()},
        tuple(replace(one, slots=frozenset(slots[text])) for text, one in steps.items()),
        tuple(statements.values()),
        tuple(map(operations, answers)),
        frozenset(text for answer in answers for one in answer.statements for text in _all_outlines(one)),
    )


def _without_result(node: ast.AST) -> ast.stmt | None:
    """Return a statement that neither assigns nor returns anything; an error without its message."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method))):
            return node if name not in ANYWHERE and method not in ("append", "extend") else None
        case ast.If(body=[ast.Raise(exc=ast.Call(func=error))], orelse=[]):
            return altered(node, body=[ast.Raise(ast.Call(error, [], []))])
    return None


def outline(node: ast.AST | None, depth: int) -> str:
    """Write an expression without the names of variables, and without the parts below some depth."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)):
            return f"-{value!r}"
        case ast.Constant(value=value):
            return repr(value)
        case ast.Attribute(value=ast.Name("self" | "torch" | "math", ast.Load())):
            return ast.unparse(node)
        case ast.Attribute(value=value, attr=name) if name not in ("T", "mT"):
            return f"{outline(value, 0)}.{name}"
        case ast.Name() | None:
            return "_"
    if depth == 0:
        return "_"
    parts = ast.iter_child_nodes(node)
    if isinstance(node, ast.Call):
        called = node.func.value if isinstance(node.func, ast.Attribute) else None
        is_method = called is not None and getattr(called, "id", "") not in ANYWHERE
        parts = iter(
            [*([called] if called and is_method else []), *node.args, *(one.value for one in node.keywords)]
        )
    texts = [outline(part, depth - 1) for part in parts if not isinstance(part, ast.expr_context)]
    return f"{operation(node) or type(node).__name__}({', '.join(texts)})"


def _all_outlines(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.expr) and not isinstance(node, _LEAVES):
            yield from (outline(node, depth) for depth in _DEPTHS)


_LEAVES = (ast.Name, ast.Constant, ast.Attribute)
_DEPTHS = (1, 2)  # levels of an expression that are compared with right answers


def _add_unfamiliarity(node: ast.AST, value: float, known: Container[str], found: dict[int, float]) -> None:
    if isinstance(node, ast.expr) and not isinstance(node, _LEAVES) and not is_signed(node):
        value = sum(outline(node, depth) not in known for depth in _DEPTHS) / len(_DEPTHS)
    found[id(node)] = value
    for child in ast.iter_child_nodes(node):
        _add_unfamiliarity(
            child, value if isinstance(child, ast.expr | ast.keyword | ast.Slice) else 1.0, known, found
        )


def _whole(node: ast.AST) -> Iterator[ast.expr]:
    """Yield what a function returns that does nothing else: no value to be tried, but an answer."""
    match node:
        case ast.FunctionDef(body=[ast.Return(value=ast.expr() as value)]):
            yield value


def _piece(tree: ast.expr | ast.stmt) -> Piece:
    nodes = [*ast.walk(tree)]
    attributes = {
        one.attr
        for one in nodes
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == "self"
    }
    names = {*names_in(tree)} - {*names_in(tree, ast.Store)} - ANYWHERE
    calls = {one.func.id for one in nodes if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)}
    words = words_of(tree)
    return Piece(
        tree,
        frozenset(names - calls),
        frozenset(attributes),
        operation(tree),
        frozenset(calls - ALWAYS_THERE),
        words,
        words.total(),
    )


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
    own = (one for number, one in enumerate(code.statements) if number not in code.fixed)
    return Counter(does for one in own for node in ast.walk(one) if (does := operation(node)))


def _is_spelt_out(node: ast.expr, scope: Scope) -> bool:
    """Whether no size in a node has a name of its own, which a student's code need not have."""
    known = {*scope.parameters, *ANYWHERE}
    indices = (one.slice for one in ast.walk(node) if isinstance(one, ast.Subscript))
    return all({*names_in(index)} <= known for index in indices)


def _size(node: ast.AST) -> int:
    return sum(isinstance(one, ast.expr) for one in ast.walk(node))


def _steps(node: ast.expr) -> Iterator[ast.expr]:
    """Yield a node with each of its operands taken out, if what is left is small and computes something."""
    for operand in _operands(node):
        if not isinstance(operand, ast.Constant) and _size(node) - _size(operand) <= _MOST_AROUND:
            yield replaced(node, {id(operand): ast.Name(HOLE, ast.Load())})


def _operands(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.UnaryOp(operand=operand):
            return [operand]
        case ast.Subscript(value=value) | ast.Attribute(attr="T" | "mT", value=value):
            return [value]
        case ast.Call(func=ast.Attribute(value=owner)) if getattr(owner, "id", "") not in ANYWHERE:
            return [owner]
        case ast.Call(args=arguments):
            return arguments[: 2 if operation(node) in _OF_TWO else 1]
    return []


def data_of(node: ast.expr) -> ast.expr | None:
    """Return what a step acts on."""
    return next(iter(_operands(node)), None)


def holds_place(place: Place) -> bool:
    """Whether a step may act on what stands here: a value that is computed or named."""
    node = place.node
    if not isinstance(node, ast.Name | ast.Call | ast.BinOp | ast.Attribute | ast.Subscript | ast.UnaryOp):
        return False
    if not isinstance(getattr(node, "ctx", None), ast.Load | None) or place.slot is None:
        return False
    if place.slot in _SIZES or (isinstance(node, ast.Attribute) and node.attr in _NO_TENSORS):
        return False
    return not is_signed(node) and getattr(node, "id", "") not in ANYWHERE


_SIZES = (("[]", "1"), ("Pow", "1"), ("range", "0"), ("range", "1"))  # where no tensors stand
_NO_TENSORS = ("shape", "dtype", "device", "inf", "training")  # attributes
_MOST_CHANGED, MOST_ADDED = 6, 30  # words and signs of one edit
OF_SIZE = 0.06  # for each of them an edit comes later
OF_OTHERS = 3  # words and signs for which each further node counts
Make = Callable[[], New]


@dataclass(frozen=True, slots=True)
class Edit:
    """One small change: a node, what makes that which stands in its place, and what kind of thing it changes.

    Several nodes change together where one change needs it. Lower ranks are more likely.
    """

    old: ast.AST
    make: Make
    kind: str
    rank: float
    size: int = 0  # how many words and signs differ
    extent: int = 0  # how many there are in what it changes
    more: tuple[tuple[ast.AST, Make], ...] = ()
    within: Code | None = None  # what it changes: the student's code, as it stands or in one writing
    is_suspicious: bool = True  # whether right answers have no such expression
    at: ast.AST | None = None  # what of the student's text it changes, once it is made
    cell: int | None = None  # and in which cell
    does: str = ""  # the operation of a step that it adds
    misconception: str = ""  # the name of what it undoes, if a rule of the catalogue has made it
    recipe: tuple[object, ...] = ()  # equal where other places of a function change in the same way

    @property
    def changes(self) -> list[tuple[ast.AST, New]]:
        """Each node that changes, with what stands in its place."""
        return [(old, make()) for old, make in ((self.old, self.make), *self.more)]


@dataclass
class Making:
    """Makes edits at one place after the other of some code."""

    right: Pieces
    compared: Compared
    place: Place

    def edit(
        self,
        old: ast.AST,
        new: New,
        kind: str,
        rank: float,
        *more: tuple[ast.AST, New],
        size: int | None = None,
    ) -> Iterator[Edit]:
        """Yield an edit if it is a small change; one with a `size` is, and comes where its rank says."""
        others = tuple((other, returned(made)) for other, made in more)
        if size is not None:
            yield Edit(old, returned(new), kind, rank, size, more=others)
            return
        gone, come = Counter[str](), Counter[str]()
        for one, made in ((old, new), *more):
            gone += words_of(one)
            for part in made if isinstance(made, list) else [made]:
                come += words_of(part)
        yield from self.sized(old, returned(new), kind, rank, gone, come, others)

    def sized(
        self,
        old: ast.AST,
        make: Make,
        kind: str,
        rank: float,
        gone: Counter[str],
        come: Counter[str],
        more: tuple[tuple[ast.AST, Make], ...] = (),
        does: str = "",
    ) -> Iterator[Edit]:
        """Yield an edit in which these words go and come, if it is a small change."""
        less, plus = gone - come, come - gone
        few, many = sorted((less.total(), plus.total()))
        if few > (2 * _MOST_CHANGED if kind == "step" else _MOST_CHANGED) or many > MOST_ADDED:
            return
        size, place = few + many + (few > 2) * 4 + len(more) * OF_OTHERS, self.place
        recipe: tuple[object, ...] = ()
        if not more and isinstance(old, ast.expr):
            where = kind, place.scope.function, place.slot, type(old), operation(old)
            recipe = *where, frozenset(less.items()), frozenset(plus.items())
        rank += OF_SIZE * size
        yield Edit(old, make, kind, rank, size, gone.total(), more, recipe=recipe, does=does)


def returned(new: New) -> Make:
    """Return what makes nothing else than this."""
    return lambda: new
