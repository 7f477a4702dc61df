"""Sends an answer to an instructor if it seems to use something that the question forbids.

The worker records the torch operators that run (worker/operators.py), and the code that an answer uses is
scanned for forbidden names. A match proves nothing, so an instructor decides. Clever code can evade the scan.
"""

import ast
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from autograder.course.code import CodePart, dependencies, in_scope
from autograder.course.rule import Rule
from autograder.worker.operators import LOST

_LOOKS = "An instructor will look at this answer"
_UNREAD = f"{_LOOKS} because the grader cannot read the answer's code."
_NOT_RECORDED = f"{_LOOKS} because the grader could not record all operations that the answer ran."
_RAN = f"{_LOOKS}. Its code ran an operation that"
_NOT_ALLOWED = "this question does not allow."
_ROUNDS = 10  # greatest number of rounds in `_reached`
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,79}")
_ALSO_FORBIDDEN = {  # if the key is forbidden, these names are forbidden, too
    "@": frozenset({"matmul", "rmatmul", "imatmul"}),
    **dict.fromkeys(("dot", "sum"), frozenset({"dist", "fsum", "hypot", "sumprod"})),
}
# Only functions of these packages can be forbidden. Other packages may use the same names.
_COMPUTING = frozenset(
    {"torch", "numpy", "scipy", "math", "operator", "statistics", "builtins", "jax", "einops"}
)


@dataclass(frozen=True, slots=True)
class Use:
    """A forbidden name, the index of the cell that uses it, and the line in that cell."""

    name: str
    at: int
    line: int


def forbidden_use(
    question: str, rule: Rule, statements: Sequence[CodePart], unfinished: Container[int] = ()
) -> Use | None:
    """Return the first use of a forbidden name in the code that the answer to a question uses.

    `statements` ran before the question's tests. `unfinished` are the indices of the cells that an error may
    have stopped before their last statement.
    """
    return _first_use(rule, statements, *_reached(question, statements, unfinished))


def _first_use(
    rule: Rule, statements: Sequence[CodePart], reached: Sequence[CodePart], read: set[str]
) -> Use | None:
    if not rule.forbid:
        return None
    words = frozenset(rule.forbid).union(*(_ALSO_FORBIDDEN.get(word, ()) for word in rule.forbid))
    scan = _Scan(words, statements, reached, read)
    return next((use for part in reached for use in scan.uses(part)), None)


def broken_rule(
    question: str,
    rule: Rule,
    statements: Sequence[CodePart],
    operators: Sequence[frozenset[str]] = (),
    disclosed_operators: Sequence[frozenset[str]] = (),
    where: Callable[[int, int], str] = lambda _, line: f"line {line}",
    unfinished: Container[int] = (),
) -> str | None:
    """Return a text for the student that says why an instructor looks at the answer, or None.

    `statements` and `unfinished` are as in `forbidden_use`. `operators` has the torch operators of each call
    in the runs that decide the verdict. `disclosed_operators` has those of runs on disclosed inputs, which
    students may see. The text names only operators in `disclosed_operators`. `where` describes a line by the
    index of its cell and the line's number.
    """
    if not rule.forbid and rule.operators is None:
        return None
    reached, read = _reached(question, statements, unfinished)
    if not reached or any(part.tree is None for part in reached):
        return _UNREAD
    if use := _first_use(rule, statements, reached, read):
        return _because_of(where(use.at, use.line), f'uses "{use.name}"')
    if rule.operators is not None and (needless := _needless(operators, rule.operators)):
        disclosed = _needless(disclosed_operators, rule.operators)
        if LOST in (disclosed or needless):
            return _NOT_RECORDED
        if not (name := _named(disclosed)):
            return f"{_RAN} {_NOT_ALLOWED}"
        if line := _line_that_names(name, reached):
            return _because_of(where(*line), f"calls {name}")
        return f"{_LOOKS}. Its code called {name}, which {_NOT_ALLOWED}"
    return None


def _because_of(place: str, what: str) -> str:
    return f"{_LOOKS}. {place[:1].upper()}{place[1:]} {what}, which {_NOT_ALLOWED}"


def _reached(
    question: str, statements: Sequence[CodePart], unfinished: Container[int]
) -> tuple[list[CodePart], set[str]]:
    """Follow the names that an answer uses. Return the statements that define them, and these names.

    If a function is defined several times, only its last definition counts. But the answer may use a
    statement above this definition that contains the function's name. Then all definitions count.
    """
    finished = ((index, part) for index, part in enumerate(statements) if part.at not in unfinished)
    last = {name: index for index, part in finished if (name := _defined_afresh(part))}
    indices = {id(part): index for index, part in enumerate(statements)}
    for _ in range(_ROUNDS):
        drafts = {  # statements whose names are all defined again later
            index
            for index, part in enumerate(statements)
            if part.bound and all(index < last.get(name, 0) for name in part.bound)
        }
        others = [part for index, part in enumerate(statements) if index not in drafts]
        reached, read = dependencies(question, others)
        named_between = {
            name for part in reached for name in part.named if indices[id(part)] < last.get(name, 0)
        }
        if not named_between:
            break
        last = {name: index for name, index in last.items() if name not in named_between}
    else:
        reached, read = dependencies(question, statements)
    return reached + [part for part in statements if "*" in part.bound], read


