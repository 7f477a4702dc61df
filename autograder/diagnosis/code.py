"""A student's code for one question: the statements that it rests on, and copies of them with small edits."""

import ast
import builtins
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from autograder.diagnosis.trees import New, around, names_in, parents, replaced, text_of

_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
MODULES = ("torch", "nn", "F", "math")
ALWAYS_THERE = frozenset((*dir(builtins), *MODULES))  # names that any code may use
Slot = tuple[str, str]  # where an expression stands: in a call of which function, as which argument


@dataclass(frozen=True, slots=True)
class Scope:
    """What is known around a place: its function and class, and the names that can be read there."""

    function: str = ""
    parameters: tuple[str, ...] = ()
    names: tuple[str, ...] = ()  # the parameters, then the function's other variables
    unread: tuple[str, ...] = ()  # parameters and variables that the function does not use
    attributes: tuple[str, ...] = ()  # of self
    unread_attributes: tuple[str, ...] = ()  # of them, those that no method reads
    in_class: bool = False
    takes_tensors: bool = False  # whether the function is given tensors, from which its results follow
    uses: Mapping[str, tuple[Slot, ...]] = field(default_factory=dict, compare=False)  # of variables, by name


@dataclass(frozen=True, slots=True)
class Place:
    """A node of some code, with what is known around it."""

    node: ast.AST
    scope: Scope
    slot: Slot | None = None
    used: tuple[Slot, ...] = ()  # where the variable stands that an assignment gives this value


@dataclass(frozen=True)
class Code:
    """Statements in their order; those of `fixed` numbers belong to other questions and are not edited."""

    statements: tuple[ast.stmt, ...]
    cells: tuple[int, ...] = ()  # in which each statement stands, as the notebook counts them
    fixed: frozenset[int] = frozenset()

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Each statement as Python's own unparser writes it, without docstrings."""
        return tuple(map(text_of, self.statements))

    @property
    def text(self) -> str:
        """The statements, one after the other."""
        return "\n".join(self.texts)

    @cached_property
    def unused(self) -> frozenset[tuple[str, str]]:
        """The variables of functions that only their own assignments read, each with its function."""
        nodes = (node for one in self.statements for node in ast.walk(one) if isinstance(node, _FUNCTIONS))
        return frozenset((node.name, name) for node in nodes for name in _unused(node))

    @cached_property
    def casts(self) -> int:
        """How many calls cast a tensor to a dtype that the code itself chooses."""
        return sum(_is_cast(node) for one in self.statements for node in ast.walk(one))

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Each node that may be edited, the outer ones first."""
        own = (one for number, one in enumerate(self.statements) if number not in self.fixed)
        return tuple(place for one in own for place in _places(one, Scope()))

    def edited(self, changes: Sequence[tuple[ast.AST, New]]) -> "Code":
        """Return the code with something else in the place of some nodes; all that stays is shared."""
        new = {id(old): made for old, made in changes}
        statements = [*self.statements]
        for number in {self._number(old) for old, _ in changes}:
            one = statements[number]
            near = around(one, (old for old, _ in changes))
            made = replaced(one, new, near)
            statements[number] = ast.If(ast.Constant(True), made, []) if isinstance(made, list) else made
        return replace(self, statements=tuple(statements))

    def located(self, node: ast.AST) -> ast.AST:
        """Return a node, or the nearest one around it that stands in the student's own text."""
        above = parents(self.statements[self._number(node)])
        while not getattr(node, "lineno", 0) and id(node) in above:
            node = above[id(node)][0]
        return node

    def cell(self, node: ast.AST) -> int | None:
        """Return the number of the cell in which a node stands."""
        return self.cells[self._number(node)] if self.cells else None

    def holds(self, node: ast.AST) -> bool:
        """Whether a node is part of the code."""
        return any(one is node or id(node) in parents(one) for one in self.statements)

    def _number(self, node: ast.AST) -> int:
        """Return the number of the statement in which a node stands."""
        found = (at for at, one in enumerate(self.statements) if one is node or id(node) in parents(one))
        return next(found)


def _is_cast(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr="float" | "double" | "half"), args=[]):
            return True
        case ast.Call(func=ast.Attribute(attr="softmax" | "to" | "type" | "sum" | "mean")):
            return "torch.float" in ast.unparse(node) or "torch.double" in ast.unparse(node)
    return False


