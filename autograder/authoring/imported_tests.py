"""Makes hidden tests from the test cells of an nbgrader notebook.

A test cell can change the notebook's functions and variables. A hidden test cannot: it runs in another
process and gets copies of them. Statements that make or need such changes are left out, with a note to
the author.
"""

import ast
import builtins
from collections.abc import Iterator, Sequence, Set
from copy import deepcopy
from dataclasses import dataclass, field

from autograder.authoring.imported_figures import (
    array_of_axes,
    as_facts,
    bars_instead,
    figures_of,
    figures_read,
    lines_of,
)
from autograder.course.code import CodePart, bindings, dependencies, in_scope

_HELPERS = ("expect_raises", "value_of")  # functions of autograder.testing, imported by tests that call them
_BUILTINS = frozenset(vars(builtins)) | {"__name__", *_HELPERS}
_DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_SHOWN = 70  # the largest number of characters of a statement that a note quotes


@dataclass(frozen=True, slots=True)
class DefiningLine:
    """The line with which a hidden test defines a name of the notebook, or of an earlier test."""

    text: str
    needs: frozenset[str] = frozenset()  # the names that the line uses
    # For a variable of the notebook: the question that binds it, or "" if given code binds it. Else None.
    answer: str | None = None

    def text_for(self, question: str) -> str:
        """Return the line for a test of `question`.

        Variables of other questions and of given code come from the reference instead of the student.
        """
        is_students = self.answer in (None, question)
        return self.text if is_students else self.text.replace("(student.", "(reference.")


@dataclass(frozen=True, slots=True)
class Draft:
    """A hidden test made from a test cell, for the author to improve."""

    body: str = ""  # empty if no statement of the test cell asserts anything
    notes: tuple[str, ...] = ()  # notes for the author on the statements that are left out
    imports: frozenset[str] = frozenset()  # names that the test needs from autograder.testing
    fetched: frozenset[str] = frozenset()  # names that the test gets from the notebook


@dataclass
class Names:
    """The names that hidden tests can use: those of the cells read so far."""

    defining_lines: dict[str, DefiningLine] = field(default_factory=dict)
    code_parts: list[CodePart] = field(default_factory=list)  # statements of all cells except test cells
    figures: set[str] = field(default_factory=set)  # names of figures and axes
    functions: set[str] = field(default_factory=set)  # names of functions and classes

    @property
    def notebook(self) -> frozenset[str]:
        """The names that the notebook binds outside its tests."""
        return frozenset[str]().union(*(part.bound for part in self.code_parts))

    def add_cell(self, code: str, answer: str) -> None:
        """Add the names that a cell binds. `answer` is the question that it answers, or "" for given code."""
        for statement in parsed(code).body:
            bound = bindings(statement)
            self.code_parts.append(CodePart(statement, bound, read_names(statement) | bound))
            self.figures |= {*figures_of(statement)}
            self.functions -= bound
            for name in bound:
                line = _line_that_binds(name, statement)
                self.defining_lines[name] = DefiningLine(line, answer=answer if "value_of(" in line else None)
            if isinstance(statement, _DEFINITIONS):
                self.functions.add(statement.name)
            if pair := array_of_axes(statement):
                text = f"{pair[1]} = value_of(student.{pair[0]}).axes"
                self.defining_lines[pair[1]] = DefiningLine(text, answer=answer)

    def add_test(self, statement: ast.stmt) -> None:
        """Let later tests use the names that a test binds, except names of the notebook."""
        simple = isinstance(statement, ast.Assign | ast.Import | ast.ImportFrom | _DEFINITIONS)
        for name in bindings(statement) - self.notebook if simple else ():
            self.defining_lines[name] = DefiningLine(ast.unparse(statement), read_names(statement))

    def lines(self, names: Set[str], question: str) -> list[str]:
        """Return lines that define these names in a test of `question`. Lines that others need come first."""
        ordered = dict[str, None]()
        for name in sorted(names & self.defining_lines.keys()):
            line = self.defining_lines[name]
            ordered |= dict.fromkeys([*self.lines(line.needs - {name}, question), line.text_for(question)])
        return list(ordered)

    def dependencies(self, names: Set[str]) -> frozenset[str]:
        """Return all names that the functions in `names` use, even indirectly."""
        called = names & self.functions
        return frozenset[str]().union(*(dependencies(name, self.code_parts)[1] for name in called))


