"""Finds what is wrong in a student's code from the edit that repairs it: its place, name and kind."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property
from warnings import catch_warnings

from autograder.diagnosis.code import Code
from autograder.diagnosis.fragments import Edit, RightAnswerFragments, collect_fragments, operation
from autograder.diagnosis.misconceptions import Catalogue, Misconception, load_catalogue
from autograder.diagnosis.patterns import Rule, rules_by_type
from autograder.diagnosis.places import Place, places_at, places_of
from autograder.diagnosis.search import CandidateRunner, Repair, Search, right_answer
from autograder.diagnosis.trees import altered, is_docstring, path_to_difference, rewritten, text_of
from autograder.diagnosis.wrong import Answers, with_inlined_values, with_joined_statements
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
        self.fragments = cache(self._collect_fragments)
        self.failed = cache(self._failed)
        self._rules = cache(self._fitting)

    @cached_property
    def catalogue(self) -> Catalogue:
        """The course's misconceptions."""
        return load_catalogue(self.suite.exercise.catalogue)

    def search(
        self, question: str, code: Code, failed: Sequence[HiddenTest], runner: CandidateRunner
    ) -> Iterator[Repair]:
        """Look for repairs of some code that fails these tests of a question, and yield the best first."""
        fragments = self.fragments(question)
        most = round(self._seconds * _MOST)
        found = Search(
            self.suite, question, fragments, runner, self._right, self._seconds * 1e6, most, self._rewritten
        )
        return found.repairs(code, failed)

    def _rewritten(self, code: Code) -> list[Code]:
        """Return code in one writing, and with single expressions in the place of several statements."""
        tree = self.catalogue.in_one_writing(ast.Module([*code.statements], []), is_exact=True)
        return [replace(code, statements=tuple(one.body)) for one in (tree, with_joined_statements(tree))]

    def names(self, question: str, repair: Repair) -> Iterator[Misconception]:
        """Yield the misconceptions whose rules make the wrong code of the repaired code.

        If a rule has made the edit, its misconception comes first. Other rules are tried on what the repair
        has changed and on the code around it: as it is, with sizes in the place of their names, and with
        single expressions in the place of several statements.
        """
        names = {edit.misconception for edit in repair.edits}
        if len(names) == 1 and names != {""}:
            yield next(one for one, _ in self._rules(question) if one.name in names)
        if len(repair.edits) > 1:
            return
        (edit,) = repair.edits
        for own, made in self._differences(edit.within or repair.code, repair.code):
            yield from self._made_by_rules(question, own, made)

    def same_code(self, first: Code, second: Code) -> bool:
        """Whether two answers differ at most in writing, annotations, and local variables.

        Definitions of other questions do not count.
        """
        texts = [
            _text(_without_local_names(with_joined_statements(self._in_one_writing(statements))))
            for code in (first, second)
            for statements in [[s for at, s in enumerate(code.statements) if at not in code.fixed]]
        ]
        return texts[0] == texts[1]

    def place(self, question: str, edit: Edit) -> Place | None:
        """Return the place of the catalogue that an edit changes, with all of its parts.

        None if an edit leaves a cast in the code: it may go round the mistake.
        """
        code = edit.within
        if code is None or (code.casts and code.edited(edit.changes).casts == code.casts):
            return None
        if isinstance(edit.old, ast.stmt):
            new = edit.make()
            statement = new[0] if isinstance(new, list) and edit.kind == "statement" else edit.old
            return next(places_at(statement, edit.kind, self._fitting_places(question)), None)
        found = [self._places(question, code, code.edited([change]), edit.kind) for change in edit.changes]
        return next((one for one in found[0] if all(one in others for others in found)), None)

    def _places(self, question: str, wrong: Code, right: Code, kind: str) -> list[Place]:
        fitting = self._fitting_places(question)
        pairs = self._differences(wrong, right)
        return [place for own, made in pairs for place in places_of(own, made, kind, fitting)]

    def _fitting_places(self, question: str) -> list[Place]:
        return [one for one in self.catalogue.places if one.fits(self.answers(question).right)]

    def _differences(self, wrong: Code, right: Code) -> Iterator[tuple[ast.Module, ast.Module]]:
        """Yield the statements in which two codes differ, in one writing, and then with fewer names.

        If both are the same in one writing, they differ in their writing alone.
        """
        pairs = zip(wrong.statements, right.statements, strict=True)
        differing = [pair for pair in pairs if pair[0] is not pair[1]]
        own, made = (self._in_one_writing(statements) for statements in zip(*differing, strict=True))
        if _text(own) == _text(made):
            own, made = (ast.Module([*statements], []) for statements in zip(*differing, strict=True))
        seen = list[tuple[ast.Module, ast.Module]]()
        for shorten in (
            lambda tree: tree,
            with_inlined_values,
            lambda tree: with_joined_statements(with_inlined_values(tree)),
        ):
            pair = shorten(own), shorten(made)
            if all(pair != other for other in seen):
                seen.append(pair)
                yield pair

    def _made_by_rules(self, question: str, own: ast.Module, made: ast.Module) -> Iterator[Misconception]:
        texts, above, named = _texts(own), [one for one, _ in path_to_difference(made, own)], set[str]()
        near = {id(node) for node in (*above, *ast.walk(above[-1]))}
        for misconception, rule in self._rules(question):
            changed = rule.apply(made, near=near)
            if misconception.name not in named and any(self._is_written(one, texts) for one in changed):
                named.add(misconception.name)
                yield misconception

    def _fitting(self, question: str) -> tuple[tuple[Misconception, Rule], ...]:
        right = self.answers(question).right
        fitting = (one for one in self.catalogue.misconceptions if one.fits(right))
        return tuple((one, rule) for one in fitting for rule in one.rules)

    def _is_written(self, tree: ast.Module, texts: Sequence[str]) -> bool:
        """Whether code has these texts, or gets them where it is brought into one writing.

        Most methods of a class are still those of the code that a rule has changed, and need no such writing.
        """
        parts = [*_parts(tree)]
        return len(parts) == len(texts) and all(
            text_of(one) == text or _text(self.catalogue.in_one_writing(ast.Module([one], []))) == text
            for one, text in zip(parts, texts, strict=True)
        )

    def _in_one_writing(self, statements: Sequence[ast.stmt]) -> ast.Module:
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


def _parts(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield the statements of some code: of a class its head, and then what stands in it."""
    for one in tree.body:
        if isinstance(one, ast.ClassDef):
            yield altered(one, body=[])
            yield from (inner for inner in one.body if not is_docstring(inner))
        else:
            yield one


def _without_local_names(tree: ast.Module) -> ast.Module:
    """Return code without annotations, in which the functions' local variables are numbered."""
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


def _texts(tree: ast.Module) -> list[str]:
    return [text_of(one) for one in _parts(tree)]


def _text(tree: ast.Module) -> str:
    """Write code without docstrings; what trees share is written once."""
    return Code(tuple(tree.body)).text


def sort_of(edit: Edit, code: Code) -> tuple[object, ...]:
    """Return what sort of edit this is: its kind, the function, and the step that it adds, or the place."""
    place = next((one for one in (edit.within or code).places if one.node is edit.old), None)
    function = place.scope.function if place else ""
    if edit.kind in ("missing", "step") and isinstance(new := edit.make(), ast.AST):
        return edit.kind, function, operation(new)
    return edit.kind, function, (place.slot if place else None) or type(edit.old)
