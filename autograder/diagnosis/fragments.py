"""Collects the steps and values of right answers, and builds the edits that put them into a wrong answer.

A step is one operation on a value (its input), such as a transpose. A slot is where a value is used, such as
the first argument of `softmax`. A fragment is a value, a step or a statement.
"""

import ast
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice, product
from typing import Any

from autograder.diagnosis.code import (
    ALWAYS_THERE,
    MODULES,
    Code,
    NodeInScope,
    Scope,
    Slot,
    called_name,
)
from autograder.diagnosis.patterns import RulesByType
from autograder.diagnosis.trees import (
    HOLE,
    New,
    altered,
    expression_count,
    names_in,
    replaced,
    self_attribute,
    token_counts,
    token_distance,
    with_values,
    without_positions,
)

_MOST_NODES = 14  # the largest number of expressions in a value
_MOST_STEP_NODES = 16  # the largest number of expressions in a step, without its input
_MOST_COMPARED = 2  # the largest number of right answers with which a wrong answer is compared
Names = Mapping[str, str]  # maps a right answer's names to a student's names; attributes begin with "self."
MOST_NAMES = 8  # the largest number of renamed versions of one fragment
# Names that a fragment keeps, because they mean the same in every answer.
ANYWHERE = frozenset((*MODULES, "self", "float", "int", "range", "len", "super", HOLE))


@dataclass(frozen=True, slots=True)
class RightAnswerFragment:
    """A value, step or statement of a right answer. A step has the placeholder `_hole_` for its input."""

    tree: ast.expr | ast.stmt
    names: frozenset[str]  # variables that the fragment reads
    attributes: frozenset[str]  # attributes of self
    does: str  # the outermost function or operator
    calls: frozenset[str]  # functions of the notebook that the fragment calls
    tokens: Counter[str] = field(compare=False)
    size: int  # the number of tokens
    slots: frozenset[Slot | None] = frozenset()  # where right answers use the result of this step

    def written(self, names: Names, value: ast.expr | None = None) -> Any:
        """Return the fragment's tree with a student's names. `value` becomes the input of a step."""
        replacements: dict[str, ast.expr] = {
            one: self_attribute(other.removeprefix("self.")) if "." in one else ast.Name(other, ast.Load())
            for one, other in names.items()
        }
        return with_values(self.tree, replacements | ({HOLE: value} if value is not None else {}))


@lru_cache(4096)
def name_substitutions(
    fragment: RightAnswerFragment, scope: Scope, most: int = MOST_NAMES
) -> tuple[tuple[Names, Counter[str]], ...]:
    """Return possible renamings of a fragment for the student's code, the likeliest first.

    A renaming maps names that the student's code lacks to names in this code. Each renaming comes with the
    token counts of the renamed fragment.
    """
    if fragment.attributes and not scope.in_class:
        return ()
    missing_names = sorted(fragment.names.difference(scope.names))
    missing_attributes = sorted(fragment.attributes.difference(scope.attributes, ("training",)))
    if len(missing_names) + len(missing_attributes) > 2:
        return ()
    variables = sorted(scope.names, key=lambda name: name in scope.parameters)
    choices = [_nearest(name, variables) for name in missing_names]
    choices += [
        [f"self.{other}" for other in _nearest(name, scope.attributes)] for name in missing_attributes
    ]
    names = [*missing_names, *(f"self.{name}" for name in missing_attributes)]
    substitutions = (
        dict(zip(names, combination, strict=True)) for combination in islice(product(*choices), most)
    )
    return tuple((substitution, _renamed(fragment.tokens, substitution)) for substitution in substitutions)


def _renamed(tokens: Counter[str], names: Names) -> Counter[str]:
    new_names = {one.removeprefix("self."): other.removeprefix("self.") for one, other in names.items()}
    renamed = Counter[str]()
    for token, count in tokens.items():
        renamed[new_names.get(token, token)] += count
    return renamed


def _nearest(name: str, names: Sequence[str]) -> list[str]:
    """Return the names, first those with the same first letter as `name`."""
    return sorted(names, key=lambda other: other[:1].lower() != name[:1].lower())


@dataclass(frozen=True)
class RightAnswerFragments:
    """The values (by slot), the steps and the statements of right answers."""

    values: Mapping[Slot, tuple[RightAnswerFragment, ...]]
    steps: tuple[RightAnswerFragment, ...]
    statements: tuple[RightAnswerFragment, ...]  # run only for their effect, such as `model.eval()`
    operations: tuple[Counter[str], ...]  # for each answer: how often it applies each operation
    # The catalogue's rules in reverse, by the type of node that they rewrite.
    inverse_rules: RulesByType = field(default_factory=dict)

    def compared(self, code: Code) -> "Compared":
        """Compare the code's operations with those of the most similar right answers."""
        counts = operations(code)
        nearest = sorted(self.operations, key=lambda other: token_distance(counts, other))
        lacks = [frozenset(other - counts) for other in nearest[:_MOST_COMPARED]] or [frozenset[str]()]
        has = [frozenset(counts - other) for other in nearest[:_MOST_COMPARED]] or [frozenset[str]()]
        return Compared(lacks[0], frozenset().union(*lacks), frozenset.intersection(*has))


