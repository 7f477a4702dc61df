"""Makes hidden tests of the test cells of an nbgrader notebook.

A test cell runs inside the notebook. A hidden test runs outside: it fetches the functions and variables that
it uses, and it cannot replace any of them. Statements that do so are left out, each with a note.
"""

import ast
import builtins
from collections.abc import Iterator, Sequence, Set
from copy import deepcopy
from dataclasses import dataclass, field

from autograder.authoring.imported_figures import (
    array_of_axes,
    as_facts,
    figures_of,
    figures_read,
    lines_of,
)
from autograder.course.code import Piece, bindings, in_scope, rests_on

_ASKED = ("expect_raises", "value_of")  # what hidden tests import from autograder.testing where they use it
_BUILTINS = frozenset(vars(builtins)) | {"__name__", *_ASKED}
_DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_SHOWN = 70  # characters of a statement in a note


@dataclass(frozen=True, slots=True)
class Source:
    """The code by which a hidden test gets a name, and the names that this code needs."""

    code: str
    needs: frozenset[str] = frozenset()
    answer: str | None = None  # of a variable: the answer that binds it; empty if it is given

    def line(self, question: str) -> str:
        """Return the code for a test of this question. Variables of other answers are the reference's."""
        is_own = self.answer in (None, question)
        return self.code if is_own else self.code.replace("(student.", "(reference.")


@dataclass(frozen=True, slots=True)
class Draft:
    """The hidden test that a test cell becomes, and what its author has to know of it."""

    body: str = ""  # empty if nothing is left of the test
    notes: tuple[str, ...] = ()
    imports: frozenset[str] = frozenset()  # of autograder.testing
    fetched: frozenset[str] = frozenset()  # names of the notebook


@dataclass
class Names:
    """The names that hidden tests can use, as far as the notebook has been read."""

    sources: dict[str, Source] = field(default_factory=dict)
    pieces: list[Piece] = field(default_factory=list)  # of the notebook without its tests
    figures: set[str] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)  # and classes

    @property
    def notebook(self) -> frozenset[str]:
        """The names that the notebook binds outside its tests."""
        return frozenset[str]().union(*(piece.bound for piece in self.pieces))

    def add_cell(self, code: str, answer: str) -> None:
        """Add what a cell of the notebook binds, which is this answer or is given."""
        for statement in parsed(code).body:
            bound = bindings(statement)
            self.pieces.append(Piece(statement, bound, read_names(statement) | bound))
            self.figures |= {*figures_of(statement)}
            self.functions -= bound
            for name in bound:
                line = _fetching(name, statement)
                self.sources[name] = Source(line, answer=answer if "value_of(" in line else None)
            if isinstance(statement, _DEFINITIONS):
                self.functions.add(statement.name)
            if pair := array_of_axes(statement):
                self.sources[pair[1]] = Source(f"{pair[1]} = value_of(student.{pair[0]}).axes", answer=answer)

    def add_test(self, statement: ast.stmt) -> None:
        """Add what a statement of a test binds, for later tests; the notebook's own names come first."""
        simple = isinstance(statement, ast.Assign | ast.Import | ast.ImportFrom | _DEFINITIONS)
        for name in bindings(statement) - self.notebook if simple else ():
            self.sources[name] = Source(ast.unparse(statement), read_names(statement))

    def lines(self, names: Set[str], question: str) -> list[str]:
        """Return the lines by which a question's test gets these names, those that others need first."""
        found = dict[str, None]()
        for name in sorted(names & self.sources.keys()):
            source = self.sources[name]
            found |= dict.fromkeys([*self.lines(source.needs - {name}, question), source.line(question)])
        return list(found)

    def rests_on(self, names: Set[str]) -> frozenset[str]:
        """Return all names that functions of the notebook read, if these are among them."""
        called = names & self.functions
        return frozenset[str]().union(*(rests_on(name, self.pieces)[1] for name in called))