def parsed(code: str) -> ast.Module:
    """Return the syntax tree of the code, or an empty one if it is not Python."""
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def read_names(tree: ast.AST) -> frozenset[str]:
    """Return the names that code reads, without the local names of its functions."""
    nodes = [(node, local) for node, local in in_scope(tree) if isinstance(node, ast.Name)]
    return frozenset(n.id for n, local in nodes if isinstance(n.ctx, ast.Load) and n.id not in local)


def written_names(statement: ast.stmt) -> frozenset[str]:
    """Return the names that a statement, or a statement inside it, binds or deletes."""
    nodes = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
    return bindings(statement) | {node.id for node in nodes if isinstance(node.ctx, ast.Del)}


def hidden_test(cell: str, question: str, title: str, code: str, names: Names) -> Draft:
    """Return the draft of a hidden test of `question`, made from the `code` of the test cell `cell`."""
    reader, tree = _TestReader(names), parsed(code)
    for number, (statement, above, lines) in enumerate(_with_lines(tree.body, code.split("\n"))):
        if number or ast.get_docstring(tree) is None:
            reader.read(statement, above, lines)
    omitted = reader.omitted.items()
    if not reader.asserts:
        otherwise = "it asserts nothing" if tree.body else "it is not plain Python"
        reason = next((reason for _, reason in omitted), otherwise)
        return Draft(notes=(f"{cell} has no hidden test: {reason}.",))
    notes = (
        f"{cell}: `{_quoted_line(each)}` is left out of its hidden test: {reason}."
        for each, reason in omitted
    )
    fetched = names.lines(reader.fetched, question)
    body = "\n".join([f'"""{title}"""', *fetched, *reader.text])
    imports = frozenset(name for name in _HELPERS if f"{name}(" in body)
    return Draft(body, tuple(notes), imports, frozenset(reader.fetched & names.notebook))


def _with_lines(
    statements: Sequence[ast.stmt], lines: Sequence[str]
) -> Iterator[tuple[ast.stmt, Sequence[str], Sequence[str]]]:
    """Yield (statement, lines between the previous statement and this statement, lines of the statement).

    The last item is empty if the statement shares a line with another one.
    """
    begins = [
        min([each.lineno, *(decorator.lineno for decorator in getattr(each, "decorator_list", ()))])
        for each in statements
    ]
    ends = [each.end_lineno or 0 for each in statements]
    borders = zip([0, *ends], begins, ends, [*begins[1:], len(lines) + 1], strict=False)
    for statement, (before, begin, end, after) in zip(statements, borders, strict=True):
        alone = before < begin and end < after
        yield statement, lines[before : begin - 1], lines[begin - 1 : end] if alone else []


