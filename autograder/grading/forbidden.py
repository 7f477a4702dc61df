"""Finds what a question forbids in a submission's code; a find asks a person to look, and proves nothing."""

import ast
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from autograder.grading.magics import harmless, involved
from autograder.grading.modules import Modules, array_sum, imports, needless, own_module, reaching
from autograder.grading.name_flow import NameFlow, Statement, read_statements
from autograder.grading.ran_cell import RanCell
from autograder.grading.reaching_words import (
    BY_NAME,
    DYNAMIC,
    REACHING,
    SHELL,
    by_name,
    first_word,
    leads_inside,
)
from autograder.submission.readable import readable

UNSEEN = "a definition that cannot be read"


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
    notebook = _read_notebook(tuple(cells))
    return _Reader(notebook, forbidden).read(question) if notebook else Reading(UNSEEN)


@lru_cache(maxsize=1)
def _read_notebook(cells: tuple[RanCell, ...]) -> "_Notebook | None":
    """Read a notebook once for all its questions; None where it cannot be read."""
    codes = [cell.code for cell in cells]
    if not readable(codes) or involved(codes):
        return None
    statements = read_statements(cells)
    return None if statements is None else _Notebook(statements)


class _Notebook:
    """The statements of a notebook, whatever question is asked of them."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self.statements = statements
        self.modules = Modules(node for one in statements for node in imports(one.nodes))
        self.reach = cache(self._reach)
        self.can_do_anything = cache(self._can_do_anything)

    def _can_do_anything(self) -> list[Statement]:
        """Return the statements that can change any name of the notebook without spelling it."""
        return [
            one
            for number, one in enumerate(self.statements)
            if (one.reads | one.calls) & DYNAMIC or self.reach(number)
        ]

    def _reach(self, number: int) -> str | None:
        """Return by what a statement can change any name: the shell, an own module, or Python's insides."""
        statement = self.statements[number]
        if statement.found.certain and (own := own_module(statement.tree)):
            return own
        calls = [node for node in statement.nodes if isinstance(node, ast.Call)]
        magics = {call.func for call in calls if harmless(call)}
        if found := _computed_fetch(statement.nodes):
            return found
        for node in statement.nodes:
            match node:
                case ast.Attribute(attr=name) if name in REACHING and node not in magics:
                    return name
                case ast.MatchClass(kwd_attrs=names) if taken := REACHING.intersection(names):
                    return min(taken)
                case ast.Attribute() if (path := self.modules.path(node)) and (found := reaching(path)):
                    return found
                case ast.ImportFrom(str(module), aliases, 0):
                    paths = ([*module.split("."), alias.name] for alias in aliases)
                    if found := next(filter(None, map(reaching, paths)), None):
                        return found
        return None


class _Reader:
    """Follows one question through the statements of a notebook."""

    def __init__(self, notebook: _Notebook, forbidden: Sequence[str]) -> None:
        self._notebook = notebook
        self._modules = notebook.modules
        self._words = frozenset(forbidden)
        self._flow = NameFlow(notebook.statements)

    def read(self, question: str) -> Reading:
        pending, bound = self._flow.rest_on(question)
        if not pending:
            return Reading(UNSEEN)
        definition = pending[-1] if bound else None
        pending += self._notebook.can_do_anything()
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
                if name in self._words | DYNAMIC and not bound:
                    return Reading(name, tuple(seen.values()), definition)
                pending += fresh
            if found := self._handed_on(statement):
                return Reading(found, tuple(seen.values()), definition)
        found = array_sum([node for one in seen.values() for node in one.nodes], self._modules, self._words)
        return Reading(found, tuple(seen.values()), definition)

    def _use(self, statement: Statement) -> str | None:
        """Return what a statement spells out of what it must not, but for names, which are followed."""
        nodes = statement.nodes
        called = {node.func for node in nodes if isinstance(node, ast.Call)}
        found = (_found(node, self._words, called) or self._module_use(node) for node in nodes)
        return next(filter(None, found), None) or self._notebook.reach(statement.number)

    def _handed_on(self, statement: Statement) -> str | None:
        """Return the module that a statement uses as a value, so that any attribute of it can be read."""
        nodes = statement.nodes
        owners = {node.value for node in nodes if isinstance(node, ast.Attribute)}
        imported = Modules(imports(nodes)).aliases
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
        case ast.Call() if found := by_name(node, words):
            return found
        case ast.BinOp(op=ast.MatMult()) | ast.AugAssign(op=ast.MatMult()) if "@" in words:
            return "@"
        case ast.Import(aliases) if any(alias.name == "builtins" for alias in aliases):
            return "builtins"
        case ast.ImportFrom("builtins"):
            return "builtins"
        case ast.ImportFrom(names=aliases):
            return first_word([alias.name for alias in aliases], words)
        case ast.MatchClass(kwd_attrs=names):
            return first_word(names, words) or next((name for name in names if leads_inside(name)), None)
        case ast.Name(name) | ast.Attribute(attr=name) if name in BY_NAME and node not in called:
            return name
        case ast.Attribute(attr=name, ctx=ast.Load()):
            return name if name in SHELL or leads_inside(name) else first_word([name], words)
    return None


def _computed_fetch(nodes: Sequence[ast.AST]) -> str | None:
    """Return getattr or one like it where a statement may fetch by it what leads to any name."""
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    called, looped = {call.func for call in calls}, _looped_names(nodes)
    for node in nodes:
        match node:
            case ast.Call(ast.Name("getattr"), [_, ast.Name(name), *_]) if name in looped:
                if any(text in REACHING or leads_inside(text) for text in looped[name]):
                    return "getattr"
            case ast.Call() if found := by_name(node, REACHING):
                return found
            case ast.Name(name) | ast.Attribute(attr=name) if name in BY_NAME and node not in called:
                return name
    return None


def _looped_names(nodes: Sequence[ast.AST]) -> dict[str, list[str]]:
    """Return the variables that a statement binds only by a loop over spelt texts, each with its texts."""
    bound = Counter(
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    found = dict[str, list[str]]()
    for node in nodes:
        match node:
            case ast.For(ast.Name(name), ast.List(items) | ast.Tuple(items)) if bound[name] == 1:
                if _are_texts(items):
                    found[name] = [str(ast.literal_eval(item)) for item in items]
    return found


def _are_texts(items: Iterable[ast.expr]) -> bool:
    return all(isinstance(item, ast.Constant) and isinstance(item.value, str) for item in items)
