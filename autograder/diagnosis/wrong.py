"""Makes wrong answers from right ones by the catalogue's rules."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from warnings import catch_warnings

from autograder.course.exercise import Exercise
from autograder.diagnosis.code import ALWAYS_THERE
from autograder.diagnosis.inlining import inlined
from autograder.diagnosis.misconceptions import Catalogue, Misconception, spelt
from autograder.diagnosis.patterns import Rule
from autograder.diagnosis.trees import is_docstring, names_in


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
        self._made = cache(lambda one: tuple(self._make(one)))

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
        first, *others = map(self._catalogue.in_one_writing, self.trees)
        texts = [ast.unparse(tree) for tree in (first, inlined(first), *others)]
        return {text: ast.parse(text) for text in texts}

    @cached_property
    def wrong(self) -> tuple[WrongAnswer, ...]:
        """What the catalogue makes of them, each code once; a rule rewrites the first answer that it fits."""
        return self._different(self._all)

    def by(self, misconception: Misconception) -> tuple[WrongAnswer, ...]:
        """Return what one misconception makes of them."""
        return self._different(self._made(misconception))

    @property
    def fitting(self) -> frozenset[str]:
        """The catalogue's rules that change a right answer, as the catalogue spells them."""
        return frozenset(spelt(one.misconception, one.rule) for one in self._all)

    @property
    def _all(self) -> list[WrongAnswer]:
        return [answer for one in self._catalogue.misconceptions for answer in self._made(one)]

    def _different(self, made: Iterable[WrongAnswer]) -> tuple[WrongAnswer, ...]:
        found: dict[str, WrongAnswer] = {}
        for answer in sorted(made, key=lambda one: one.late):
            if answer.code not in self._right:
                found.setdefault(answer.code, answer)
        return tuple(found.values())

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
