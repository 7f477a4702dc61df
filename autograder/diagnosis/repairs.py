"""Finds out from a repair what is wrong in a student's code: the place, name and kind of the mistake.

Code is compared in several forms. The standard form writes equivalent code in the same way. Inlining replaces
a variable by its value, if the value is short code. Joining puts a variable's value into the next statement,
if only this statement reads the variable.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property, lru_cache

from autograder.diagnosis.candidates import CandidateRunner, Repair
from autograder.diagnosis.code import Code
from autograder.diagnosis.distances import right_answer
from autograder.diagnosis.fragments import Edit, RightAnswerFragments, collect_fragments, operation
from autograder.diagnosis.known import known_mistakes
from autograder.diagnosis.known_results import KnownResults, WrongCode
from autograder.diagnosis.misconceptions import Catalogue, Misconception, load_catalogue
from autograder.diagnosis.patterns import Rule, rules_by_type
from autograder.diagnosis.places import Place, places_at, places_of
from autograder.diagnosis.search import Search
from autograder.diagnosis.trees import altered, is_docstring, path_to_difference, rewritten, text_of
from autograder.diagnosis.wrong import Answers, with_inlined_values, with_joined_statements
from autograder.testing.suite import HiddenTest, Run, Suite

_EDITS_PER_SECOND = 200  # the largest number of candidates with one edit, for each second of the budget
_CACHED_TEXTS = 10_000  # the largest number of statements whose text in the standard form is cached


class Repairer:
    """Repairs answers to the questions of one exercise. Data that all answers share are cached."""

    def __init__(self, suite: Suite, seconds: float = 2.0) -> None:
        self.suite = suite
        self._seconds = seconds
        self._right = cache(lambda test, inputs: right_answer(suite, test, inputs))
        self.answers = cache(lambda question: Answers(suite.exercise, self.catalogue, question))
        self.fragments = cache(self._collect_fragments)
        self.failed = cache(self._failed)
        self.known_results = cache(self._collect_known_results)
        self._rules = cache(self._fitting_rules)
        self._standard_text = lru_cache(_CACHED_TEXTS)(self._standardize)

    @cached_property
    def catalogue(self) -> Catalogue:
        """The course's catalogue of misconceptions. Raise SourceError if one of its files is invalid."""
        return load_catalogue(self.suite.exercise.catalogue)

    def search(
        self, question: str, code: Code, failed: Sequence[HiddenTest], runner: CandidateRunner
    ) -> Iterator[Repair]:
        """Return repairs of code that fails the tests `failed`. The best repair comes first."""
        search = Search(
            self.suite,
            question,
            self.fragments(question),
            runner,
            self._right,
            budget=self._seconds * 1e6,
            most=round(self._seconds * _EDITS_PER_SECOND),
            rewrite=self.rewritten_forms,
            known_results=self.known_results(question),
        )
        return search.repairs(code, failed)

    def rewritten_forms(self, code: Code) -> list[Code]:
        """Return the code in the standard form, and in this form with joined statements."""
        tree = self.catalogue.in_one_writing(ast.Module([*code.statements], []), is_exact=True)
        forms = (tree, with_joined_statements(tree))
        return [replace(code, statements=tuple(form.body)) for form in forms]

    def names(self, question: str, repair: Repair) -> Iterator[Misconception]:
        """Yield the misconceptions whose rules turn the repaired code back into the wrong code.

        If a rule of the catalogue made the edit, the rule's misconception comes first. Other rules are tried
        on the changed nodes and their ancestors, in several forms of the code.
        """
        names = {edit.misconception for edit in repair.edits}
        if len(names) == 1 and names != {""}:
            yield next(one for one, _ in self._rules(question) if one.name in names)
        if len(repair.edits) == 1:
            yield from self.names_of_edit(question, repair.edits[0])

    def names_of_edit(self, question: str, edit: Edit) -> Iterator[Misconception]:
        """Yield the misconceptions whose rules turn the edited code into the code before the edit."""
        if edit.within is not None:
            for wrong, right in self._differing_statements(edit.within, edit.within.edited(edit.changes)):
                yield from self._misconceptions_between(question, wrong, right)

    def same_code(self, first: Code, second: Code) -> bool:
        """Whether two answers are equal except for style, annotations, and names of local variables.

        Definitions of other questions are not compared.
        """
        texts = [
            _text(_without_local_names(with_joined_statements(self._standard_form(code.editable))))
            for code in (first, second)
        ]
        return texts[0] == texts[1]

    def place(self, question: str, edit: Edit) -> Place | None:
        """Return the first place of the catalogue that contains every change of an edit, or None.

        Also return None if the code has casts that the edit leaves, because a cast may be the mistake.
        """
        code = edit.within
        if code is None or (code.casts and code.edited(edit.changes).casts == code.casts):
            return None
        if isinstance(edit.old, ast.stmt):
            new = edit.make()
            statement = new[0] if isinstance(new, list) and edit.kind == "statement" else edit.old
            return next(places_at(statement, edit.kind, self._fitting_places(question)), None)
        places = [self._places(question, code, code.edited([change]), edit.kind) for change in edit.changes]
        return next((place for place in places[0] if all(place in others for others in places)), None)

    def _places(self, question: str, wrong: Code, right: Code, kind: str) -> list[Place]:
        fitting = self._fitting_places(question)
        pairs = self._differing_statements(wrong, right)
        return [
            place
            for wrong_part, right_part in pairs
            for place in places_of(wrong_part, right_part, kind, fitting)
        ]

    def _fitting_places(self, question: str) -> list[Place]:
        right = self.answers(question).right
        return [place for place in self.catalogue.places if place.fits(right)]

    def _differing_statements(self, wrong: Code, right: Code) -> Iterator[tuple[ast.Module, ast.Module]]:
        """Yield the differing statements: in the standard form, then inlined, then inlined and joined.

        If the standard form removes all differences, use the statements as they were written.
        """
        pairs = zip(wrong.statements, right.statements, strict=True)
        differing = [pair for pair in pairs if pair[0] is not pair[1]]
        wrong_part, right_part = (
            self._standard_form(statements) for statements in zip(*differing, strict=True)
        )
        if _text(wrong_part) == _text(right_part):
            wrong_part, right_part = (
                ast.Module([*statements], []) for statements in zip(*differing, strict=True)
            )
        yielded = list[tuple[ast.Module, ast.Module]]()
        for shorten in (
            lambda tree: tree,
            with_inlined_values,
            lambda tree: with_joined_statements(with_inlined_values(tree)),
        ):
            pair = shorten(wrong_part), shorten(right_part)
            if all(pair != other for other in yielded):
                yielded.append(pair)
                yield pair

    def _misconceptions_between(
        self, question: str, wrong: ast.Module, right: ast.Module
    ) -> Iterator[Misconception]:
        """Yield the misconceptions whose rules turn right code into wrong code."""
        texts, yielded = [*_texts_of_statements(wrong.body)], set[str]()
        path = [node for node, _ in path_to_difference(right, wrong)]
        near = {id(node) for node in (*path, *ast.walk(path[-1]))}
        for misconception, rule in self._rules(question):
            results = rule.apply(right, near=near)
            if misconception.name not in yielded and any(self._has_texts(tree, texts) for tree in results):
                yielded.add(misconception.name)
                yield misconception

    def _fitting_rules(self, question: str) -> tuple[tuple[Misconception, Rule], ...]:
        right = self.answers(question).right
        fitting = (entry for entry in self.catalogue.misconceptions if entry.fits(right))
        return tuple((misconception, rule) for misconception in fitting for rule in misconception.rules)

    def _has_texts(self, tree: ast.Module, texts: Sequence[str]) -> bool:
        """Whether the statements of a tree have these texts, as they are or in the standard form."""
        parts = [*_texts_of_statements(tree.body)]
        return len(parts) == len(texts) and all(
            part == text or self._standard_text(part) == text for part, text in zip(parts, texts, strict=True)
        )

    def _standardize(self, text: str) -> str:
        return _text(self.catalogue.in_one_writing(ast.parse(text)))

    def _standard_form(self, statements: Sequence[ast.stmt]) -> ast.Module:
        tree = ast.parse(Code(tuple(statements)).text)
        return ast.parse(ast.unparse(self.catalogue.in_one_writing(tree)))

    def _collect_fragments(self, question: str) -> RightAnswerFragments:
        answers = self.answers(question)
        trees = [*answers.trees, *map(ast.parse, answers.right[:2])]
        trees += [with_inlined_values(tree) for tree in trees]
        right = [ast.parse(text) for text in answers.right]
        fitting = (rule for _, rule in self._rules(question) if any(map(rule.fits, right)))
        inverse = rules_by_type(filter(None, (rule.inverse for rule in fitting)))
        return replace(
            collect_fragments({ast.unparse(tree): tree for tree in trees}.values()), inverse_rules=inverse
        )

    def _collect_known_results(self, question: str) -> KnownResults:
        wrong_answers = [
            WrongCode(answer.misconception, answer.code, answer.late)
            for answer in self.answers(question).wrong
        ]
        mistakes = known_mistakes(self.suite.exercise)
        of_question = (mistake for mistake in mistakes if mistake.question == question)
        wrong_answers += [WrongCode(mistake, mistake.code) for mistake in of_question]
        return KnownResults(self.suite, question, wrong_answers)

    def _failed(self, question: str, misconception: Misconception) -> tuple[tuple[Run, ...], ...]:
        """Return the failed runs of each wrong answer that was made with this misconception's rules."""
        results = self.known_results(question)
        runs = (results.failed_runs(answer.code) for answer in self.answers(question).by(misconception))
        return tuple(failed for failed in runs if failed is not None)


