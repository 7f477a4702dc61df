"""Checks an exercise's entry in course.yaml: the words of its rules, and what questions may build on."""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from warnings import catch_warnings

from autograder.authoring.trials import Trial
from autograder.course.answers import ACCEPTED, Answer
from autograder.course.exercise import BUILDS_ON, BuildsOn, Exercise, beside_handout, wrong_rules
from autograder.course.source import Role
from autograder.grading.carried import compiled
from autograder.grading.examples import Examples
from autograder.grading.outcomes import kept_share
from autograder.report.report import Report
from autograder.testing.exchange import Local
from autograder.testing.suite import Suite
from autograder.worker.namespace import run_compiled

_WRONG = "def {}(*given, **named):\n    return given"  # wrong in every test, but no stub
MOST = 0.5  # so much of a later question may the earlier one be worth in its place
_Grade = Callable[[Mapping[str, str]], Report]


def measure(
    exercise: Exercise, builds_on: BuildsOn, suite: Suite, grade: _Grade
) -> tuple[str, tuple[str, ...]]:
    """Grade a right later answer beside a wrong earlier one, for each pair of questions.

    Return how many of the pairs in course.yaml are proved, and what the author must still change. `grade`
    grades the reference with other answers, as a submission is graded.
    """
    pairs = [(later, earlier) for later, names in builds_on.items() for earlier in names]
    found = [_problem(exercise, later, earlier, suite, grade) for later, earlier in pairs]
    said = f"{found.count(None)} of {len(pairs)} earlier mistakes carried forward" if pairs else ""
    also = (
        _worth(exercise, later, other, suite)
        for later, names in builds_on.items()
        for other in _held(exercise, later, names)
        if other not in names
    )
    return said, tuple(filter(None, (*found, *also)))


def double_answers(exercise: Exercise, suite: Suite) -> Iterator[str]:
    """Yield each right answer that passes all tests of another question, too."""
    for later in exercise.points:
        trial = Trial(suite, later)
        for other in exercise.points:
            if other != later and not trial.fails((*exercise.reference, f"{later} = {other}")):
                seen = f"the right answer to {other} passes all hidden tests of {later}, too"
                yield f"{exercise.source}: {seen}"


def without_examples(exercise: Exercise, suite: Suite) -> Iterator[str]:
    """Yield a line on the questions whose wrong answers get no example on feedback pages."""
    examples = Examples(suite)
    if names := ", ".join(examples.without()):
        seen = f"wrong answers to {names} get no example on feedback pages, since no call can be shown there"
        yield f"{exercise.suite}: {seen}; pages show calls with {examples.limits}"


def _held(exercise: Exercise, later: str, earlier: Sequence[str]) -> list[str]:
    """Return the questions whose right answers a worker holds that grades a later one again."""
    given = compiled(exercise.reference, earlier, [later])
    with beside_handout(exercise):
        variables = run_compiled(given.code, given.names)[earlier[0]].__globals__
    return [name for name in exercise.points if name in variables]


def independent(exercise: Exercise, builds_on: BuildsOn, later: str, earlier: str) -> str:
    """Return what to do where a wrong answer to one question fails another one, too."""
    (cell,) = (cell for cell in exercise.cells if (cell.role, cell.name) == (Role.SOLUTION, later))
    names = {part.id for part in ast.walk(ast.parse(cell.text)) if isinstance(part, ast.Name)}
    if earlier in names and earlier not in builds_on.get(later, ()):
        entry = {BUILDS_ON: {later: [earlier]}}
        if not list(wrong_rules(exercise, entry)):
            return f"As {later} calls {earlier}, write `{BUILDS_ON}: {{{later}: [{earlier}]}}` in course.yaml"
    return "Make that test independent"


def _problem(exercise: Exercise, later: str, earlier: str, suite: Suite, grade: _Grade) -> str | None:
    """Return what is wrong with a pair of questions, or None."""
    if problem := _worth(exercise, later, earlier, suite):
        return problem
    if (caller := next(_callers(exercise, later, earlier), None)) is None:
        fix = f"write one, in which {later} calls it"
        return f"{exercise.folder / ACCEPTED}: no right answer to {later} builds on {earlier}; {fix}"
    answers = _beside(exercise, caller, earlier)
    question = next(question for question in grade(answers).questions if question.name == later)
    if question.score == question.max_score:
        return None
    seen = f"{later} is {question.verdict}. {question.hint}"
    return f"{caller.place}: must lose no points in {later} if {earlier} is wrong, but {seen}"


def _worth(exercise: Exercise, later: str, other: str, suite: Suite) -> str | None:
    """Return what is wrong if a worker that grades a question again holds another right answer, or None."""
    if (share := _share(suite, (*exercise.reference, f"{later} = {other}"), later)) <= MOST:
        return None
    seen = f"{other} alone is worth {share:.0%} of {later}, so nothing may build on it"
    return f"{exercise.folder}: {seen}; take it out of course.yaml"


def _callers(exercise: Exercise, later: str, earlier: str) -> Iterator[Answer]:
    """Yield the accepted answers in which the later question spells the earlier one."""
    for variant in exercise.accepted:
        for node in ast.parse(variant.code).body:
            is_later = isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == later
            names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            if is_later and earlier in names:
                yield variant


def _beside(exercise: Exercise, caller: Answer, earlier: str) -> dict[str, str]:
    """Return the answers of an accepted cell, with a wrong one to the earlier question among them."""
    answers, wrong = exercise.replaced(caller.code), _WRONG.format(earlier)
    if earlier not in answers:
        return {**answers, earlier: wrong}
    first = next(iter(answers))  # which holds all of the variant's code
    return {**answers, first: f"{answers[first]}\n\n{wrong}"}


def _share(suite: Suite, cells: tuple[str, ...], question: str) -> float:
    """Return the share of a question's points that these trusted cells get on disclosed inputs."""
    with catch_warnings(action="ignore"):
        runs = list(suite.run(Local(suite.namespace(cells)), chosen=suite.of(question)))
    return kept_share(suite.of(question), {run.test for run in runs if run.error is not None})
