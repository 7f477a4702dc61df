"""Finds what a question forbids in a submission's code; a find asks a person to look, and proves nothing."""

import ast
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from autograder.grading.magics import MAGICS, harmless, involved
from autograder.grading.modules import Modules, array_sum, imports, needless, own_module, reaching
from autograder.grading.name_flow import NameFlow, Statement, read_statements
from autograder.grading.ran_cell import RanCell
from autograder.submission.readable import readable

UNSEEN = "a definition that cannot be read"

_MATMUL = frozenset({"matmul", "rmatmul", "imatmul"})  # the methods behind the operator @
_DYNAMIC = {"exec", "eval", "compile", "globals", "locals", "vars", "__import__", "builtins", "__builtins__"}
# What leads from a generator, a coroutine or a traceback to whoever called it, and so to the recorder.
_FRAMES = """
    ag_frame cr_frame f_back f_builtins f_code f_globals f_locals gi_frame tb_frame tb_next
"""
# What leads from any function or class to all modules.
_OUTWARD = """
    __builtins__ __closure__ __globals__ __import__ __loader__ __self__ __spec__ __subclasses__ __traceback__
"""
_SHELL = MAGICS | {
    *("run_cell", "user_ns", "ast_transformers", "input_transformers_post", "input_transformers_cleanup"),
    *("register_magic_function", "run_code", "ex", "push", "safe_execfile"),
    *_FRAMES.split(),
}
_REACHING = _SHELL | frozenset(_OUTWARD.split())
_BY_NAME = frozenset({"getattr", "attrgetter", "methodcaller", "__getattribute__"})
# What leads out of torch: its numbers, as others can compute with them.
_EXITS = frozenset({"__array__", "__dlpack__", "data_ptr", "numpy", "storage", "untyped_storage"})
# The methods with underscores around them that work by hand has a use for; the others lead inside Python.
_METHODS = """
    __abs__ __add__ __call__ __class__ __contains__ __doc__ __enter__ __eq__ __exit__ __float__ __ge__
    __getitem__ __gt__ __iadd__ __imul__ __init__ __int__ __isub__ __iter__ __itruediv__ __le__ __len__
    __lt__ __mul__ __name__ __ne__ __neg__ __next__ __pow__ __radd__ __repr__ __rmul__ __rpow__ __rsub__
    __rtruediv__ __setitem__ __str__ __sub__ __truediv__
"""


@dataclass(frozen=True, slots=True)
class Reading:
    """What reading a question's code has found, and the statements that were read for it."""

    used: str | None  # what it must do without, or None
    statements: tuple[Statement, ...] = ()
    definition: Statement | None = None  # the statement that bound the question's name last, and for certain


def read_question(question: str, forbidden: Sequence[str], cells: Sequence[RanCell]) -> Reading:
    """Read the code that `question` rests on, in the cells that ran, until something of `forbidden` is found.

    Every name that the question's definition takes from outside is followed to where the notebook binds it,
    so a helper, an alias or an import hides nothing. A local variable may be called `sum`. Code that can bind
    any name or read any attribute without spelling it (exec, globals(), getattr with a computed name) counts
    as a use, and so does a module that computes where nobody records it.
    """
    codes = [cell.code for cell in cells]
    if not readable(codes) or involved(codes):
        return Reading(UNSEEN)
    statements = read_statements(cells)
    if statements is None:
        return Reading(UNSEEN)
    return _Reader(statements, forbidden).read(question)


class _Reader:
    """Follows one question through the statements of a notebook."""

    def __init__(self, statements: Sequence[Statement], forbidden: Sequence[str]) -> None:
        self._statements = statements
        self._words = frozenset(forbidden)
        self._flow = NameFlow(statements)
        self._modules = Modules(node for one in statements for node in imports(one.tree))

    def read(self, question: str) -> Reading:
        pending, bound = self._flow.rest_on(question)
        if not pending:
            return Reading(UNSEEN)
        definition = pending[-1] if bound else None
        pending += [statement for statement in self._statements if self._can_do_anything(statement)]
        seen = dict[int, Statement]()
        while pending:
            statement = pending.pop()
            if statement.number in seen:
                continue
            seen[statement.number] = statement
            if found := self._use(statement):
                return Reading(found, tuple(seen.values()), definition)
            for name, known in statement.names():
                fresh, bound = self._flow.rest_on(name, known)
                if name in self._words | _DYNAMIC and not bound:
                    return Reading(name, tuple(seen.values()), definition)
                pending += fresh
            if found := self._handed_on(statement):
                return Reading(found, tuple(seen.values()), definition)
        found = array_sum((one.tree for one in seen.values()), self._modules, self._words)
        return Reading(found, tuple(seen.values()), definition)

    def _can_do_anything(self, statement: Statement) -> bool:
        """Whether a statement can change any name of the notebook without spelling it."""
        return bool((statement.reads | statement.calls) & _DYNAMIC) or bool(self._reach(statement))

    def _reach(self, statement: Statement) -> str | None:
        """Return by what a statement can change any name: the shell, an own module, or Python's insides."""
        if statement.found.certain and (own := own_module(statement.tree)):
            return own
        calls = [node for node in ast.walk(statement.tree) if isinstance(node, ast.Call)]
        magics = {call.func for call in calls if harmless(call)}
        if found := _computed_fetch(statement.tree):
            return found
        for node in ast.walk(statement.tree):
            match node:
                case ast.Attribute(attr=name) if name in _REACHING and node not in magics:
                    return name
                case ast.MatchClass(kwd_attrs=names) if taken := _REACHING.intersection(names):
                    return min(taken)
                case ast.Attribute() if (path := self._modules.path(node)) and (found := reaching(path)):
                    return found
                case ast.ImportFrom(str(module), aliases, 0):
                    paths = ([*module.split("."), alias.name] for alias in aliases)
                    if found := next(filter(None, map(reaching, paths)), None):
                        return found
        return None

    def _use(self, statement: Statement) -> str | None:
        """Return what a statement spells out of what it must not, but for names, which are followed."""
        nodes = list(ast.walk(statement.tree))
        called = {node.func for node in nodes if isinstance(node, ast.Call)}
        found = (_found(node, self._words, called) or self._module_use(node) for node in nodes)
        return next(filter(None, found), None) or self._reach(statement)

    def _handed_on(self, statement: Statement) -> str | None:
        """Return the module that a statement uses as a value, so that any attribute of it can be read."""
        nodes = list(ast.walk(statement.tree))
        owners = {node.value for node in nodes if isinstance(node, ast.Attribute)}
        imported = Modules(imports(statement.tree)).aliases
        for node in nodes:
            match node:
                case ast.Name(name) if name in self._modules.aliases and node not in owners:
                    if name in imported or name not in statement.own:
                        return f"the module {name} itself"
        return None

    def _module_use(self, node: ast.AST) -> str | None:
        """Return what a node takes from a module that work by hand has no use for."""
        paths: list[list[str]] = []
        match node:
            case ast.Attribute() if path := self._modules.path(node):
                paths = [path]
            case ast.Import(aliases):
                paths = [alias.name.split(".") for alias in aliases]
            case ast.ImportFrom(_, [ast.alias(name="*")]):
                return "import *"
            case ast.ImportFrom(str(module), aliases, 0):
                paths = [[*module.split("."), alias.name] for alias in aliases]
            case ast.ImportFrom():
                return "."
        return next(filter(None, (needless(path, self._words) for path in paths)), None)


