"""Makes wrong answers from right ones by the catalogue's rules."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import islice
from warnings import catch_warnings

from autograder.course.exercise import Exercise
from autograder.diagnosis.code import ALWAYS_THERE
from autograder.diagnosis.inlining import inlined
from autograder.diagnosis.misconceptions import Catalogue, Misconception, spelt
from autograder.diagnosis.patterns import Rule


@dataclass(frozen=True, slots=True)
class WrongAnswer:
    """Code in which one misconception is made, by one rule."""

    misconception: Misconception
    rule: Rule
    code: str


class Answers:
    """The right answers to one question, and the wrong ones that one rule makes of one of them."""

    def __init__(self, exercise: Exercise, catalogue: Catalogue, question: str) -> None:
        self.question = question
        self._exercise, self._catalogue = exercise, catalogue
        self._made = cache(lambda one: tuple(self._make(one)))
        self._others = {name for name in exercise.points if name != question}

    @cached_property
    def trees(self) -> tuple[ast.Module, ...]:
        """The reference and each accepted answer as their authors write them, with what they call."""
        solution = ast.parse("\n".join(self._exercise.reference))
        given = self._others | {node.name for node in solution.body if isinstance(node, ast.ClassDef)}
        parts = [_part(solution, self.question, given)]
        parts += [_part(ast.parse(one.code), self.question, self._others) for one in self._exercise.accepted]
        return tuple(part for part in parts if part.body)

    @cached_property
    def right(self) -> tuple[str, ...]:
        """All of them in one writing; the reference with many names for what it computes, and with few."""
        first, *others = (self._catalogue.in_one_writing(tree) for tree in self.trees)
        return tuple(dict.fromkeys(ast.unparse(tree) for tree in (first, inlined(first), *others)))

    @cached_property
    def wrong(self) -> tuple[WrongAnswer, ...]:
        """What the catalogue makes of them, each code once; a rule rewrites the first answer that it fits.

        What it makes of the reference comes before what it makes of others, which fewer people write.
        """
        found: dict[str, WrongAnswer] = {}
        made = (pair for one in self._catalogue.misconceptions for pair in self._made(one))
        for _, answer in sorted(made, key=lambda pair: pair[0]):
            if answer.code not in self.right:
                found.setdefault(answer.code, answer)
        return tuple(found.values())

    def by(self, misconception: Misconception) -> tuple[str, ...]:
        """Return what one misconception makes of them."""
        made = sorted(self._made(misconception), key=lambda pair: pair[0])
        return tuple(dict.fromkeys(one.code for _, one in made if one.code not in self.right))

    @cached_property
    def fitting(self) -> frozenset[str]:
        """The catalogue's rules that change a right answer, as the catalogue spells them."""
        made = (pair for one in self._catalogue.misconceptions for pair in self._made(one))
        return frozenset(spelt(one.misconception, one.rule) for _, one in made)

    def _make(self, misconception: Misconception) -> Iterator[tuple[bool, WrongAnswer]]:
        for rule in misconception.rules if misconception.fits(self.right) else ():
            made = ((at, self._by_rule(misconception, rule, code)) for at, code in enumerate(self.right))
            for at, answers in islice((one for one in made if one[1]), 1):
                yield from ((at > 1, answer) for answer in answers)

    def _by_rule(self, misconception: Misconception, rule: Rule, code: str) -> list[WrongAnswer]:
        if not all(word in code for word in rule.words):
            return []
        texts = [ast.unparse(tree) for _, tree in rule.apply(_parsed(code), self.places(code, rule))]
        return [
            WrongAnswer(misconception, rule, text)
            for text in texts
            if text != code and _is_code(text) and _names(text) <= _names(code) | ALWAYS_THERE
        ]

    def places(self, code: str, rule: Rule) -> frozenset[str]:
        """Return the definitions in which a rule may find a mistake: the question's own, and functions.

        Other classes are only what the answer is made of.
        """
        own, functions = _definitions(code, self.question)
        return own if rule.is_about_results else own | functions


@lru_cache(256)
def _parsed(code: str) -> ast.Module:
    """Return the code's tree, which rules leave as it is."""
    return ast.parse(code)


@lru_cache(256)
def _definitions(code: str, question: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of the question and its base classes, and those of the functions in the code."""
    body = _parsed(code).body
    classes = {node.name: node for node in body if isinstance(node, ast.ClassDef)}
    functions = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    own, left = {question}, [question]
    while left:
        node = classes.get(left.pop())
        bases = {base.id for base in node.bases if isinstance(base, ast.Name)} if node else set()
        left += bases - own
        own |= bases
    return frozenset(own), frozenset(functions)


def _is_code(text: str) -> bool:
    """Whether this is Python; a slice that a rule takes for a value makes none."""
    try:
        with catch_warnings(action="ignore"):  # it may deserve a warning, but nobody here made it
            compile(text, "a wrong answer", "exec")
    except SyntaxError:
        return False
    return True


@lru_cache(256)
def _names(code: str) -> frozenset[str]:
    """Return the names in some code. A change that reads another one would read what a cell left behind."""
    nodes = [*ast.walk(_parsed(code))]
    made = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    made |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    read = {node.id for node in nodes if isinstance(node, ast.Name)} - made
    return frozenset(read)


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
            left += [node.id for node in ast.walk(defined[name]) if isinstance(node, ast.Name)]
    if not needed:
        return ast.Module([], [])
    kept = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    body: list[ast.stmt] = [*kept, *(node for name, node in defined.items() if name in needed)]
    for statement in body:
        undocumented(statement)
    return ast.Module(body, [])


def undocumented(statement: ast.stmt) -> None:
    """Take docstrings away, which would only be copied and compared."""
    for node in ast.walk(statement):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