@dataclass(frozen=True, slots=True)
class Compared:
    """Compares the operations of a student's code with those of similar right answers."""

    lacks: frozenset[str]  # operations that the most similar right answer has more often than the code
    may_lack: frozenset[str]  # operations that at least one similar right answer has more often
    has_more: frozenset[str]  # operations that the code has more often than every similar right answer


def collect_fragments(trees: Iterable[ast.Module]) -> RightAnswerFragments:
    """Return the values, steps and statements of right answers."""
    answers = [Code(tuple(without_positions(tree).body)) for tree in trees]
    values, steps = defaultdict[Slot, dict[str, RightAnswerFragment]](dict), dict[str, RightAnswerFragment]()
    slots = defaultdict[str, set[Slot | None]](set)
    statements = dict[str, RightAnswerFragment]()
    sites = [site for answer in answers for site in answer.places]
    whole_answers = {ast.unparse(value) for site in sites for value in _whole_answer(site.node)}
    for site in sites:
        node = site.node
        if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", None), ast.Load | None):
            text = ast.unparse(node)
            if site.slot and expression_count(node) <= _MOST_NODES and text not in whole_answers:
                at_slot = values[site.slot]
                at_slot[text] = at_slot.get(text) or _fragment(node)
            for step in _step_fragments(node) if _has_no_local_indices(node, site.scope) else ():
                text = ast.unparse(step)
                steps[text] = steps.get(text) or _fragment(step)
                slots[text].add(site.slot)
        elif site.scope.function and (statement := _effect_statement(node)):
            statements.setdefault(ast.unparse(statement), _fragment(statement))
    return RightAnswerFragments(
        {slot: tuple(fragments.values()) for slot, fragments in values.items()},
        tuple(replace(step, slots=frozenset(slots[text])) for text, step in steps.items()),
        tuple(statements.values()),
        tuple(map(operations, answers)),
    )


def _effect_statement(node: ast.AST) -> ast.stmt | None:
    """Return a method call, or an `if` that only raises an error, else None. The error loses its message."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method))):
            return node if name not in ANYWHERE and method not in ("append", "extend") else None
        case ast.If(body=[ast.Raise(exc=ast.Call(func=error))], orelse=[]):
            return altered(node, body=[ast.Raise(ast.Call(error, [], []))])
    return None


def _whole_answer(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the returned value of a function that has only a `return` statement."""
    match node:
        case ast.FunctionDef(body=[ast.Return(value=ast.expr() as value)]):
            yield value


def _fragment(tree: ast.expr | ast.stmt) -> RightAnswerFragment:
    nodes = [*ast.walk(tree)]
    attributes = {
        part.attr
        for part in nodes
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == "self"
    }
    names = {*names_in(tree)} - {*names_in(tree, ast.Store)} - ANYWHERE
    calls = {part.func.id for part in nodes if isinstance(part, ast.Call) and isinstance(part.func, ast.Name)}
    tokens = token_counts(tree)
    return RightAnswerFragment(
        tree,
        frozenset(names - calls),
        frozenset(attributes),
        operation(tree),
        frozenset(calls - ALWAYS_THERE),
        tokens,
        tokens.total(),
    )


def operation(node: ast.AST) -> str:
    """Return the name of the function, method or operator that a node applies.

    Return "layer" for a call such as `self.key(x)`, and "" for a node that applies nothing.
    """
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name("self"))):
            return "layer"
        case ast.Call():
            return _EQUIVALENT.get(name := called_name(node), name)
        case ast.BinOp(op=op) | ast.UnaryOp(op=op):
            return type(op).__name__
        case ast.Attribute(attr="T" | "mT" | "data" | "grad" as name):
            return _EQUIVALENT.get(name, name)
        case ast.Subscript():
            return "[]"
        case ast.Compare(ops=[one, *_]):
            return type(one).__name__
    return ""


# Operations whose first or second argument may be the input of a step.
_OF_TWO = frozenset(("MatMult", "maximum", "minimum", "masked_fill", "Add", "Mult", "dot"))
_EQUIVALENT = {
    "T": "transpose", "mT": "transpose", "t": "transpose", "swapaxes": "transpose", "permute": "transpose",
    "matmul": "MatMult", "mm": "MatMult", "bmm": "MatMult", "sqrt": "Pow", "masked_fill_": "masked_fill",
    "where": "masked_fill", "view": "reshape", "unflatten": "reshape", "flatten": "reshape", "neg": "USub",
    "mul": "Mult", "div": "Div", "sub": "Sub", "add": "Add", "Sub": "Add", "drop": "dropout", "size": "[]",
}  # fmt: skip


def operations(code: Code) -> Counter[str]:
    """Return how often the code applies each operation."""
    nodes = (node for statement in code.editable for node in ast.walk(statement))
    return Counter(does for node in nodes if (does := operation(node)))


