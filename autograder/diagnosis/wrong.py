"""Makes wrong answers by applying the catalogue's rules to right answers. Also inlines variables in code."""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from warnings import catch_warnings

from autograder.course.exercise import Exercise
from autograder.diagnosis.code import ALWAYS_THERE
from autograder.diagnosis.misconceptions import Catalogue, Misconception, format_rule
from autograder.diagnosis.patterns import Rule
from autograder.diagnosis.places import Place
from autograder.diagnosis.trees import (
    altered,
    expression_count,
    is_docstring,
    names_in,
    parse_expression,
    rewritten,
    with_values,
)


@dataclass(frozen=True, slots=True)
class WrongAnswer:
    """A right answer into which a rule has put a misconception."""

    misconception: Misconception
    rule: Rule
    code: str
    late: bool  # whether it was made from the third or a later right answer; few students write such code


class Answers:
    """The right answers to one question, and wrong answers that the catalogue's rules make from them."""

    def __init__(self, exercise: Exercise, catalogue: Catalogue, question: str) -> None:
        self.question = question
        self._exercise, self._catalogue = exercise, catalogue

    @cached_property
    def trees(self) -> tuple[ast.Module, ...]:
        """The reference and each accepted answer as written, with the definitions that they need."""
        solution = ast.parse("\n".join(self._exercise.reference))
        others = {name for name in self._exercise.points if name != self.question}
        given = others | {node.name for node in solution.body if isinstance(node, ast.ClassDef)}
        parts = [_definition_of(solution, self.question, given)]
        parts += [
            _definition_of(ast.parse(one.code), self.question, others) for one in self._exercise.accepted
        ]
        return tuple(part for part in parts if part.body)

    @cached_property
    def right(self) -> tuple[str, ...]:
        """The right answers' texts in the standard form, and the reference's text with joined statements."""
        return tuple(self._right)

    @cached_property
    def _right(self) -> Mapping[str, ast.Module]:
        if not self.trees:  # the question asks for a variable; rules are about functions and classes
            return {}
        first, *others = map(self._catalogue.in_one_writing, self.trees)
        texts = [ast.unparse(tree) for tree in (first, with_joined_statements(first), *others)]
        return {text: ast.parse(text) for text in texts}

    @cached_property
    def wrong(self) -> tuple[WrongAnswer, ...]:
        """The wrong answers that the catalogue's rules make, without duplicates.

        Each rule rewrites only the first right answer that it matches.
        """
        return self._distinct(self._all)

    def by(self, misconception: Misconception) -> tuple[WrongAnswer, ...]:
        """Return the wrong answers that the rules of one misconception make."""
        return self._distinct(self._answers_with(misconception))

    def _distinct(self, answers: Iterable[WrongAnswer]) -> tuple[WrongAnswer, ...]:
        distinct: dict[str, WrongAnswer] = {}
        for answer in sorted(answers, key=lambda answer: answer.late):
            if answer.code not in self._right:
                distinct.setdefault(answer.code, answer)
        return tuple(distinct.values())

    def can_show(self, misconception: Misconception) -> bool:
        """Whether a misconception fits this question. If it has rules, a rule must change a right answer."""
        if not misconception.changes:
            return misconception.fits(self.right)
        return any(True for _ in self._answers_with(misconception))

    @property
    def sentences(self) -> frozenset[str]:
        """The names of the misconceptions and places whose sentences this question's reports can contain."""
        entries = self._catalogue.entries
        others = (entry for entry in entries if isinstance(entry, Place) or not entry.changes)
        return frozenset(answer.misconception.name for answer in self._all).union(
            entry.name for entry in others if entry.fits(self.right)
        )

    @property
    def fitting(self) -> frozenset[str]:
        """The texts of the rules that change a right answer, as they are written in the catalogue."""
        return frozenset(format_rule(one.misconception, one.rule) for one in self._all)

    @cached_property
    def _all(self) -> list[WrongAnswer]:
        return [answer for one in self._catalogue.misconceptions for answer in self._answers_with(one)]

    def _answers_with(self, misconception: Misconception) -> Iterator[WrongAnswer]:
        for rule in misconception.rules if misconception.fits(self.right) else ():
            results = ((index > 1, self._apply_rule(rule, code)) for index, code in enumerate(self.right))
            late, codes = next((result for result in results if result[1]), (False, []))
            yield from (WrongAnswer(misconception, rule, code, late) for code in codes)

    def _apply_rule(self, rule: Rule, code: str) -> list[str]:
        """Return the wrong answers that a rule makes from a right answer.

        A wrong answer that needs further names is left out, because these names may be undefined.
        """
        tree = self._right[code]
        readable = _undefined_names(tree) | ALWAYS_THERE
        rewritten_trees = rule.apply(tree, self._rewritable_definitions(tree, rule))
        texts = [ast.unparse(changed) for changed in rewritten_trees if _undefined_names(changed) <= readable]
        return [text for text in texts if text != code and _is_code(text)]

    def _rewritable_definitions(self, tree: ast.Module, rule: Rule) -> set[str]:
        """Return the names of the functions and classes that a rule may rewrite.

        They are the function or class that the question asks for, and its base classes. Other functions are
        added, unless `rule.is_about_results`.
        """
        classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        names, left = {self.question}, [self.question]
        while left:
            node = classes.get(left.pop())
            bases = {base.id for base in node.bases if isinstance(base, ast.Name)} if node else set()
            left += bases - names
            names |= bases
        functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        return names if rule.is_about_results else names | functions