def parsed(code: str) -> ast.Module:
    """Return the syntax tree of some code; an empty one where it is not Python."""
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def read_names(tree: ast.AST) -> frozenset[str]:
    """Return the names that some code reads, without those that are local to functions in it."""
    nodes = [(node, local) for node, local in in_scope(tree) if isinstance(node, ast.Name)]
    return frozenset(n.id for n, local in nodes if isinstance(n.ctx, ast.Load) and n.id not in local)


def written_names(statement: ast.stmt) -> frozenset[str]:
    """Return the names that a statement binds or deletes, also inside a block."""
    nodes = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
    return bindings(statement) | {node.id for node in nodes if isinstance(node.ctx, ast.Del)}


def hidden_test(cell: str, question: str, title: str, code: str, names: Names) -> Draft:
    """Return the hidden test of a question that the test cell `cell` becomes."""
    reading, tree = _Reading(names), parsed(code)
    for number, (statement, above, lines) in enumerate(_with_lines(tree.body, code.split("\n"))):
        if number or ast.get_docstring(tree) is None:
            reading.take(statement, above, lines)
    if not reading.asserts:
        first = next(iter(reading.lost), None)
        why = (
            reading.lost[first] if first else "it asserts nothing" if tree.body else "it has no plain Python"
        )
        return Draft(notes=(f"No hidden test came of {cell}: {why}.",))
    lost = reading.lost.items()
    notes = (f"{cell}: `{_short(one)}` is left out of its hidden test: {why}." for one, why in lost)
    fetched = names.lines(reading.fetched, question)
    body = "\n".join([f'"""{title}"""', *fetched, *reading.text])
    imports = frozenset(name for name in _ASKED if f"{name}(" in body)
    return Draft(body, tuple(notes), imports, frozenset(reading.fetched & names.notebook))


def _with_lines(
    statements: Sequence[ast.stmt], lines: Sequence[str]
) -> Iterator[tuple[ast.stmt, Sequence[str], Sequence[str]]]:
    """Yield each statement with the lines above it, and its own lines unless it shares one with others."""
    begins = [
        min([one.lineno, *(d.lineno for d in getattr(one, "decorator_list", ()))]) for one in statements
    ]
    ends = [one.end_lineno or 0 for one in statements]
    borders = zip([0, *ends], begins, ends, [*begins[1:], len(lines) + 1], strict=False)
    for statement, (before, begin, end, after) in zip(statements, borders, strict=True):
        alone = before < begin and end < after
        yield statement, lines[before : begin - 1], lines[begin - 1 : end] if alone else []


