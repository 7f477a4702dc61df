"""A student's code for one question: the statements that it rests on, and copies of them with small edits."""

import ast
import builtins
import copy
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import cast

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
    unread: tuple[str, ...] = ()  # parameters that the function does not use
    attributes: tuple[str, ...] = ()  # of self
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


New = ast.AST | list[ast.stmt]


@dataclass(slots=True)
class Edit:
    """One small change: a node, what makes that which stands in its place, and what kind of thing it changes.

    Several nodes change together where one change needs it. Lower ranks are more likely.
    """

    old: ast.AST
    make: Callable[[], New]
    kind: str
    rank: float
    size: int = 0  # how many words and signs differ
    extent: int = 0  # how many there are in what it changes
    at: ast.AST | None = None  # what of the student's text it changes, once it is made
    cell: int | None = None  # and in which cell
    recipe: tuple[object, ...] = ()  # equal where other places of a function are alike,
    words: tuple[Counter[str], ...] = ()  # and these, that go and come, where they change in the same way
    more: tuple[tuple[ast.AST, New | Callable[[], New]], ...] = ()


@dataclass(frozen=True)
class Code:
    """Statements in their order; those of `fixed` numbers belong to other questions and are not edited."""

    statements: tuple[ast.stmt, ...]
    cells: tuple[int, ...] = ()  # in which each statement stands, as the notebook counts them
    fixed: frozenset[int] = frozenset()
    _known: "_Known" = field(default_factory=lambda: _Known(), compare=False, repr=False)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Each statement as Python's own unparser writes it, without docstrings."""
        return tuple(map(self._known.text, self.statements))

    @property
    def text(self) -> str:
        """The statements, one after the other."""
        return "\n".join(self.texts)

    @cached_property
    def unused(self) -> frozenset[tuple[str, str]]:
        """The variables of functions that only their own assignments read, each with its function."""
        return frozenset().union(*map(self._known.unused, self.statements))

    def places(self) -> Iterator[Place]:
        """Yield each node that may be edited, the outer ones first."""
        for number, statement in enumerate(self.statements):
            if number not in self.fixed:
                yield from places(statement)

    def edited(self, edit: Edit) -> "Code":
        """Return the code with an edit made in it; all that it leaves alone is shared."""
        statements = [*self.statements]
        more = ((old, new() if callable(new) else new) for old, new in edit.more)
        for old, new in ((edit.old, edit.make()), *more):
            number, path = self._paths[id(old)]
            made = _put(statements[number], path, new)
            statements[number] = cast(ast.stmt, made)
        return replace(self, statements=tuple(statements))

    def located(self, node: ast.AST) -> ast.AST:
        """Return a node, or the nearest one around it that stands in the student's own text."""
        number, path = self._paths[id(node)]
        at: ast.AST = self.statements[number]
        found = at
        for name, index in path:
            at = getattr(at, name) if index is None else getattr(at, name)[index]
            found = at if getattr(at, "lineno", 0) else found
        return found

    def cell(self, node: ast.AST) -> int | None:
        """Return the number of the cell in which a node stands."""
        found = self._paths.get(id(node))
        return self.cells[found[0]] if found and self.cells else None

    @cached_property
    def _paths(self) -> Mapping[int, tuple[int, tuple[tuple[str, int | None], ...]]]:
        """The way to each node, by its address: the statement's number, then fields and places in lists."""
        found: dict[int, tuple[int, tuple[tuple[str, int | None], ...]]] = {}
        for number, statement in enumerate(self.statements):
            left: list[tuple[ast.AST, tuple[tuple[str, int | None], ...]]] = [(statement, ())]
            while left:
                node, path = left.pop()
                found[id(node)] = number, path
                for name, value in ast.iter_fields(node):
                    if isinstance(value, ast.AST):
                        left.append((value, (*path, (name, None))))
                    elif isinstance(value, list):
                        parts = enumerate(value)
                        left += [
                            (part, (*path, (name, at))) for at, part in parts if isinstance(part, ast.AST)
                        ]
        return found


class _Known:
    """What is known of statements that some code shares with its edited copies, by their addresses."""

    def __init__(self) -> None:
        self._texts = dict[int, str]()
        self._unused = dict[int, frozenset[tuple[str, str]]]()
        self._held = list[ast.AST]()  # so that no others get their addresses

    def text(self, node: ast.stmt) -> str:
        """Write a statement; of a function or a class, only what has not been written yet."""
        if id(node) not in self._texts:
            if isinstance(node, ast.ClassDef | _FUNCTIONS):
                head = copy.copy(node)
                head.body = []
                body = [self.text(one) for one in node.body if not _is_docstring(one)] or ["pass"]
                lines = "\n".join(body).replace("\n", "\n    ")
                text = f"{ast.unparse(head)}\n    {lines}"
            else:
                text = ast.unparse(node)
            self._texts[id(node)] = text
            self._held.append(node)
        return self._texts[id(node)]

    def unused(self, node: ast.stmt) -> frozenset[tuple[str, str]]:
        """Return the variables of the functions in a statement that only their own assignments read."""
        if id(node) not in self._unused:
            own = {(node.name, name) for name in _unused(node)} if isinstance(node, _FUNCTIONS) else ()
            within = [self.unused(one) for one in node.body] if isinstance(node, ast.ClassDef) else []
            self._unused[id(node)] = frozenset(own).union(*within)
            self._held.append(node)
        return self._unused[id(node)]


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _put(node: ast.AST, path: Sequence[tuple[str, int | None]], new: New) -> ast.AST:
    """Return a copy of a node in which another one, or a list of statements, ends the path."""
    if not path:
        return new if isinstance(new, ast.AST) else ast.If(ast.Constant(True), new, [])
    (name, at), *rest = path
    made, value = copy.copy(node), getattr(node, name)
    if at is None:
        setattr(made, name, _put(value, rest, new) if rest else new)
    else:
        parts = [*value]
        if rest:
            parts[at] = _put(value[at], rest, new)
        else:
            parts[at : at + 1] = new if isinstance(new, list) else [new]
        setattr(made, name, parts or [ast.Pass()])
    return made