def _is_code(text: str) -> bool:
    """Whether a text is valid Python. A rule can give invalid code if it moves a slice out of an index."""
    try:
        with catch_warnings(action="ignore"):  # generated code may cause warnings
            compile(text, "a wrong answer", "exec")
    except SyntaxError:
        return False
    return True


@lru_cache(256)
def _undefined_names(tree: ast.Module) -> frozenset[str]:
    """Return the names that a tree reads and does not assign."""
    read, defined = set[str](), set[str]()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                read.add(name)
            case ast.Name(id=name) | ast.arg(arg=name):
                defined.add(name)
    return frozenset(read - defined)


def _definition_of(tree: ast.Module, question: str, others: set[str]) -> ast.Module:
    """Return the definition of `question` with the imports and definitions that it needs, except `others`."""
    definitions = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    defined = {node.name: node for node in definitions if node.name == question or node.name not in others}
    needed, left = set[str](), [question]
    while left:
        name = left.pop()
        if name in defined and name not in needed:
            needed.add(name)
            left += names_in(defined[name])
    if not needed:
        return ast.Module([], [])
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    body: list[ast.stmt] = [*imports, *(node for name, node in defined.items() if name in needed)]
    for node in (part for one in body for part in ast.walk(one)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and is_docstring(node.body[0]):
            node.body = node.body[1:] or [ast.Pass()]
    return ast.Module(body, [])


_MOST_INLINED_NODES = 8  # the largest number of expressions in a value that replaces a variable


def with_inlined_values(tree: ast.Module) -> ast.Module:
    """Return code in which small values, such as sizes, replace the variables to which they are assigned."""

    def change(_: ast.AST, function: ast.AST) -> ast.AST:
        if not isinstance(function, ast.FunctionDef):
            return function
        times = Counter(names_in(function, ast.Store))
        named = (pair for statement in function.body for pair in _named_values(statement))
        values = {
            name: value
            for name, value in named
            if times[name] == 1
            and not isinstance(value, ast.Call)
            and expression_count(value) <= _MOST_INLINED_NODES
        }
        body = [statement for statement in function.body if not _assigns_only(statement, values)]
        function = altered(function, body=body) if 0 < len(body) < len(function.body) else function
        return with_values(with_values(function, values), values)  # a value may contain a replaced variable

    return rewritten(tree, change)  # type: ignore[no-any-return]


def _assigns_only(statement: ast.stmt, values: Mapping[str, ast.expr]) -> bool:
    """Whether a statement assigns only variables that `values` replaces."""
    stored = {name for name, _ in _named_values(statement)}
    return bool(stored) and stored == {*names_in(statement, ast.Store)} and stored <= values.keys()


def _named_values(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """Yield the assigned names, each with its value, such as b with `x.shape[0]` for `b, t = x.shape`."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            yield name, value
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
            pairs = zip(names, values, strict=False)
            yield from ((name.id, value) for name, value in pairs if isinstance(name, ast.Name))
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Attribute(attr="shape") as value):
            for index, part in enumerate(names):
                if isinstance(part, ast.Name):
                    position = parse_expression("-1") if index == len(names) - 1 else ast.Constant(index)
                    yield part.id, ast.Subscript(value, position, ast.Load())


def with_joined_statements(tree: ast.Module) -> ast.Module:
    """Return equivalent code. A variable is inlined if exactly one read follows, in the next statement."""

    def change(_: ast.AST, node: ast.AST) -> ast.AST:
        return altered(node, body=_join_statements(node.body)) if isinstance(node, ast.FunctionDef) else node

    return rewritten(tree, change)  # type: ignore[no-any-return]


def _join_statements(statements: list[ast.stmt]) -> list[ast.stmt]:
    index = 0
    while index + 1 < len(statements):
        joined = _join(statements[index], statements[index + 1], statements[index + 2 :])
        if joined is None:
            index += 1
        else:
            statements = [*statements[:index], joined, *statements[index + 2 :]]
            index = max(index - 1, 0)
    return statements


def _join(first: ast.stmt, second: ast.stmt, rest: Sequence[ast.stmt]) -> ast.stmt | None:
    """Return the second statement with the first one's value in place of its variable, or None.

    The second statement must read the value once, and later statements must not read it.
    """
    match first, second:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value),
            ast.Assign(value=ast.expr() as used) | ast.Return(value=ast.expr() as used),
        ):
            is_reassigned = isinstance(second, ast.Assign) and any(
                isinstance(target, ast.Name) and target.id == name for target in second.targets
            )
            if _count_reads([second], name) == 1 and (is_reassigned or not _count_reads(rest, name)):
                return altered(second, value=with_values(used, {name: value}))
    return None


def _count_reads(statements: Sequence[ast.stmt], name: str) -> int:
    return sum(one == name for statement in statements for one in names_in(statement, ast.Load))
