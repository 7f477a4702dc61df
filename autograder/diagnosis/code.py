"""A student's code for one question: all statements that the answer needs, and edited copies of them."""

import ast
import builtins
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from autograder.diagnosis.trees import New, names_in, parents, replaced, text_of, walk, with_ancestors

_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
MODULES = ("torch", "nn", "F", "math")
ALWAYS_THERE = frozenset((*dir(builtins), *MODULES))  # names that any code may use
# Where an expression is used: the function or operator that takes it, and the argument's index or keyword.
Slot = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Scope:
    """The surroundings of a node: its function and class, and the names that are visible at the node."""

    function: str = ""
    parameters: tuple[str, ...] = ()
    names: tuple[str, ...] = ()  # the parameters, then the variables that have been assigned before the node
    unread: tuple[str, ...] = ()  # parameters and variables that the function does not read
    attributes: tuple[str, ...] = ()  # attributes of self, and its buffers
    unread_attributes: tuple[str, ...] = ()  # attributes of self that no method reads
    in_class: bool = False
    takes_tensors: bool = False  # whether the function may take a tensor; known only when mutants are made
    # By variable: the slots in which the function reads the variable.
    uses: Mapping[str, tuple[Slot, ...]] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class NodeInScope:
    """A node of the code, with its scope and the slot in which it is used."""

    node: ast.AST
    scope: Scope
    slot: Slot | None = None
    use_slots: tuple[Slot, ...] = ()  # if the node is assigned to a variable: where this variable is read


@dataclass(frozen=True)
class Code:
    """The statements of an answer, in order."""

    statements: tuple[ast.stmt, ...]
    cells: tuple[int, ...] = ()  # the number of each statement's cell in the notebook
    fixed: frozenset[int] = frozenset()  # indices of the statements of other questions, which are not edited

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The text of each statement, without docstrings."""
        return tuple(map(text_of, self.statements))

    @property
    def text(self) -> str:
        """The text of all statements."""
        return "\n".join(self.texts)

    @cached_property
    def unused(self) -> frozenset[tuple[str, str]]:
        """The variables whose last value is never read, as pairs of a function and a variable."""
        nodes = (node for one in self.statements for node in walk(one) if isinstance(node, _FUNCTIONS))
        return frozenset((node.name, name) for node in nodes for name in _unused(node))

    @cached_property
    def casts(self) -> int:
        """The number of calls that cast a tensor, such as `x.float()` or `x.sum(dtype=torch.float)`."""
        return sum(_is_cast(node) for one in self.statements for node in walk(one))

    @cached_property
    def places(self) -> tuple[NodeInScope, ...]:
        """The nodes that may be edited, outer nodes first."""
        return tuple(site for statement in self.editable for site in _nodes_in(statement, Scope()))

    @property
    def editable(self) -> list[ast.stmt]:
        """The statements that belong to this question."""
        return [statement for index, statement in enumerate(self.statements) if index not in self.fixed]

    def edited(self, changes: Sequence[tuple[ast.AST, New]]) -> "Code":
        """Return a copy in which the second node of each pair replaces the first. Other nodes are shared."""
        replacements = {id(old): new for old, new in changes}
        statements = [*self.statements]
        for index in {self._statement_index(old) for old, _ in changes}:
            statement = statements[index]
            changing = with_ancestors(statement, (old for old, _ in changes))
            new_statement = replaced(statement, replacements, changing)
            statements[index] = (
                ast.If(ast.Constant(True), new_statement, [])
                if isinstance(new_statement, list)
                else new_statement
            )
        return replace(self, statements=tuple(statements))

    def located(self, node: ast.AST) -> ast.AST:
        """Return the node itself or its nearest ancestor that has a position in the student's text."""
        above = parents(self.statements[self._statement_index(node)])
        while not getattr(node, "lineno", 0) and id(node) in above:
            node = above[id(node)][0]
        return node

    def cell(self, node: ast.AST) -> int | None:
        """Return the number of the cell that contains a node."""
        return self.cells[self._statement_index(node)] if self.cells else None

    def _statement_index(self, node: ast.AST) -> int:
        return next(
            index
            for index, statement in enumerate(self.statements)
            if statement is node or id(node) in parents(statement)
        )


def _is_cast(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr="float" | "double" | "half"), args=[]):
            return True
        case ast.Call(func=ast.Attribute(attr="softmax" | "to" | "type" | "sum" | "mean")):
            return "torch.float" in ast.unparse(node) or "torch.double" in ast.unparse(node)
    return False