def _defined_afresh(part: CodePart) -> str:
    """Return the name of the function that a statement defines, or "" for other statements.

    Also return "" if a decorator, a default value or an annotation may use the earlier value of the name.
    """
    match part.tree:
        case ast.FunctionDef(name, decorator_list=[]) as tree:
            header = {node.id for node in ast.walk(tree.args) if isinstance(node, ast.Name)}
            return "" if name in header else name
    return ""


def _needless(ran: Sequence[frozenset[str]], allowed: frozenset[str]) -> frozenset[str]:
    """Return the operators that ran but are not allowed.

    LOST stands for operators that the worker could not record. It is also returned if there were calls, but
    no operator was recorded.
    """
    operators = frozenset[str]().union(*ran) or frozenset({LOST} if ran else ())
    return frozenset(name for name in operators if not {name, name.rstrip("_")} & allowed)


def _named(operators: Iterable[str]) -> str:
    """Return the first name among these operators, preferably a public one, or "" if there is none."""
    import torch  # imported here, because few answers get this far

    names = [name for name in operators if _NAME.fullmatch(name) and hasattr(torch.ops.aten, name)]
    return min(names, key=lambda name: (name.startswith("_"), name), default="")


def _line_that_names(operator: str, reached: Sequence[CodePart]) -> tuple[int, int] | None:
    """Return the cell's index and the line's number of the first use of an operator's name, or None."""
    for part in reached:
        for node in ast.walk(part.tree or ast.Pass()):
            match node:
                case ast.Name(name) | ast.Attribute(attr=name) if name == operator:
                    return part.at, node.lineno
    return None


class _Scan:
    """Looks for forbidden names in the statements that an answer uses."""

    def __init__(
        self,
        words: frozenset[str],
        statements: Sequence[CodePart],
        reached: Sequence[CodePart],
        read: Container[str],
    ) -> None:
        self._words, self._read = words, read
        self._bound = frozenset[str]().union(*(part.bound for part in reached))
        trees = [part.tree for part in statements if part.tree is not None]
        self._modules = dict(pair for tree in trees for pair in _modules(tree))
        self._attributes = frozenset[str]().union(*map(_assigned_attributes, trees))

    def uses(self, part: CodePart) -> Iterator[Use]:
        for node, local in in_scope(part.tree or ast.Pass()):
            for name in self._used_names(node, local):
                if name.strip("_") in self._words:
                    yield Use(name, part.at, getattr(node, "lineno", 0))

    def _used_names(self, node: ast.AST, local: frozenset[str]) -> Iterable[str]:
        """Return the names that a node uses, without those that the notebook defines."""
        match node:
            case ast.Name(name, ast.Load()) if name not in local and name not in self._bound:
                return [name]
            case ast.Attribute(ast.Name(owner), name, ast.Load()) if owner in self._modules:
                return [name] if owner in local or self._modules[owner] in _COMPUTING else []
            case ast.Attribute(_, name, ast.Load()) if name not in self._attributes:
                return [name]
            case ast.BinOp(op=ast.MatMult()) | ast.AugAssign(op=ast.MatMult()):
                return ["@"]
            case ast.ImportFrom(module=str(module), names=aliases) if module.split(".")[0] in _COMPUTING:
                return [a.name for a in aliases if local or (a.asname or a.name) in self._read]
            case ast.MatchClass(kwd_attrs=names):
                return names
            case ast.Call(ast.Name("getattr"), [_, ast.Constant(str(text)), *_]):
                return text.split(".")
        return []


@lru_cache(256)
def _modules(tree: ast.stmt) -> Sequence[tuple[str, str]]:
    """Return, for each module that a statement imports, its name in the notebook and its package."""
    modules = list[tuple[str, str]]()
    for node in ast.walk(tree):
        match node:
            case ast.Import(aliases):
                for alias in aliases:
                    root = alias.name.partition(".")[0]
                    modules.append((alias.asname or root, root))
            case ast.ImportFrom(module=str(module), names=aliases):
                modules += [(alias.asname or alias.name, module.partition(".")[0]) for alias in aliases]
    return modules


@lru_cache(256)
def _assigned_attributes(tree: ast.stmt) -> frozenset[str]:
    """Return the names of attributes that a statement assigns, and of methods that it defines."""
    names = set[str]()
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(_, name, ast.Store()):
                names.add(name)
            case ast.ClassDef(body=body):
                names |= {method.name for method in body if isinstance(method, ast.FunctionDef)}
    return frozenset(names)