class _Reading:
    """Goes through the statements of a test cell, and decides which of them a hidden test can run."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self.text: list[str] = []
        self.lost: dict[ast.stmt, str] = {}
        self.fetched: set[str] = set()
        self.asserts = False
        self._local: set[str] = set()
        self._lines: set[str] = set()  # names of lines that are drawn on axes
        self._gone: set[str] = set()  # bound by a statement that is left out
        self._replaced: set[str] = set()  # variables of the notebook that have another value in the test
        self._saved: dict[str, str] = {}  # which variable of the notebook a local name keeps

    def take(self, statement: ast.stmt, above: Sequence[str], lines: Sequence[str]) -> None:
        """Take the next statement, with the comments above it."""
        plain = _Errors().visit(deepcopy(statement))
        figures = self._names.figures | {*figures_read(plain)}
        changed, unknown = as_facts(plain, figures, self._lines)
        if why := self._problem(plain) or (unknown and f"`{unknown}` does not reach hidden tests"):
            self.lost[statement] = why
            self._gone |= written_names(statement)
            return
        self.fetched |= read_names(changed) - self._local
        self._lines |= {*lines_of(changed)}
        self._follow(changed)
        as_written = lines and ast.dump(changed) == ast.dump(statement) and not has_long_text(statement)
        self.text += [*above, *(lines if as_written else ast.unparse(changed).split("\n"))]
        self.asserts = self.asserts or _asserts(changed)
        self._names.add_test(changed)

    def _problem(self, statement: ast.stmt) -> str:
        """Return why a hidden test cannot run a statement, or nothing."""
        names, read, written = self._names, read_names(statement), written_names(statement)
        deleted = {one for one in written if one not in bindings(statement)}
        replaced = (written & names.functions) | (deleted & names.notebook)
        known = _BUILTINS | self._local | names.sources.keys()
        if replaced:
            return f"it changes {min(replaced)}"
        if missing := (read & self._gone) - self._local:
            return f"it needs {min(missing)}"
        if missing := read - known - written:
            return f"nothing above defines {min(missing)}"
        if changed := names.rests_on(read) & self._replaced:
            return f"a function in it reads {min(changed)}, which the test replaces"
        return ""

    def _follow(self, statement: ast.stmt) -> None:
        """Remember what a statement binds, and which variables of the notebook it replaces or restores."""
        bound = bindings(statement)
        self._local |= bound
        self._gone -= bound
        self._replaced |= bound & self._names.notebook
        match statement:
            case ast.Assign([ast.Name(name)], ast.Name(value)):
                if self._saved.get(value) == name:
                    self._replaced.discard(name)
                elif value in self._names.notebook - self._replaced:
                    self._saved[name] = value


def _asserts(statement: ast.stmt) -> bool:
    """Whether a statement tests something: it asserts, raises, or calls a function for what that does."""
    if isinstance(statement, _DEFINITIONS):
        return False
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Call)
    return any(isinstance(node, ast.Assert | ast.Raise) for node in ast.walk(statement)) or any(
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) for node in ast.walk(statement)
    )


def has_long_text(tree: ast.AST) -> bool:
    """Whether a string goes over several lines, which other indentation would change."""
    strings = (n for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) or _is_text(n))
    return any(node.lineno != node.end_lineno for node in strings)  # type: ignore[attr-defined]


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)


def _fetching(name: str, statement: ast.stmt) -> str:
    """Return the line by which a hidden test gets a name that a statement of the notebook binds."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return ast.unparse(statement)
    if isinstance(statement, _DEFINITIONS) and statement.name == name:
        return f"{name} = student.{name}"
    return f"{name} = value_of(student.{name})"


def _short(statement: ast.stmt) -> str:
    text = ast.unparse(statement).split("\n")[0].replace("\\", "\\\\").replace('"""', "'''")
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


class _Errors(ast.NodeTransformer):
    """Writes a statement that expects an error, in a usual form, as `expect_raises(...)`."""

    def visit_Try(self, node: ast.Try) -> ast.AST:
        """Replace `try: call / except Kind: pass / else: ...`."""
        match node:
            case ast.Try(
                [ast.Expr(ast.Call() as call)], [ast.ExceptHandler(kind, _, [ast.Pass()])], [_, *_], []
            ) if kind:
                return _expecting(kind, call)
        return self.generic_visit(node)

    def visit_With(self, node: ast.With) -> ast.AST:
        """Replace `with pytest.raises(Kind): call`."""
        match node:
            case ast.With(
                [ast.withitem(ast.Call(ast.Attribute(_, "raises"), [kind]))], [ast.Expr(ast.Call() as call)]
            ):
                return _expecting(kind, call)
        return self.generic_visit(node)


def _expecting(kind: ast.expr, call: ast.Call) -> ast.stmt:
    names = tuple(map(ast.unparse, kind.elts)) if isinstance(kind, ast.Tuple) else ast.unparse(kind)
    parts = [call.func, *call.args, *call.keywords]
    return ast.parse(f"expect_raises({', '.join([repr(names), *map(ast.unparse, parts)])})").body[0]


def calls(code: str, names: Sequence[str]) -> Iterator[str]:
    """Yield those of these functions that some code calls."""
    functions = (node.func for node in ast.walk(parsed(code)) if isinstance(node, ast.Call))
    called = {function.id for function in functions if isinstance(function, ast.Name)}
    yield from (name for name in names if name in called)