def _places(
    node: ast.AST, scope: Scope, slot: Slot | None = None, used: tuple[Slot, ...] = ()
) -> Iterator[Place]:
    if isinstance(node, ast.ClassDef):
        attributes = attributes_of(node)
        read = {
            one.attr
            for one in ast.walk(node)
            if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Load)
        }
        unread = tuple(one for one in attributes if one not in read)
        scope = replace(scope, attributes=attributes, unread_attributes=unread, in_class=True)
    if isinstance(node, _FUNCTIONS):
        yield from _in_function(node, scope)
        return
    yield Place(node, scope, slot, used)
    if isinstance(node, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom):
        return
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    used = scope.uses.get(target.id, ()) if isinstance(target, ast.Name) else ()
    # What stands in a tuple is assigned as well as what stands alone.
    each = slot if isinstance(node, ast.Tuple) and slot == ("=", "") else None
    for part, its in _children(node):
        yield from _places(part, scope, its or each, used)


def _in_function(node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> Iterator[Place]:
    """Yield a function, and the places in it; each can read what the statements before it have stored."""
    known, read = _parameters(node), {*names_in(node, ast.Load)}
    unread = tuple(name for name in names_of(node) if name not in read)
    scope = replace(scope, function=node.name, parameters=known, unread=unread, uses=_uses(node))
    yield Place(node, scope)
    for child in node.body:
        after = tuple(dict.fromkeys([*known, *stored(child)]))
        within = known if isinstance(child, ast.Assign | ast.AnnAssign) and not _loops(child) else after
        yield from _places(child, replace(scope, names=within))
        known = after


def _uses(function: ast.AST) -> dict[str, tuple[Slot, ...]]:
    """Return where each variable of a function stands, but for its assignments."""
    found: dict[str, tuple[Slot, ...]] = {}
    for part, slot in (child for node in ast.walk(function) for child in _children(node)):
        if isinstance(part, ast.Name) and slot is not None:
            found[part.id] = tuple(dict.fromkeys([*found.get(part.id, ()), slot]))
    return found


def _children(node: ast.AST) -> Iterator[tuple[ast.AST, Slot | None]]:
    """Yield the parts of a node, each with where it stands."""
    match node:
        case ast.Call():
            yield from _of_call(node)
        case ast.BinOp(left=one, op=op, right=other):
            yield from ((one, (type(op).__name__, "0")), (other, (type(op).__name__, "1")))
        case ast.Assign(targets=[target], value=value):
            yield value, (f"{ast.unparse(target)} =" if isinstance(target, ast.Attribute) else "=", "")
            if not isinstance(target, ast.Name | ast.Attribute):
                yield target, None
        case ast.AnnAssign(value=ast.expr() as value):
            yield value, ("=", "")
        case ast.Return(value=ast.expr() as value):
            yield value, ("return", "")
        case ast.Subscript(value=one, slice=other):
            yield from ((one, ("[]", "0")), (other, ("[]", "1")))
        case ast.Compare(left=one, comparators=[other]):
            yield from ((one, ("compared", "0")), (other, ("compared", "1")))
        case ast.If(test=first) | ast.For(iter=first):
            yield first, ("if" if isinstance(node, ast.If) else "for", "")
            yield from ((child, None) for child in [*node.body, *node.orelse])
        case _:
            parts = ast.iter_child_nodes(node)
            yield from ((child, None) for child in parts if not isinstance(child, _NO_PLACES))


_NO_PLACES = (ast.expr_context, ast.operator, ast.cmpop, ast.unaryop, ast.arguments)


def _of_call(node: ast.Call) -> Iterator[tuple[ast.AST, Slot | None]]:
    called, is_method = called_name(node), False
    if isinstance(node.func, ast.Attribute):
        owner = ast.unparse(node.func.value)
        of_module = owner.partition(".")[0] in MODULES or owner.startswith("super(")
        is_method = owner != "self" and not of_module  # of some value
    if is_method:
        yield node.func.value, (called, "0")  # type: ignore[attr-defined]
    else:
        yield node.func, None
    for at, argument in enumerate(node.args):
        yield argument, (called, str(at + is_method))
    for keyword in node.keywords:
        if keyword.arg != "device":
            yield keyword.value, (called, keyword.arg or "**")


def is_signed(node: ast.AST) -> bool:
    """Whether this is a constant with a sign, such as a negative number, which is one thing."""
    return isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)


