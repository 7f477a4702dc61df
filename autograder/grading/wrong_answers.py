"""Makes wrong answers to a question: each misconception applied to each right answer, alone and in pairs."""

import ast
import builtins
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from itertools import chain, combinations, islice

from autograder.course.exercise import Exercise
from autograder.grading.inlining import inlined
from autograder.grading.misconceptions import Catalogue, Misconception, spelt
from autograder.grading.namespaces import compiled
from autograder.grading.patterns import Rule

_MOST_PAIRS = 800  # of one question; of those that strangers wrote, all stood among the first 600
_ALWAYS_THERE = frozenset((*dir(builtins), "torch", "nn", "F", "math"))  # names that any code may use


@dataclass(frozen=True)
class WrongAnswer:
    """Code in which one thing or two are known to be wrong."""

    names: tuple[str, ...]
    hints: tuple[str, ...] = field(compare=False)
    code: str
    written: bool = False  # by an author's hand, as one of the exercise's mistakes
    rule: Rule | None = field(default=None, compare=False)  # what made it of a right answer
    place: int = field(default=0, compare=False)  # where the rule did so, as it counts places
    shows: str = field(default="", compare=False)  # what the form of its results must say


class WrongAnswers:
    """The wrong answers to one question."""

    def __init__(self, exercise: Exercise, catalogue: Catalogue, question: str) -> None:
        self.question = question
        self._exercise = exercise
        self._catalogue = catalogue
        self._parsed = cache(ast.parse)
        self._definitions = cache(self._find_definitions)
        self._rewritten = cache(self._in_one_writing)
        self._others = {name for name in exercise.points if name != question}

    @cached_property
    def right(self) -> tuple[str, ...]:
        """The reference and each accepted answer, in one writing, with the functions that they use."""
        parts = [_part(ast.parse(one.code), self.question, self._others) for one in self._exercise.accepted]
        accepted = [self._catalogue.in_one_writing(tree) for tree in parts if tree.body]
        return tuple(dict.fromkeys([*self._reference, *map(ast.unparse, accepted)]))

    @cached_property
    def _reference(self) -> tuple[str, ...]:
        """The reference, with many names for what it computes and with few."""
        solution = ast.parse("\n".join(self._exercise.reference))
        given = self._others | {node.name for node in solution.body if isinstance(node, ast.ClassDef)}
        reference = self._catalogue.in_one_writing(_part(solution, self.question, given))
        return tuple(map(ast.unparse, (reference, inlined(reference))))

    @cached_property
    def single(self) -> tuple[WrongAnswer, ...]:
        """The mistakes in the exercise's folder, then all that the catalogue makes, each code once.

        What it makes of the reference comes before what it makes of other right answers, which fewer write.
        """
        written = [mistake for mistake in self._exercise.mistakes if mistake.question == self.question]
        found: dict[str, WrongAnswer] = {}
        for _, answer in sorted(chain(*self._made_by_rule.values()), key=lambda pair: pair[0]):
            if answer.code not in self.right:
                found.setdefault(answer.code, answer)
        for other in self._alternatives(found.values(), self._catalogue.alternatives):
            found.setdefault(other.code, other)
        by_hand = [WrongAnswer((one.name,), (one.hint,), one.code, written=True) for one in written]
        return (*by_hand, *found.values())

    def composed(self, alone: Iterable[WrongAnswer]) -> Iterator[WrongAnswer]:
        """Put each two of these things wrong into one answer, where the change behind one fits the other.

        Of several ways to get a thing wrong the first one counts. Those with common things come first.
        """
        rare = {self._name(one) for one in self._catalogue.misconceptions if not one.common}
        never = {self._name(one) for one in self._catalogue.misconceptions if one.alone}
        first: dict[str, WrongAnswer] = {}
        for one in sorted(alone, key=lambda one: one.place):  # those with all places rewritten come first
            if one.names[0] not in never:
                first.setdefault(one.names[0], one)
        ranked = sorted(first.values(), key=lambda one: one.names[0] in rare)
        places = sorted(combinations(range(len(ranked)), 2), key=sum)
        both = ((ranked[i], ranked[j]) for i, j in places)
        pairs = (self._pair(one, other) or self._pair(other, one) for one, other in both)
        found = [*islice((pair for pair in pairs if pair and pair.code not in self.right), _MOST_PAIRS)]
        yield from (*found, *self._alternatives(found, self._catalogue.alternatives[:1]))

    @cached_property
    def fitting(self) -> frozenset[str]:
        """The catalogue's rules that change a right answer, as the catalogue spells them."""
        return frozenset(self._made_by_rule)

    def _alternatives(self, answers: Iterable[WrongAnswer], rules: Iterable[Rule]) -> list[WrongAnswer]:
        """Return the answers with something else in them that would be right, too."""
        return [
            replace(answer, code=ast.unparse(made))
            for answer in answers
            for rule in rules
            if all(word in answer.code for word in rule.words)
            for _, made in rule.apply(self._parsed(answer.code), self._places(answer.code, rule))
        ]

    def _pair(self, one: WrongAnswer, other: WrongAnswer) -> WrongAnswer | None:
        """Make the change behind one wrong answer in another one, too."""
        rule, code = other.rule, self._plain(one)
        if rule is None or not all(word in code for word in rule.words):
            return None
        made = rule.once(self._parsed(code), other.place, self._places(code, rule))
        if made is None or (text := ast.unparse(made)) == code or not _is_code(text):
            return None
        return WrongAnswer((*one.names, *other.names), (*one.hints, *other.hints), text)

    def _plain(self, answer: WrongAnswer) -> str:
        """Return an answer's code in the one writing, in which rules find their places."""
        return self._rewritten(answer.code) if answer.written else answer.code

    def _in_one_writing(self, code: str) -> str:
        """Return an answer in one writing, with the functions that it uses."""
        tree = ast.parse("\n".join((*self._exercise.reference, code)))
        return ast.unparse(self._catalogue.in_one_writing(_part(tree, self.question, self._others)))

    @cached_property
    def _made_by_rule(self) -> dict[str, list[tuple[bool, WrongAnswer]]]:
        """What each rule makes of right answers, and whether of another one than the reference.

        A rule that fits one writing says nothing new in the next one.
        """
        found: dict[str, list[tuple[bool, WrongAnswer]]] = {}
        for misconception in self._catalogue.misconceptions:
            for rule in misconception.rules if misconception.fits(self.right) else ():
                made = ((right, self._made(misconception, rule, right)) for right in self.right)
                for right, answers in islice((one for one in made if one[1]), 1):
                    is_other = right not in self._reference
                    found[spelt(misconception, rule)] = [(is_other, answer) for answer in answers]
        return found

    def _made(self, misconception: Misconception, rule: Rule, code: str) -> list[WrongAnswer]:
        """Return what a rule makes of a right answer."""
        if not all(word in code for word in rule.words):
            return []
        hint = f"{misconception.sentence} {misconception.hint}"
        made = rule.apply(self._parsed(code), self._places(code, rule))
        texts = [(place, ast.unparse(tree)) for place, tree in made]
        name, shows = self._name(misconception), misconception.shows
        return [
            WrongAnswer((name,), (hint,), text, rule=rule, place=place, shows=shows)
            for place, text in texts
            if text != code and _is_code(text) and _names(text) <= _names(code) | _ALWAYS_THERE
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


def _is_code(text: str) -> bool:
    """Whether this is Python; a slice that a rule takes for a value makes none."""
    try:
        compiled(text, 0)
    except SyntaxError:
        return False
    return True


@lru_cache(256)
def _names(code: str) -> frozenset[str]:
    """Return the names in some code. A change that reads another one would read what a cell left behind."""
    nodes = [*ast.walk(ast.parse(code))]
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
        _undocumented(statement)
    return ast.Module(body, [])


def _undocumented(statement: ast.stmt) -> None:
    """Take docstrings away, which would only be copied and compared."""
    for node in ast.walk(statement):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
