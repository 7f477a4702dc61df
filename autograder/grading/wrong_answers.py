"""Makes wrong answers to a question: each misconception applied to each right answer, alone and in pairs."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import combinations, islice

from autograder.course.exercise import Exercise
from autograder.grading.inlining import inlined
from autograder.grading.misconceptions import Catalogue, Misconception, spelt
from autograder.grading.patterns import Rule

_MOST_PAIRS = 130  # for one question; each costs as much time as one answer by hand


@dataclass(frozen=True)
class WrongAnswer:
    """Code in which one thing or two are known to be wrong."""

    names: tuple[str, ...]
    hints: tuple[str, ...] = field(compare=False)
    code: str
    written: bool = False  # by an author's hand, as one of the exercise's mistakes


class WrongAnswers:
    """The wrong answers to one question."""

    def __init__(self, exercise: Exercise, catalogue: Catalogue, question: str) -> None:
        self.question = question
        self._exercise = exercise
        self._catalogue = catalogue
        self._parsed = cache(ast.parse)
        self._definitions = cache(self._find_definitions)

    @cached_property
    def right(self) -> tuple[str, ...]:
        """The reference and each accepted answer, in one writing, with the functions that they use."""
        others = {name for name in self._exercise.points if name != self.question}
        solution = ast.parse("\n".join(self._exercise.reference))
        given = others | {node.name for node in solution.body if isinstance(node, ast.ClassDef)}
        reference = self._catalogue.in_one_writing(_part(solution, self.question, given))
        accepted = [_part(ast.parse(one.code), self.question, others) for one in self._exercise.accepted]
        trees = [reference, inlined(reference)]
        trees += [self._catalogue.in_one_writing(tree) for tree in accepted if tree.body]
        return tuple(dict.fromkeys(map(ast.unparse, trees)))

    @cached_property
    def single(self) -> tuple[WrongAnswer, ...]:
        """The mistakes in the exercise's folder, then all that the catalogue makes, each code once."""
        written = [mistake for mistake in self._exercise.mistakes if mistake.question == self.question]
        found: dict[str, WrongAnswer] = {}
        for misconception in self._catalogue.misconceptions:
            for rule in misconception.rules:
                made = (self._made(misconception, rule, None, right) for right in self.right)
                # A rule that fits one writing says nothing new in the next one.
                for answer in next(filter(None, made), []):
                    if answer.code not in self.right:
                        found.setdefault(answer.code, answer)
        for other in self._alternatives(found.values()):
            found.setdefault(other.code, other)
        by_hand = [WrongAnswer((one.name,), (one.hint,), one.code, written=True) for one in written]
        return (*by_hand, *found.values())

    @cached_property
    def pairs(self) -> tuple[WrongAnswer, ...]:
        """Answers with two of the common misconceptions, the commonest first, and no more than a bound."""
        common = [one for one in self._catalogue.misconceptions if one.common]
        places = sorted(combinations(range(len(common)), 2), key=sum)
        both = (self._pair(common[i], common[j]) or self._pair(common[j], common[i]) for i, j in places)
        found = {pair.code: pair for pair in both if pair}
        for code in {*self.right, *(one.code for one in self.single)}:
            found.pop(code, None)
        return tuple(islice(found.values(), _MOST_PAIRS))

    @cached_property
    def fitting(self) -> frozenset[str]:
        """The catalogue's rules that change a right answer, as the catalogue spells them."""
        return frozenset(
            spelt(misconception, rule)
            for misconception in self._catalogue.misconceptions
            for rule in misconception.rules
            if any(self._made(misconception, rule, None, right) for right in self.right)
        )

    def _alternatives(self, answers: Iterable[WrongAnswer]) -> list[WrongAnswer]:
        """Return the answers with something else in them that would be right, too."""
        return [
            replace(answer, code=ast.unparse(made))
            for answer in answers
            for rule in self._catalogue.alternatives
            if all(word in answer.code for word in rule.words)
            for made in rule.apply(answer.code, ast.parse(answer.code), self._places(answer.code, rule))
        ]

    def _pair(self, one: Misconception, other: Misconception) -> WrongAnswer | None:
        """Put a second misconception into the first answer with the first one."""
        first = self._first.get(self._name(one))
        if first is None or self._name(other) not in self._first:
            return None
        code = ast.unparse(self._catalogue.in_one_writing(ast.parse(first.code)))
        made = (self._made(other, rule, first, code) for rule in other.rules)
        return next((answer for answers in made for answer in answers), None)

    @cached_property
    def _first(self) -> dict[str, WrongAnswer]:
        """The first answer that was made with each misconception."""
        return {one.names[0]: one for one in reversed(self.single) if not one.written}

    def _made(
        self, misconception: Misconception, rule: Rule, first: WrongAnswer | None, code: str
    ) -> list[WrongAnswer]:
        """Return what a rule makes of code in which `first` is wrong already."""
        if not all(word in code for word in rule.words):
            return []
        names, hints = (first.names, first.hints) if first else ((), ())
        hint = f"{misconception.sentence} {misconception.hint}"
        return [
            WrongAnswer((*names, self._name(misconception)), (*hints, hint), made)
            for made in map(ast.unparse, rule.apply(code, self._parsed(code), self._places(code, rule)))
            if made != code
        ]

    def _places(self, code: str, rule: Rule) -> frozenset[str]:
        """Return the definitions in which a rule may find a mistake: the question's own, and functions.

        Other classes are only what the answer is made of.
        """
        own, functions = self._definitions(code)
        return own if rule.is_about_results else own | functions

    def _find_definitions(self, code: str) -> tuple[frozenset[str], frozenset[str]]:
        """Return the names of the question and its base classes, and those of the functions in the code."""
        classes = {node.name: node for node in self._parsed(code).body if isinstance(node, ast.ClassDef)}
        functions = {node.name for node in self._parsed(code).body if isinstance(node, ast.FunctionDef)}
        own, left = {self.question}, [self.question]
        while left:
            node = classes.get(left.pop())
            bases = {base.id for base in node.bases if isinstance(base, ast.Name)} if node else set()
            left += bases - own
            own |= bases
        return frozenset(own), frozenset(functions)

    def _name(self, misconception: Misconception) -> str:
        return f"{self.question}__{misconception.name}"


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
        _undocumented(statement)
    return ast.Module(body, [])


def _undocumented(statement: ast.stmt) -> None:
    """Take docstrings away, which would only be copied and compared."""
    for node in ast.walk(statement):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
