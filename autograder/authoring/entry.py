"""Checks `builds_on` in course.yaml, and finds right answers that pass the tests of another question.

`builds_on` names earlier questions for a later question. An answer to the later question may call the answers
to the earlier questions. If a student's earlier answer is wrong, the later question is graded again with the
right earlier answer. So a mistake costs points only once.
"""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from warnings import catch_warnings

from autograder.authoring.trials import Trial
from autograder.course.answers import ACCEPTED, Answer
from autograder.course.code import bound_names, code_parts
from autograder.course.exercise import BUILDS_ON, BuildsOn, Exercise, in_handout_folder, wrong_rules
from autograder.course.source import Role
from autograder.grading.carried import compiled, used_names
from autograder.grading.examples import Examples
from autograder.grading.outcomes import kept_share
from autograder.report.report import Report
from autograder.testing.exchange import Local
from autograder.testing.suite import Suite
from autograder.worker.namespace import run_compiled

_WRONG = "def {}(*given, **named):\n    return given"  # a wrong answer to the earlier question
MOST = 0.5  # the largest share of a question's points that the right answer to another question may get
_Grade = Callable[[Mapping[str, str]], Report]


def measure(
    exercise: Exercise, builds_on: BuildsOn, suite: Suite, grade: _Grade
) -> tuple[str, tuple[str, ...]]:
    """Check each pair in `builds_on`: a later question, and an earlier one on which it builds.

    A right answer to the later question must get full marks even with a wrong answer to the earlier question.
    Return a summary with the number of pairs that pass, and a finding for each problem. `grade` puts answers
    into the reference and grades the result like a submission.
    """
    pairs = [(later, earlier) for later, names in builds_on.items() for earlier in names]
    problems = [_problem(exercise, later, earlier, suite, grade) for later, earlier in pairs]
    proved = f"{problems.count(None)} of {len(pairs)}"
    summary = (
        f"builds_on: in {proved} pairs of questions, a wrong earlier answer costs no points in the later "
        "question"
        if pairs
        else ""
    )
    other_problems = (
        _substitute_problem(exercise, later, other, suite)
        for later, names in builds_on.items()
        for other in _available(exercise, later, names)
        if other not in names
    )
    return summary, tuple(filter(None, (*problems, *other_problems)))


def double_answers(exercise: Exercise, suite: Suite) -> Iterator[str]:
    """Yield a note on each right answer that also passes all tests of another question."""
    for later in exercise.points:
        trial = Trial(suite, later)
        for other in exercise.points:
            if other != later and not trial.fails((*exercise.reference, f"{later} = {other}")):
                note = f"the right answer to {other} passes all hidden tests of {later}, too"
                yield f"{exercise.source}: {note}"


def without_examples(exercise: Exercise, suite: Suite) -> Iterator[str]:
    """Yield a note on the questions for which feedback pages cannot show a call with a wrong result."""
    examples = Examples(suite)
    if names := ", ".join(examples.questions_without_example()):
        note = f"feedback pages show no example of a wrong result for {names}"
        yield f"{exercise.suite}: {note}; add a test with a call that pages can show: {examples.limits}"


def _available(exercise: Exercise, later: str, earlier: Sequence[str]) -> list[str]:
    """Return the questions to which the worker has right answers while it grades `later` again."""
    given = compiled(exercise.reference, earlier, [later])
    with in_handout_folder(exercise):
        variables = run_compiled(given.code, given.names)[earlier[0]].__globals__
    return [name for name in exercise.points if name in variables]


def fix_for_dependence(exercise: Exercise, builds_on: BuildsOn, later: str, earlier: str) -> str:
    """Return advice on this problem: a wrong answer to `earlier` makes tests of `later` fail."""
    (cell,) = (cell for cell in exercise.cells if (cell.role, cell.name) == (Role.SOLUTION, later))
    names = {part.id for part in ast.walk(ast.parse(cell.text)) if isinstance(part, ast.Name)}
    if earlier in names and earlier not in builds_on.get(later, ()):
        entry = {BUILDS_ON: {later: [earlier]}}
        if not list(wrong_rules(exercise, entry)):
            return f"{later} calls {earlier}: write `{BUILDS_ON}: {{{later}: [{earlier}]}}` in course.yaml"
    return f"Make the test of {later} independent of {earlier}"


def _problem(exercise: Exercise, later: str, earlier: str, suite: Suite, grade: _Grade) -> str | None:
    if problem := _substitute_problem(exercise, later, earlier, suite):
        return problem
    calling = (
        answer
        for answer in exercise.accepted
        if later in bound_names(answer.code) and earlier in used_names(later, code_parts([answer.code]))
    )
    if (caller := next(calling, None)) is None:
        fix = f"write an answer in which {later} calls {earlier}"
        return f"{exercise.folder / ACCEPTED}: has no answer to {later} that builds on {earlier}; {fix}"
    answers = _with_wrong_earlier(exercise, caller, earlier)
    question = next(question for question in grade(answers).questions if question.name == later)
    if question.score == question.max_score:
        return None
    result = f"{later} is {question.verdict}. {question.hint}"
    return f"{caller.place}: {later} must get full marks even if {earlier} is wrong, but {result}"


def _substitute_problem(exercise: Exercise, later: str, other: str, suite: Suite) -> str | None:
    """Return the problem if the right answer to `other` gets too many points as an answer to `later`.

    When `later` is graded again, the worker has this right answer, so a student's code could call it.
    """
    if (share := _share(suite, (*exercise.reference, f"{later} = {other}"), later)) <= MOST:
        return None
    problem = f"as an answer to {later}, the right answer to {other} gets {share:.0%} of the points"
    danger = f"when {later} is graded again, with right earlier answers, students' code could call {other}"
    return f"{exercise.folder}: {problem}; {danger}; change {BUILDS_ON} of {later} in course.yaml"


def _with_wrong_earlier(exercise: Exercise, caller: Answer, earlier: str) -> dict[str, str]:
    """Return the answers in a cell of accepted.py, but with a wrong answer to the earlier question."""
    answers, wrong = exercise.replaced(caller.code), _WRONG.format(earlier)
    if earlier not in answers:
        return {**answers, earlier: wrong}
    first = next(iter(answers))  # `replaced` returns all code of the cell as the answer to the first question
    return {**answers, first: f"{answers[first]}\n\n{wrong}"}


def _share(suite: Suite, cells: tuple[str, ...], question: str) -> float:
    """Return the share of a question's points that these cells get on disclosed inputs."""
    with catch_warnings(action="ignore"):
        runs = list(suite.run(Local(suite.namespace(cells)), chosen=suite.of(question)))
    return kept_share(suite.of(question), {run.test for run in runs if run.error is not None})