def _nodes_in(
    node: ast.AST, scope: Scope, slot: Slot | None = None, use_slots: tuple[Slot, ...] = ()
) -> Iterator[NodeInScope]:
    if isinstance(node, ast.ClassDef):
        attributes = attributes_of(node)
        read = {
            one.attr for one in walk(node) if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Load)
        }
        unread = tuple(one for one in attributes if one not in read)
        scope = replace(scope, attributes=attributes, unread_attributes=unread, in_class=True)
    if isinstance(node, _FUNCTIONS):
        yield from _nodes_in_function(node, scope)
        return
    yield NodeInScope(node, scope, slot, use_slots)
    if isinstance(node, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom):
        return
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    use_slots = scope.uses.get(target.id, ()) if isinstance(target, ast.Name) else ()
    # In `a, b = x, y`, the values `x` and `y` have the same slot as `x` in `a = x`.
    element_slot = slot if isinstance(node, ast.Tuple) and slot == ("=", "") else None
    for child, child_slot in _children_with_slots(node):
        yield from _nodes_in(child, scope, child_slot or element_slot, use_slots)


def _nodes_in_function(node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> Iterator[NodeInScope]:
    """Yield a function and its nodes. Each node's scope has the variables that earlier statements assign."""
    readable, read = _parameters(node), {*names_in(node, ast.Load)}
    unread = tuple(name for name in names_of(node) if name not in read)
    uses = _variable_slots(node)
    scope = replace(scope, function=node.name, parameters=readable, unread=unread, uses=uses)
    yield NodeInScope(node, scope)
    for statement in node.body:
        after = tuple(dict.fromkeys([*readable, *stored(statement)]))
        names = (
            readable if isinstance(statement, ast.Assign | ast.AnnAssign) and not _loops(statement) else after
        )
        yield from _nodes_in(statement, replace(scope, names=names))
        readable = after


def _variable_slots(function: ast.AST) -> dict[str, tuple[Slot, ...]]:
    """Return the slots in which each variable of a function is read."""
    slots: dict[str, tuple[Slot, ...]] = {}
    for child, slot in (pair for node in walk(function) for pair in _children_with_slots(node)):
        if isinstance(child, ast.Name) and slot is not None:
            slots[child.id] = tuple(dict.fromkeys([*slots.get(child.id, ()), slot]))
    return slots


def _children_with_slots(node: ast.AST) -> Iterator[tuple[ast.AST, Slot | None]]:
    """Yield the editable children of a node, each with its slot."""
    match node:
        case ast.Call():
            yield from _call_parts_with_slots(node)
        case ast.BinOp(left=left, op=op, right=right):
            yield from ((left, (type(op).__name__, "0")), (right, (type(op).__name__, "1")))
        case ast.Assign(targets=[target], value=value):
            yield value, (f"{ast.unparse(target)} =" if isinstance(target, ast.Attribute) else "=", "")
            if not isinstance(target, ast.Name | ast.Attribute):
                yield target, None
        case ast.AnnAssign(value=ast.expr() as value):
            yield value, ("=", "")
        case ast.Return(value=ast.expr() as value):
            yield value, ("return", "")
        case ast.Subscript(value=value, slice=index):
            yield from ((value, ("[]", "0")), (index, ("[]", "1")))
        case ast.Compare(left=left, comparators=[right]):
            yield from ((left, ("compared", "0")), (right, ("compared", "1")))
        case ast.If(test=first) | ast.For(iter=first):
            yield first, ("if" if isinstance(node, ast.If) else "for", "")
            yield from ((child, None) for child in [*node.body, *node.orelse])
        case _:
            parts = ast.iter_child_nodes(node)
            yield from ((child, None) for child in parts if not isinstance(child, _NOT_EDITED))


_NOT_EDITED = (ast.expr_context, ast.operator, ast.cmpop, ast.unaryop, ast.arguments)


def _call_parts_with_slots(node: ast.Call) -> Iterator[tuple[ast.AST, Slot | None]]:
    called, is_method = called_name(node), False
    if isinstance(node.func, ast.Attribute):
        owner = ast.unparse(node.func.value)
        of_module = owner.partition(".")[0] in MODULES or owner.startswith("super(")
        is_method = owner != "self" and not of_module  # as in x.sum(1), where x counts as argument 0
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
    """Whether a node is a constant with a sign, such as `-1`. Such a node is edited as a whole."""
    return isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)