class _TestReader:
    """Reads the statements of a test cell, and leaves out those that a hidden test cannot run."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self.text: list[str] = []  # lines of the hidden test
        self.omitted: dict[ast.stmt, str] = {}  # statements that are left out, each with the reason
        self.fetched: set[str] = set()  # names to define at the beginning of the hidden test
        self.asserts = False  # whether a statement of the hidden test tests something
        self._local: set[str] = set()  # names that the hidden test binds
        self._lines: set[str] = set()  # names of lines that are drawn on axes
        self._omitted_names: set[str] = set()  # names that a left-out statement binds or deletes
        self._replaced: set[str] = set()  # variables of the notebook to which the test assigns another value
        # By local variable: the notebook's variable whose value the test saves there, to restore it later.
        self._saved: dict[str, str] = {}

    def read(self, statement: ast.stmt, above: Sequence[str], lines: Sequence[str]) -> None:
        """Read the next statement, with the comments above it."""
        plain = _Errors().visit(deepcopy(statement))
        figures = self._names.figures | {*figures_read(plain)}
        changed, factless = as_facts(plain, figures, self._lines)
        if reason := self._problem(plain) or (factless and f"hidden tests cannot use `{factless}`"):
            code = bars_instead(changed, figures, self._lines) if factless in reason else ""
            reason += f". If the patches are bars, write `{code}`" if code else ""
            self.omitted[statement] = reason
            self._omitted_names |= written_names(statement)
            return
        self.fetched |= read_names(changed) - self._local
        self._lines |= {*lines_of(changed)}
        self._follow(changed)
        as_written = lines and ast.dump(changed) == ast.dump(statement) and not has_long_text(statement)
        self.text += [*above, *(lines if as_written else ast.unparse(changed).split("\n"))]
        self.asserts = self.asserts or _asserts(changed)
        self._names.add_test(changed)

    def _problem(self, statement: ast.stmt) -> str:
        """Return the reason why a hidden test cannot run a statement, or an empty string."""
        names, read, written = self._names, read_names(statement), written_names(statement)
        deleted = written - bindings(statement)
        replaced = (written & names.functions) | (deleted & names.notebook)
        defined = _BUILTINS | self._local | names.defining_lines.keys()
        if replaced:
            return f"it changes {min(replaced)}"
        if missing := (read & self._omitted_names) - self._local:
            return f"{min(missing)} comes from a statement that is left out"
        if missing := read - defined - written:
            return f"nothing above defines {min(missing)}"
        if changed := names.dependencies(read) & self._replaced:
            x = min(changed)
            return f"it calls a function that reads the variable {x}, which a hidden test cannot set"
        return ""

    def _follow(self, statement: ast.stmt) -> None:
        """Record the names that a statement binds, and the notebook's names that it changes or restores."""
        bound = bindings(statement)
        self._local |= bound
        self._omitted_names -= bound
        self._replaced |= bound & self._names.notebook
        match statement:
            case ast.Assign([ast.Name(name)], ast.Name(value)):
                if self._saved.get(value) == name:
                    self._replaced.discard(name)
                elif value in self._names.notebook - self._replaced:
                    self._saved[name] = value


def _asserts(statement: ast.stmt) -> bool:
    """Whether a statement may test something: it asserts, raises, or calls a function."""
    if isinstance(statement, _DEFINITIONS):
        return False
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Call)
    return any(isinstance(node, ast.Assert | ast.Raise) for node in ast.walk(statement)) or any(
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) for node in ast.walk(statement)
    )


def has_long_text(tree: ast.AST) -> bool:
    """Whether code has a string of several lines. Indenting the code would change such a string."""
    for node in ast.walk(tree):
        match node:
            case ast.JoinedStr() | ast.Constant(str() | bytes()) if node.lineno != node.end_lineno:
                return True
    return False


def _line_that_binds(name: str, statement: ast.stmt) -> str:
    """Return the line that defines `name` in a hidden test. In the notebook, `statement` binds `name`."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return ast.unparse(statement)
    if isinstance(statement, _DEFINITIONS) and statement.name == name:
        return f"{name} = student.{name}"
    return f"{name} = value_of(student.{name})"


def _quoted_line(statement: ast.stmt) -> str:
    text = ast.unparse(statement).split("\n")[0].replace("\\", "\\\\").replace('"""', "'''")
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


class _Errors(ast.NodeTransformer):
    """Writes `expect_raises(...)` instead of the usual `try` and `with` statements that expect an error."""

    def visit_Try(self, node: ast.Try) -> ast.AST:
        # try: call / except Kind: pass / else: ...
        match node:
            case ast.Try(
                [ast.Expr(ast.Call() as call)], [ast.ExceptHandler(kind, _, [ast.Pass()])], [_, *_], []
            ) if kind:
                return _expecting(kind, call)
        return self.generic_visit(node)

    def visit_With(self, node: ast.With) -> ast.AST:
        # with pytest.raises(Kind): call
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
    """Yield the functions among `names` that code calls."""
    functions = (node.func for node in ast.walk(parsed(code)) if isinstance(node, ast.Call))
    called = {function.id for function in functions if isinstance(function, ast.Name)}
    yield from (name for name in names if name in called)
