"""Makes wrong answers from right ones by the catalogue's rules, and writes right ones with fewer names."""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from warnings import catch_warnings

from autograder.course.exercise import Exercise
from autograder.diagnosis.code import ALWAYS_THERE
from autograder.diagnosis.misconceptions import Catalogue, Misconception, spelt
from autograder.diagnosis.patterns import Rule
from autograder.diagnosis.places import Place
from autograder.diagnosis.trees import (
    altered,
    is_docstring,
    names_in,
    parse_expression,
    rewritten,
    with_values,
)


@dataclass(frozen=True, slots=True)
class WrongAnswer:
    """Code in which one misconception is made, by one rule; `late` if few write the answer it is made of."""

    misconception: Misconception
    rule: Rule
    code: str
    late: bool


class Answers:
    """The right answers to one question, and the wrong ones that one rule makes of one of them."""

    def __init__(self, exercise: Exercise, catalogue: Catalogue, question: str) -> None:
        self.question = question
        self._exercise, self._catalogue = exercise, catalogue

    @cached_property
    def trees(self) -> tuple[ast.Module, ...]:
        """The reference and each accepted answer as their authors write them, with what they call."""
        solution = ast.parse("\n".join(self._exercise.reference))
        others = {name for name in self._exercise.points if name != self.question}
        given = others | {node.name for node in solution.body if isinstance(node, ast.ClassDef)}
        parts = [_part(solution, self.question, given)]
        parts += [_part(ast.parse(one.code), self.question, others) for one in self._exercise.accepted]
        return tuple(part for part in parts if part.body)

    @cached_property
    def right(self) -> tuple[str, ...]:
        """All of them in one writing; the reference with many names for what it computes, and with few."""
        return tuple(self._right)

    @cached_property
    def _right(self) -> Mapping[str, ast.Module]:
        if not self.trees:  # the question asks for a variable, which no rule describes
            return {}
        first, *others = map(self._catalogue.in_one_writing, self.trees)
        texts = [ast.unparse(tree) for tree in (first, inlined(first), *others)]
        return {text: ast.parse(text) for text in texts}

    @cached_property
    def wrong(self) -> tuple[WrongAnswer, ...]:
        """What the catalogue makes of them, each code once; a rule rewrites the first answer that it fits."""
        return self._different(self._all)

    def by(self, misconception: Misconception) -> tuple[WrongAnswer, ...]:
        """Return what one misconception makes of them."""
        return self._different(self._make(misconception))

    def _different(self, made: Iterable[WrongAnswer]) -> tuple[WrongAnswer, ...]:
        found: dict[str, WrongAnswer] = {}
        for answer in sorted(made, key=lambda one: one.late):
            if answer.code not in self._right:
                found.setdefault(answer.code, answer)
        return tuple(found.values())

    def can_show(self, misconception: Misconception) -> bool:
        """Whether a misconception may show in this question: its rules, if it has any, fit a right answer."""
        if not misconception.changes:
            return misconception.fits(self.right)
        return any(True for _ in self._make(misconception))

    @property
    def sentences(self) -> frozenset[str]:
        """The names of misconceptions and places whose sentences a student may read in this question."""
        others = (one for one in self._catalogue.entries if isinstance(one, Place) or not one.changes)
        return frozenset(one.misconception.name for one in self._all).union(
            one.name for one in others if one.fits(self.right)
        )

    @property
    def fitting(self) -> frozenset[str]:
        """The catalogue's rules that change a right answer, as the catalogue spells them."""
        return frozenset(spelt(one.misconception, one.rule) for one in self._all)

    @cached_property
    def _all(self) -> list[WrongAnswer]:
        return [answer for one in self._catalogue.misconceptions for answer in self._make(one)]

    def _make(self, misconception: Misconception) -> Iterator[WrongAnswer]:
        for rule in misconception.rules if misconception.fits(self.right) else ():
            made = ((at > 1, self._by_rule(rule, code)) for at, code in enumerate(self.right))
            late, codes = next((one for one in made if one[1]), (False, []))
            yield from (WrongAnswer(misconception, rule, code, late) for code in codes)

    def _by_rule(self, rule: Rule, code: str) -> list[str]:
        """Return what a rule makes of an answer, unless it reads a name that a cell may have left behind."""
        tree = self._right[code]
        known = _names(tree) | ALWAYS_THERE
        made = rule.apply(tree, self._definitions(tree, rule))
        texts = [ast.unparse(changed) for changed in made if _names(changed) <= known]
        return [text for text in texts if text != code and _is_code(text)]

    def _definitions(self, tree: ast.Module, rule: Rule) -> set[str]:
        """Return the definitions in which a rule may find a mistake: the question's own, and functions.

        Other classes are only what the answer is made of.
        """
        classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        found, left = {self.question}, [self.question]
        while left:
            node = classes.get(left.pop())
            bases = {base.id for base in node.bases if isinstance(base, ast.Name)} if node else set()
            left += bases - found
            found |= bases
        functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        return found if rule.is_about_results else found | functions