def called_name(node: ast.Call) -> str:
    """Return the own name of the function or method that is called."""
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...]:
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return tuple(one.arg for one in arguments if one.arg != "self")


def names_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...]:
    """Return a function's parameters and then its other variables, each once."""
    return tuple(dict.fromkeys([*_parameters(node), *stored(node)]))


def stored(node: ast.AST) -> list[str]:
    """Return the variables that some code assigns."""
    return [name for name in names_in(node, ast.Store) if name != "_"]


def _unused(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Return the variables whose last value nothing reads; in a loop, every read of a variable counts."""
    last_stored, last_read = dict[str, int](), dict[str, int]()
    for at, (name, is_read) in enumerate(_accesses(function.body)):
        (last_read if is_read else last_stored)[name] = at
    return {name for name, at in last_stored.items() if last_read.get(name, -1) < at}


def _accesses(statements: Sequence[ast.stmt]) -> Iterator[tuple[str, bool]]:
    """Yield the names that statements read (True) or assign (False), in the order in which they run."""
    for one in statements:
        parts = [part for part in ast.iter_child_nodes(one) if not isinstance(part, ast.stmt)]
        assigned = {name for part in parts for name in stored(part)}
        yield from ((name, True) for part in parts for name in names_in(part, ast.Load))
        yield from ((name, _may_be_unread(one)) for name in assigned)
        for body in ("body", "orelse", "finalbody"):
            yield from _accesses(getattr(one, body, ()))
        if isinstance(one, ast.For | ast.While | ast.FunctionDef):  # what runs again reads again
            yield from ((name, True) for name in names_in(one, ast.Load))


def _may_be_unread(statement: ast.stmt) -> bool:
    """Whether nobody may need all names of a statement: of sizes, or the number of a round."""
    match statement:
        case (
            ast.Assign(targets=[ast.Tuple()], value=ast.Attribute() | ast.Call()) | ast.For(target=ast.expr())
        ):
            return True
        case ast.Assign(value=value):
            return _is_size(value)
    return False


def _is_size(value: ast.AST) -> bool:
    """Whether a value is a size, or computed from sizes alone, such as a root."""
    match value:
        case ast.Attribute(attr="shape") | ast.Constant():
            return True
        case ast.Subscript(value=ast.Attribute(attr="shape")):
            return True
        case ast.Call(func=ast.Attribute(attr="size") | ast.Name("len")):
            return True
        case ast.Call(func=ast.Attribute(attr="sqrt" | "tensor") | ast.Name("int"), args=[one]):
            return isinstance(one, ast.Name) or _is_size(one)
        case ast.BinOp(left=ast.Name(), op=ast.Pow(), right=ast.Constant() | ast.UnaryOp()):
            return True
        case ast.BinOp(left=left, right=right):
            return _is_size(left) and _is_size(right)
        case ast.UnaryOp(operand=operand):
            return _is_size(operand)
    return False


def _loops(node: ast.AST) -> bool:
    return any(isinstance(one, ast.comprehension | ast.Lambda) for one in ast.walk(node))


def attributes_of(node: ast.ClassDef) -> tuple[str, ...]:
    """Return the names of the attributes that methods of a class give to self, or register."""
    made: list[str] = []
    for one in ast.walk(node):
        match one:
            case ast.Attribute(value=ast.Name("self"), attr=name, ctx=ast.Store()):
                made.append(name)
            case ast.Call(
                func=ast.Attribute(attr="register_buffer"), args=[ast.Constant(value=str(name)), *_]
            ):
                made.append(name)
    return tuple(dict.fromkeys(made))


def takes_tensors(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether one of a function's arguments may be a tensor, by its annotation where it has one."""
    annotations = [arg.annotation for arg in node.args.args if arg.arg != "self"]
    texts = ["Tensor" if annotation is None else ast.unparse(annotation) for annotation in annotations]
    return node.name != "__init__" and any("Tensor" in text for text in texts)
