"""Finds what is wrong in a student's code from the edit that repairs it: its place, name and kind."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property
from warnings import catch_warnings

from autograder.diagnosis.code import Code
from autograder.diagnosis.misconceptions import Catalogue, Misconception, load_catalogue
from autograder.diagnosis.patterns import Rule, rules_by_type
from autograder.diagnosis.pieces import Edit, Pieces, operation, pieces_of
from autograder.diagnosis.places import Place, places_of
from autograder.diagnosis.search import Bench, Repair, Search, right_answer
from autograder.diagnosis.trees import way
from autograder.diagnosis.wrong import Answers, spelt_out
from autograder.testing.exchange import Local
from autograder.testing.suite import HiddenTest, Run, Suite
from autograder.worker.namespace import silence

_MOST = 200  # edits that are tried alone for each second


class Repairer:
    """Repairs answers to the questions of one exercise; what they share is computed once."""

    def __init__(self, suite: Suite, seconds: float = 2.0) -> None:
        self.suite = suite
        self._seconds = seconds
        self._right = cache(lambda test, inputs: right_answer(suite, test, inputs))
        self.answers = cache(lambda question: Answers(suite.exercise, self.catalogue, question))
        self.pieces = cache(self._pieces)
        self.failed = cache(self._failed)
        self._rules = cache(self._fitting)

    @cached_property
    def catalogue(self) -> Catalogue:
        """The course's misconceptions."""
        return load_catalogue(self.suite.exercise.catalogue)

    def search(self, question: str, code: Code, failed: Sequence[HiddenTest], bench: Bench) -> list[Repair]:
        """Look for repairs of some code that fails these tests of a question."""
        pieces = self.pieces(question)
        most = round(self._seconds * _MOST)
        found = Search(self.suite, question, pieces, bench, self._right, self._seconds * 1e6, most)
        return found.repairs(code, failed)

    def names(
        self, question: str, wrong: Code, right: Code, edit: Edit | None = None
    ) -> Iterator[Misconception]:
        """Yield the misconceptions whose rules make the wrong code of the right one.

        If a rule has made the `edit`, its misconception comes first. Other rules are tried on what the repair
        has changed and on what stands around that; then once more with sizes in the place of their names.
        """
        if edit is not None and edit.misconception:
            yield next(one for one, _ in self._rules(question) if one.name == edit.misconception)
        own, made = self._differing(wrong, right)
        yield from self._made_by_rules(question, own, made)
        spelt = spelt_out(own), spelt_out(made)
        if spelt != (own, made):  # a tree without such names stays the same one
            yield from self._made_by_rules(question, *spelt)

    def same_code(self, one: Code, other: Code) -> bool:
        """Whether two answers are the same code in one writing, apart from other questions' definitions."""
        own, others = (
            [s for at, s in enumerate(code.statements) if at not in code.fixed] for code in (one, other)
        )
        return len(own) == len(others) and _text(self._in_one_writing(own)) == _text(
            self._in_one_writing(others)
        )

    def place(self, question: str, code: Code, edit: Edit) -> Place | None:
        """Return the place of the catalogue that an edit of some code changes, with all of its parts.

        None if an edit leaves a cast in the code: it may go round the mistake.
        """
        if not all(
            code.holds(old) for old, _ in edit.changes
        ):  # the second of two edits may change the first
            return None
        if code.casts and code.edited(edit.changes).casts == code.casts:
            return None
        found = [self._places(question, code, code.edited([change]), edit.kind) for change in edit.changes]
        return next((one for one in found[0] if all(one in others for others in found)), None)

    def _places(self, question: str, wrong: Code, right: Code, kind: str) -> list[Place]:
        own, made = self._differing(wrong, right)
        fitting = [one for one in self.catalogue.places if one.fits(self.answers(question).right)]
        found = [*places_of(own, made, kind, fitting)]
        return [*found, *places_of(spelt_out(own), spelt_out(made), kind, fitting)]

    def _differing(self, wrong: Code, right: Code) -> list[ast.Module]:
        """Return the statements in which two codes differ, in one writing."""
        pairs = zip(wrong.statements, right.statements, strict=True)
        differ = [pair for pair in pairs if pair[0] is not pair[1]]
        return [self._in_one_writing(statements) for statements in zip(*differ, strict=True)]

    def _made_by_rules(self, question: str, own: ast.Module, made: ast.Module) -> Iterator[Misconception]:
        text, above, named = _text(own), [one for one, _ in way(made, own)], set[str]()
        near = {id(node) for node in (*above, *ast.walk(above[-1]))}
        for misconception, rule in self._rules(question):
            changed = rule.apply(made, near=near)
            if misconception.name not in named and any(self._is_written(one, text) for one in changed):
                named.add(misconception.name)
                yield misconception

    def _fitting(self, question: str) -> tuple[tuple[Misconception, Rule], ...]:
        right = self.answers(question).right
        fitting = (one for one in self.catalogue.misconceptions if one.fits(right))
        return tuple((one, rule) for one in fitting for rule in one.rules)

    def _is_written(self, tree: ast.Module, text: str) -> bool:
        return _text(tree) == text or _text(self.catalogue.in_one_writing(tree)) == text

    def _in_one_writing(self, statements: Sequence[ast.stmt]) -> ast.Module:
        tree = ast.parse(Code(tuple(statements)).text)
        return ast.parse(ast.unparse(self.catalogue.in_one_writing(tree)))

    def _pieces(self, question: str) -> Pieces:
        answers = self.answers(question)
        trees = [*answers.trees, *map(ast.parse, answers.right[:2])]
        trees += [spelt_out(tree) for tree in trees]
        undone = rules_by_type(filter(None, (rule.undone for _, rule in self._rules(question))))
        return replace(pieces_of({ast.unparse(tree): tree for tree in trees}.values()), undone=undone)

    def _failed(self, question: str, misconception: Misconception) -> tuple[tuple[Run, ...], ...]:
        """Return the failed runs of each right answer in which this misconception is made."""
        exercise, found = self.suite.exercise, list[tuple[Run, ...]]()
        for answer in self.answers(question).by(misconception):
            with catch_warnings(action="ignore"), silence():
                try:
                    local = Local(self.suite.namespace(exercise.variant(answer.code)))
                except Exception:  # noqa: S112 - a rule made of it what no student would hand in
                    continue
                runs = (self.suite.run_one(test, local) for test in self.suite.of(question))
                found.append(tuple(run for run in runs if run.error is not None))
        return tuple(found)


def _text(tree: ast.Module) -> str:
    """Write code without docstrings; what trees share is written once."""
    return Code(tuple(tree.body)).text


def sort_of(edit: Edit, code: Code) -> tuple[object, ...]:
    """Return what sort of edit this is: its kind, the function, and the step that it adds, or the place."""
    place = next((one for one in code.places if one.node is edit.old), None)
    function = place.scope.function if place else ""
    if edit.kind in ("missing", "step") and isinstance(new := edit.make(), ast.AST):
        return edit.kind, function, operation(new)
    return edit.kind, function, (place.slot if place else None) or type(edit.old)