def places(statement: ast.stmt) -> Iterator[Place]:
    """Yield each node of a statement that may be edited, with what is known around it."""
    yield from _places(statement, Scope(), None)


def _places(node: ast.AST, scope: Scope, slot: Slot | None) -> Iterator[Place]:
    if isinstance(node, ast.ClassDef):
        scope = replace(scope, attributes=attributes_of(node), in_class=True)
    if isinstance(node, _FUNCTIONS):
        parameters = _parameters(node)
        read = {
            one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)
        }
        unread = tuple(name for name in parameters if name not in read)
        scope = replace(
            scope, function=node.name, parameters=parameters, unread=unread, takes_tensors=takes_tensors(node)
        )
        yield Place(node, replace(scope, names=names_of(node)))
        scope = replace(scope, uses=_uses(node))
        known = parameters
        for child in node.body:  # which can read what the statements before it have stored
            after = tuple(dict.fromkeys([*known, *stored(child)]))
            within = known if isinstance(child, ast.Assign | ast.AnnAssign) and not _loops(child) else after
            yield from _places(child, replace(scope, names=within), None)
            known = after
        return
    yield Place(node, scope, slot)
    if isinstance(node, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom):
        return
    for part, its in _children(node):
        if (
            its == _STORED
            and isinstance(node, ast.Assign)
            and isinstance(target := node.targets[0], ast.Name)
        ):
            yield Place(part, scope, its, scope.uses.get(target.id, ()))
            yield from (one for one in _places(part, scope, its) if one.node is not part)
        else:
            yield from _places(part, scope, its)


def _uses(function: ast.AST) -> dict[str, tuple[Slot, ...]]:
    """Return where each variable of a function stands, but for its assignments."""
    found: dict[str, dict[Slot, None]] = {}
    for node in ast.walk(function):
        for part, slot in _children(node):
            if isinstance(part, ast.Name) and slot is not None:
                found.setdefault(part.id, {})[slot] = None
    return {name: tuple(slots) for name, slots in found.items()}


_STORED: Slot = ("=", "")


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
        case ast.For(iter=iterated):
            yield iterated, ("for", "")
            yield from ((child, None) for child in [*node.body, *node.orelse])
        case _:
            parts = ast.iter_child_nodes(node)
            yield from ((child, None) for child in parts if not isinstance(child, _NO_PLACES))


_NO_PLACES = (ast.expr_context, ast.operator, ast.cmpop, ast.unaryop, ast.arguments)


def _of_call(node: ast.Call) -> Iterator[tuple[ast.AST, Slot | None]]:
    called, is_method = called_name(node), _is_method(node)
    if is_method and isinstance(node.func, ast.Attribute):
        yield node.func.value, (called, "0")
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


def _is_method(node: ast.Call) -> bool:
    """Whether this calls a method of some value, and not a function of a module or a layer of self."""
    if not isinstance(node.func, ast.Attribute):
        return False
    owner = ast.unparse(node.func.value)
    return owner != "self" and owner.partition(".")[0] not in MODULES and not owner.startswith("super(")


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...]:
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return tuple(one.arg for one in arguments if one.arg != "self")


def names_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...]:
    """Return a function's parameters and then its other variables, each once."""
    return tuple(dict.fromkeys([*_parameters(node), *stored(node)]))


def stored(node: ast.AST) -> list[str]:
    """Return the variables that are assigned in a function."""
    found = (one for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))
    return [one.id for one in found if one.id != "_"]


def _unused(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    read, assigned = set[str](), set[str]()
    for node in ast.walk(function):
        if not isinstance(node, ast.stmt) or isinstance(node, _FUNCTIONS):
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        own = {target.id for target in targets if isinstance(target, ast.Name)}
        assigned |= set() if isinstance(node, ast.For) else own
        parts = [part for part in ast.iter_child_nodes(node) if not isinstance(part, ast.stmt)]
        names = (one for part in parts for one in ast.walk(part) if isinstance(one, ast.Name))
        read |= {one.id for one in names if isinstance(one.ctx, ast.Load)} - own
    return assigned - read


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