def _has_no_local_indices(node: ast.expr, scope: Scope) -> bool:
    """Whether no index in an expression uses a local variable. A student's code may lack local variables."""
    shared_names = {*scope.parameters, *ANYWHERE}
    indices = (one.slice for one in ast.walk(node) if isinstance(one, ast.Subscript))
    return all({*names_in(index)} <= shared_names for index in indices)


def _step_fragments(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the small steps in a node: one for each operand, with the placeholder instead of the operand."""
    for operand in _operands(node):
        size = expression_count(node) - expression_count(operand)
        if not isinstance(operand, ast.Constant) and size <= _MOST_STEP_NODES:
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


def step_input(node: ast.expr) -> ast.expr | None:
    """Return the first operand of a step, which is probably its input. Return None if there is no operand."""
    return next(iter(_operands(node)), None)


# A small edit removes at most 6 tokens and adds at most 30, or removes at most 30 and adds at most 6.
_MOST_CHANGED, MOST_ADDED = 6, 30
RANK_PER_TOKEN = 0.06  # added to an edit's rank for each token
TOKENS_PER_NODE = 3  # added to an edit's size for each further node
Make = Callable[[], New]


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of one or more nodes. Edits with lower ranks are tried earlier."""

    old: ast.AST  # the replaced node, or the first of them
    make: Make  # returns the replacement of this node
    kind: str  # the kind of change, such as "dimension"
    rank: float
    size: int = 0  # the number of removed and added tokens, plus penalties for large edits and further nodes
    extent: int = 0  # the number of tokens in the old code; 0 if they were not counted
    more: tuple[tuple[ast.AST, Make], ...] = ()  # further nodes and their replacements
    within: Code | None = None  # the code that is changed: the student's code, or an equivalent form
    at: ast.AST | None = None  # the replaced part of the student's text; set when the edit is applied
    cell: int | None = None  # the number of the cell that contains the replaced part
    does: str = ""  # if the edit adds a step: the operation of this step
    misconception: str = ""  # if the edit comes from the catalogue: the misconception that it repairs
    # The change, without the node that it changes. Edits with equal recipes can be joined into one edit.
    recipe: tuple[object, ...] = ()

    @property
    def changes(self) -> list[tuple[ast.AST, New]]:
        """The replaced nodes, each with its replacement."""
        return [(old, make()) for old, make in ((self.old, self.make), *self.more)]


@dataclass
class EditBuilder:
    """Builds the edits of one node."""

    right: RightAnswerFragments
    compared: Compared
    site: NodeInScope

    def edit(
        self,
        old: ast.AST,
        new: New,
        kind: str,
        rank: float,
        *more: tuple[ast.AST, New],
        size: int | None = None,
    ) -> Iterator[Edit]:
        """Yield an edit of this size. If `size` is None, count the tokens, as in `sized`."""
        if size is not None:
            yield edit_of([(old, new), *more], kind, rank, size)
            return
        removed, added = Counter[str](), Counter[str]()
        for old_part, new_part in ((old, new), *more):
            removed += token_counts(old_part)
            for part in new_part if isinstance(new_part, list) else [new_part]:
                added += token_counts(part)
        others = tuple((other, returning(new_part)) for other, new_part in more)
        yield from self.sized(old, returning(new), kind, rank, removed, added, others)

    def sized(
        self,
        old: ast.AST,
        make: Make,
        kind: str,
        rank: float,
        removed: Counter[str],
        added: Counter[str],
        more: tuple[tuple[ast.AST, Make], ...] = (),
        does: str = "",
    ) -> Iterator[Edit]:
        """Yield an edit with these removed and added tokens, if it is small. Its rank grows with its size."""
        only_removed, only_added = removed - added, added - removed
        fewer, more_tokens = sorted((only_removed.total(), only_added.total()))
        if fewer > (2 * _MOST_CHANGED if kind == "step" else _MOST_CHANGED) or more_tokens > MOST_ADDED:
            return
        size, site = fewer + more_tokens + (fewer > 2) * 4 + len(more) * TOKENS_PER_NODE, self.site
        recipe: tuple[object, ...] = ()
        if not more and isinstance(old, ast.expr):
            where = kind, site.scope.function, site.slot, type(old), operation(old)
            recipe = *where, frozenset(only_removed.items()), frozenset(only_added.items())
        rank += RANK_PER_TOKEN * size
        yield Edit(old, make, kind, rank, size, removed.total(), more, recipe=recipe, does=does)


def edit_of(
    changes: Sequence[tuple[ast.AST, New]], kind: str, rank: float, size: int, misconception: str = ""
) -> Edit:
    """Return one edit that makes all changes. A change is a pair of a node and its replacement."""
    (old, new), *more = changes
    others = tuple((other, returning(replacement)) for other, replacement in more)
    return Edit(old, returning(new), kind, rank, size, more=others, misconception=misconception)


def returning(new: New) -> Make:
    """Return a function that returns `new`, for the field `make` of an edit."""
    return lambda: new