def _texts_of_statements(statements: Sequence[ast.stmt]) -> Iterator[str]:
    """Yield the text of each statement. For a class or function, yield the head, then inner statements."""
    for statement in statements:
        if isinstance(statement, ast.ClassDef | ast.FunctionDef):
            yield text_of(altered(statement, body=[]))
            yield from _texts_of_statements([inner for inner in statement.body if not is_docstring(inner)])
            yield ""
        else:
            yield text_of(statement)


def _without_local_names(tree: ast.Module) -> ast.Module:
    """Return code without annotations. Numbers replace the names of the functions' local variables."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    inside = (node for function in functions for node in ast.walk(function))
    stored = dict.fromkeys(
        node.id for node in inside if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    numbers = {name: f"_{number}" for number, name in enumerate(stored)}

    def change(_: ast.AST, node: ast.AST) -> ast.AST:
        match node:
            case ast.arg():
                return altered(node, annotation=None)
            case ast.FunctionDef():
                return altered(node, returns=None)
            case ast.Name(id=name) if name in numbers:
                return altered(node, id=numbers[name])
        return node

    return rewritten(tree, change)  # type: ignore[no-any-return]


def _text(tree: ast.Module) -> str:
    return Code(tuple(tree.body)).text


def sort_of(edit: Edit, code: Code) -> tuple[object, ...]:
    """Return a key that similar edits share: the kind, the changed function, and one more item.

    This item is the inserted operation, if any. Otherwise it is the replaced node's slot or, without a slot,
    its type.
    """
    site = next((site for site in (edit.within or code).places if site.node is edit.old), None)
    function = site.scope.function if site else ""
    if edit.kind in ("missing", "step") and isinstance(new := edit.make(), ast.AST):
        return edit.kind, function, operation(new)
    return edit.kind, function, (site.slot if site else None) or type(edit.old)