def _is_code(text: str) -> bool:
    """Whether this is Python; a slice that a rule takes for a value makes none."""
    try:
        with catch_warnings(action="ignore"):  # it may deserve a warning, but nobody here made it
            compile(text, "a wrong answer", "exec")
    except SyntaxError:
        return False
    return True


@lru_cache(256)
def _names(tree: ast.Module) -> frozenset[str]:
    """Return the names that some code reads and does not define."""
    read, made = set[str](), set[str]()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                read.add(name)
            case ast.Name(id=name) | ast.arg(arg=name):
                made.add(name)
    return frozenset(read - made)


def _part(tree: ast.Module, question: str, others: set[str]) -> ast.Module:
    """Return the definition of `question`, after the imports and the definitions that it needs.

    `others` belong to other lessons, and are left where they are.
    """
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


_SMALL = 8  # nodes of a value that is written wherever its name stands


def spelt_out(tree: ast.Module) -> ast.Module:
    """Return code in which small values that have a name, such as sizes, stand wherever the name did."""

    def change(_: ast.AST, made: ast.AST) -> ast.AST:
        if not isinstance(made, ast.FunctionDef):
            return made
        times = Counter(names_in(made, ast.Store))
        named = (pair for statement in made.body for pair in _named(statement))
        known = {name: value for name, value in named if times[name] == 1 and _is_small(value)}
        body = [one for one in made.body if not _names_only(one, known)]
        made = altered(made, body=body) if 0 < len(body) < len(made.body) else made
        return with_values(with_values(made, known), known)  # one value may hold the name of another

    return rewritten(tree, change)  # type: ignore[no-any-return]


def _names_only(statement: ast.stmt, known: Mapping[str, ast.expr]) -> bool:
    """Whether a statement does nothing but give names to values that are written out elsewhere."""
    stored = {name for name, _ in _named(statement)}
    return bool(stored) and stored == {*names_in(statement, ast.Store)} and stored <= known.keys()


def _is_small(value: ast.expr) -> bool:
    size = sum(isinstance(one, ast.expr) for one in ast.walk(value))
    return size <= _SMALL and not isinstance(value, ast.Call)


def _named(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that a statement gives to values; those of `b, t, c = x.shape` too."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            yield name, value
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
            pairs = zip(names, values, strict=False)
            yield from ((name.id, value) for name, value in pairs if isinstance(name, ast.Name))
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Attribute(attr="shape") as value):
            for at, part in enumerate(names):
                if isinstance(part, ast.Name):
                    place = parse_expression("-1") if at == len(names) - 1 else ast.Constant(at)
                    yield part.id, ast.Subscript(value, place, ast.Load())


def inlined(tree: ast.Module) -> ast.Module:
    """Return code of the same meaning, in which one expression holds what several statements did."""

    def change(_: ast.AST, made: ast.AST) -> ast.AST:
        return altered(made, body=_shortened(made.body)) if isinstance(made, ast.FunctionDef) else made

    return rewritten(tree, change)  # type: ignore[no-any-return]


def _shortened(statements: list[ast.stmt]) -> list[ast.stmt]:
    at = 0
    while at + 1 < len(statements):
        joined = _joined(statements[at], statements[at + 1], statements[at + 2 :])
        if joined is None:
            at += 1
        else:
            statements = [*statements[:at], joined, *statements[at + 2 :]]
            at = max(at - 1, 0)
    return statements


def _joined(first: ast.stmt, second: ast.stmt, rest: Sequence[ast.stmt]) -> ast.stmt | None:
    """Return two statements as one, or None where the value of the first is needed elsewhere too."""
    match first, second:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value),
            ast.Assign(value=ast.expr() as used) | ast.Return(value=ast.expr() as used),
        ):
            again = isinstance(second, ast.Assign) and any(
                isinstance(target, ast.Name) and target.id == name for target in second.targets
            )
            if _uses([second], name) == 1 and (again or not _uses(rest, name)):
                return altered(second, value=with_values(used, {name: value}))
    return None


def _uses(statements: Sequence[ast.stmt], name: str) -> int:
    return sum(one == name for statement in statements for one in names_in(statement, ast.Load))