def _found(node: ast.AST, words: Collection[str], called: Collection[ast.expr]) -> str | None:
    """Return what of `words` a node uses, or the name in it by which any attribute could be read."""
    match node:
        case ast.Call() if found := _by_name(node, words):
            return found
        case ast.BinOp(op=ast.MatMult()) | ast.AugAssign(op=ast.MatMult()) if "@" in words:
            return "@"
        case ast.Import(aliases) if any(alias.name == "builtins" for alias in aliases):
            return "builtins"
        case ast.ImportFrom("builtins"):
            return "builtins"
        case ast.ImportFrom(names=aliases):
            return _first_word([alias.name for alias in aliases], words)
        case ast.MatchClass(kwd_attrs=names):
            return _first_word(names, words) or next((name for name in names if _leads_inside(name)), None)
        case ast.Name(name) | ast.Attribute(attr=name) if name in _BY_NAME and node not in called:
            return name
        case ast.Attribute(attr=name, ctx=ast.Load()):
            return name if name in _SHELL or _leads_inside(name) else _first_word([name], words)
    return None


def _leads_inside(name: str) -> bool:
    """Whether an attribute leads inside Python, or out of torch."""
    method = name.startswith("__") and name.endswith("__")
    return name in _EXITS or (method and name not in _METHODS.split() and name.strip("_") not in _MATMUL)


def _computed_fetch(tree: ast.stmt) -> str | None:
    """Return getattr or one like it where a statement may fetch by it what leads to any name."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    called, looped = {call.func for call in calls}, _looped_names(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Name("getattr"), [_, ast.Name(name), *_]) if name in looped:
                if any(text in _REACHING or _leads_inside(text) for text in looped[name]):
                    return "getattr"
            case ast.Call() if found := _by_name(node, _REACHING):
                return found
            case ast.Name(name) | ast.Attribute(attr=name) if name in _BY_NAME and node not in called:
                return name
    return None


def _looped_names(tree: ast.stmt) -> dict[str, list[str]]:
    """Return the variables that a statement binds only by a loop over spelt texts, each with its texts."""
    bound = Counter(
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    found = dict[str, list[str]]()
    for node in ast.walk(tree):
        match node:
            case ast.For(ast.Name(name), ast.List(items) | ast.Tuple(items)) if bound[name] == 1:
                if _are_texts(items):
                    found[name] = [str(ast.literal_eval(item)) for item in items]
    return found


def _are_texts(items: Iterable[ast.expr]) -> bool:
    return all(isinstance(item, ast.Constant) and isinstance(item.value, str) for item in items)


def _by_name(call: ast.Call, words: Collection[str]) -> str | None:
    """Return the word that getattr and its like fetch; where it is computed, the name of that function."""
    match call.func:
        case ast.Name(function) | ast.Attribute(attr=function) if function in _BY_NAME:
            arguments = call.args[1:2] if function == "getattr" else call.args
        case _:
            return None
    for argument in arguments:
        if not (isinstance(argument, ast.Constant) and isinstance(argument.value, str)):
            return function
        names = argument.value.split(".")
        if found := _first_word(names, words) or next(filter(_leads_inside, names), None):
            return found
    return None


def _first_word(names: Iterable[str], words: Collection[str]) -> str | None:
    """Return the first name that is forbidden in any of its spellings: `dot`, `dot_`, `__matmul__`."""
    bare = ((name, name.strip("_")) for name in names)
    return next((name for name, word in bare if word in words or ("@" in words and word in _MATMUL)), None)