def called_name(node: ast.Call) -> str:
    """Return the name of the called function or method, without its module or owner."""
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...]:
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return tuple(one.arg for one in arguments if one.arg != "self")


def names_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...]:
    """Return the names of a function's parameters and then of its other variables, each once."""
    return tuple(dict.fromkeys([*_parameters(node), *stored(node)]))


def stored(node: ast.AST) -> list[str]:
    """Return the names of the variables that a tree assigns, except `_`."""
    return [name for name in names_in(node, ast.Store) if name != "_"]


def _unused(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Return the variables whose last value is never read, not even by a loop's next pass."""
    last_stored, last_read = dict[str, int](), dict[str, int]()
    for at, (name, is_read) in enumerate(_accesses(function.body)):
        (last_read if is_read else last_stored)[name] = at
    return {name for name, at in last_stored.items() if last_read.get(name, -1) < at}


def _accesses(statements: Sequence[ast.stmt]) -> Iterator[tuple[str, bool]]:
    """Yield each use of a name in the order of execution: True for a read, False for an assignment.

    Right code, too, often leaves some names unread, such as sizes. Their assignments are yielded as reads, so
    that they do not count as mistakes.
    """
    for statement in statements:
        parts = [part for part in ast.iter_child_nodes(statement) if not isinstance(part, ast.stmt)]
        assigned = {name for part in parts for name in stored(part)}
        yield from ((name, True) for part in parts for name in names_in(part, ast.Load))
        yield from ((name, _may_be_unread(statement)) for name in assigned)
        for body in ("body", "orelse", "finalbody"):
            yield from _accesses(getattr(statement, body, ()))
        # The next pass of a loop, or a later call of an inner function, may read what was assigned here.
        if isinstance(statement, ast.For | ast.While | ast.FunctionDef):
            yield from ((name, True) for name in names_in(statement, ast.Load))


def _may_be_unread(statement: ast.stmt) -> bool:
    """Whether a statement assigns names that right code often leaves unread, such as sizes."""
    match statement:
        case (
            ast.Assign(targets=[ast.Tuple()], value=ast.Attribute() | ast.Call()) | ast.For(target=ast.expr())
        ):
            return True
        case ast.Assign(value=value):
            return _is_size(value)
    return False


def _is_size(value: ast.AST) -> bool:
    """Whether a value is a constant, a size, or probably a computation with these, such as `d**0.5`."""
    match value:
        case ast.Attribute(attr="shape") | ast.Constant():
            return True
        case ast.Subscript(value=ast.Attribute(attr="shape")):
            return True
        case ast.Call(func=ast.Attribute(attr="size") | ast.Name("len")):
            return True
        case ast.Call(func=ast.Attribute(attr="sqrt" | "tensor") | ast.Name("int"), args=[argument]):
            return isinstance(argument, ast.Name) or _is_size(argument)
        case ast.BinOp(left=ast.Name(), op=ast.Pow(), right=ast.Constant() | ast.UnaryOp()):
            return True
        case ast.BinOp(left=left, right=right):
            return _is_size(left) and _is_size(right)
        case ast.UnaryOp(operand=operand):
            return _is_size(operand)
    return False


def _loops(node: ast.AST) -> bool:
    return any(isinstance(one, ast.comprehension | ast.Lambda) for one in walk(node))


def attributes_of(node: ast.ClassDef) -> tuple[str, ...]:
    """Return the attributes that the methods of a class assign, and the buffers that they register."""
    names: list[str] = []
    for child in walk(node):
        match child:
            case ast.Attribute(value=ast.Name("self"), attr=name, ctx=ast.Store()):
                names.append(name)
            case ast.Call(
                func=ast.Attribute(attr="register_buffer"), args=[ast.Constant(value=str(name)), *_]
            ):
                names.append(name)
    return tuple(dict.fromkeys(names))


def takes_tensors(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether any argument lacks an annotation or has "Tensor" in its annotation. False for `__init__`."""
    annotations = [arg.annotation for arg in node.args.args if arg.arg != "self"]
    texts = ["Tensor" if annotation is None else ast.unparse(annotation) for annotation in annotations]
    return node.name != "__init__" and any("Tensor" in text for text in texts)
