"""Measures how many points wrong answers lose, and checks four rules for these losses.

What is wrong costs something: nearly all misconceptions of the catalogue fail a test. Green means nearly
right: where a question's visible check passes, hidden tests cost at most a quarter of it. Almost nothing
earns almost nothing: an answer that does next to no work keeps at most a quarter. And the same answer fails
the same tests, whichever set of hidden inputs it meets.
"""

import ast
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from textwrap import indent

from autograder.authoring.strength import FILE as REASONS
from autograder.authoring.strength import Equivalent, read_equivalents
from autograder.authoring.trials import SECRET, Trial, failed_runs, met
from autograder.course.exercise import Exercise, Mistake
from autograder.course.names import of_mistake
from autograder.course.source import Role
from autograder.diagnosis.code import attributes_of
from autograder.diagnosis.misconceptions import load_catalogue
from autograder.diagnosis.wrong import Answers
from autograder.grading.outcomes import kept_share
from autograder.testing.exchange import StudentError
from autograder.testing.inputs import drawing, numbered_inputs
from autograder.testing.suite import HiddenTest, Run, Suite
from autograder.worker.namespace import run_code, silence

_FILLED = """
import copy
def _filled_(result, value):
    if hasattr(result, "new_full"):
        return result.new_full(result.shape, value)
    if isinstance(result, (tuple, list)):
        return type(result)(_filled_(one, value) for one in result)
    if isinstance(result, (bool, int, float)) or type(result).__name__ == "ndarray":
        return type(result)(value) if isinstance(result, (bool, int, float)) else result * 0 + value
    return type(result)() if isinstance(result, (str, dict, set)) else None
"""


# What an answer may do instead of its work, and how; {x} is an argument, and {result} the right result.
_ANYTHING = {
    "returns nothing": "pass",
    "returns zeros": "return _filled_({result}, 0)",
    "returns ones": "return _filled_({result}, 1)",
}
_IDENTITY = {
    "returns the identity": "result = {result}; "
    "return __import__('torch').eye(*result.shape[-2:], dtype=result.dtype).expand_as(result)"
}
_TENSOR = {
    "returns a copy of {x}": "return {x}.clone()",
    "returns the mean of {x}": "return {x}.mean(dim=-2, keepdim=True).expand_as({result})",
}


def almost_nothing(exercise: Exercise, question: str) -> Iterator[tuple[str, str]]:
    """Yield what such an answer does, in a few words, and its code.

    It returns nothing, an argument, a mean, the identity, or a constant in the form of the right result. A
    class makes its layers and returns one of these, or one projection, from `forward`; or it makes its layers
    and no more. The right answer stands above, and only lends its layers and the form of its result.
    """
    cell = next(cell for cell in exercise.cells if cell.role is Role.SOLUTION and cell.name == question)
    for node in ast.parse(cell.text).body:
        match node:
            case ast.FunctionDef(name=name) if name == question:
                above, idle = f"_right_ = {name}\n", _idle(node, "_right_", of_tensors=exercise.has_torch)
            case ast.ClassDef(name=name) if name == question:
                above, idle = f"class {name}({name}):\n", _idle_methods(node)
            case _:
                continue
        yield from ((does, f"{cell.text}\n{_FILLED}\n{above}{code}\n") for does, code in idle)


def _idle_methods(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """Yield what one method of a class may do instead of its work, and the method."""
    methods = {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}
    if (forward := methods.pop("forward", None)) is None:
        return
    yield "only makes its layers", "    forward = __import__('torch').nn.Module.forward"
    for name, method in methods.items():
        if name != "__init__":
            yield f"{name} does nothing", indent(_method(method, "pass"), "    ")
    for does, code in _idle(forward, "super().forward", of_tensors=True):
        yield f"forward {does}", indent(code, "    ")
    x = forward.args.args[1].arg
    for layer in attributes_of(node):
        call = f"self.{layer}({x})"
        if ast.unparse(forward.body[-1]) != f"return {call}":  # where more than that is asked for
            body = f"return {call} if callable(self.{layer}) else {x} @ self.{layer}"
            yield f"forward returns {layer} of {x}", indent(_method(forward, body), "    ")


def _idle(function: ast.FunctionDef, right: str, *, of_tensors: bool) -> Iterator[tuple[str, str]]:
    """Yield what a function may do instead of its work; a call of the `right` one changes no argument."""
    names = [argument.arg for argument in function.args.args if argument.arg != "self"]
    result = f"{right}(*copy.deepcopy([{', '.join(names)}]))"
    ways = [(does, body, "") for does, body in (_ANYTHING | (_IDENTITY if of_tensors else {})).items()]
    for x in names:
        ways.append((f"returns {x}", f"return {x}", x))
        ways += [(does, body, x) for does, body in _TENSOR.items() if of_tensors]
    for does, body, x in ways:
        yield does.format(x=x), _method(function, body.format(x=x, result=result))


def _method(function: ast.FunctionDef, body: str) -> str:
    return f"def {function.name}({ast.unparse(function.args)}):\n    {body}"


QUARTER = 0.25
_NOISE = 1e-9
_WAYS = 3  # to make one misconception that are tried until one fails
_BROKEN = 3  # failed tests in a row that show broken code only
# An answer that fails by these alone was only broken by a rule; nobody would hand that in.
_BREAKS = {"NameError", "UnboundLocalError", "AttributeError", "TypeError", "ValueError"}


@dataclass(frozen=True, slots=True)
class Cost:
    """What a wrong answer costs of its question, as a share, and whether its visible check passes."""

    question: str
    kind: str  # misconception, mistake, held out, almost nothing
    mistake: str
    share: float
    is_green: bool = False
    place: str = ""  # the author's file, where there is one
    fails: tuple[str, ...] = ()  # the functions of the tests that fail
    sometimes: tuple[str, ...] = ()  # which tests fail with some sets of hidden inputs only

    def __str__(self) -> str:
        answer = "an answer that" if self.kind == "almost nothing" else self.kind
        return f"{self.question}: {answer} {self.mistake} costs {_percent(self.share)}"


@dataclass(frozen=True, slots=True)
class Costs:
    """How many misconceptions fit an exercise and fail a test, and what its author must change."""

    misconceptions: int = 0
    failing: int = 0
    fitting: frozenset[str] = frozenset()  # the catalogue's rules that change a right answer
    findings: tuple[str, ...] = ()
    harmless: tuple[str, ...] = ()  # misconceptions that change a right answer, and it stays right

    def __str__(self) -> str:
        counts = f"{self.failing} of {self.misconceptions} misconceptions fail a test"
        return counts if self.misconceptions else ""


def wrong_answers(
    suite: Suite,
    checks: Mapping[str, str],
    sets: int,
    made: Mapping[str, Answers],
    failed: Mapping[Path, Sequence[Run]],
) -> Iterator[Cost]:
    """Run each wrong answer on the hidden tests of its question, and on its visible check.

    `checks` are the visible checks that the reference passes, by question, and `made` is what the catalogue
    makes of its right answers. The files of mistakes/ run on several `sets` of hidden inputs; what they fail
    with the first is known.
    """
    exercise = suite.exercise
    for question in exercise.points:
        bench = _Bench(suite, question, checks.get(question))
        yield from bench.misconceptions(made[question])
        for number, one in enumerate(exercise.mistakes):
            if one.question == question:
                name = of_mistake(one.name)[1]
                yield bench.mistake(name, one, met(sets, number), failed[one.path])
        for one in (one for one in exercise.heldout if one.question == question):
            yield bench.cost("held out", of_mistake(one.name)[1], one.code, str(one.path))
        for does, code in almost_nothing(exercise, question):
            yield bench.cost("almost nothing", does, code, most=1 - QUARTER)


def measure(
    suite: Suite,
    checks: Mapping[str, str],
    sets: int,
    share: float,
    failed: Mapping[Path, Sequence[Run]],
) -> Costs:
    """Find the `wrong_answers` that cost too much or too little.

    Of the misconceptions at least this `share` must fail a test.
    """
    catalogue, declared = load_catalogue(suite.exercise.catalogue), read_equivalents(suite.exercise)
    made = {question: Answers(suite.exercise, catalogue, question) for question in suite.exercise.points}
    costs = list(wrong_answers(suite, checks, sets, made, failed))
    findings = [
        f"{one.place}: {line}; let all inputs show it, or none" for one in costs for line in one.sometimes
    ]
    findings += [*_unseen(suite, costs, declared, share), *_green(suite.exercise, costs, declared)]
    single = [one for one in costs if one.kind == "misconception"]
    harmless = tuple(f"{one.question}__{one.mistake}" for one in single if not one.share)
    fitting = frozenset[str]().union(*(answers.fitting for answers in made.values()))
    failing = len(single) - len(harmless)
    return Costs(len(single), failing, fitting, (*findings, *_kept(suite, costs)), harmless)


class _Bench:
    """Runs wrong answers to one question."""

    def __init__(self, suite: Suite, question: str, check: str | None) -> None:
        self._exercise, self._question, self._check = suite.exercise, question, check
        self._tests = suite.of(question)
        self._suite, self._trial = suite, Trial(suite, question)

    def misconceptions(self, answers: Answers) -> Iterator[Cost]:
        """Yield what each misconception costs that fits the question."""
        ways = defaultdict[str, list[str]](list)
        for answer in answers.wrong:
            ways[answer.misconception.name].append(answer.code)
        for name, codes in ways.items():
            yield from self._misconception(name, codes[:_WAYS])

    def _misconception(self, name: str, codes: Sequence[str]) -> Iterator[Cost]:
        """Yield what the first way costs that fails a test; nothing if rules only broke the code."""
        is_broken = False
        for code in codes:
            failing, met = self._failing(code), list[Run]()
            for one in islice(failing, _BROKEN):
                met.append(one)
                kind = one.error.type if isinstance(one.error, StudentError) else type(one.error).__name__
                if kind not in _BREAKS:
                    yield self.cost("misconception", name, code, failing=chain(met, failing))
                    return
            is_broken = is_broken or bool(met)
        if not is_broken:
            yield self.cost("misconception", name, codes[0], failing=())

    def mistake(self, name: str, one: Mistake, sets: Sequence[int], failed: Sequence[Run]) -> Cost:
        """Return what an author's mistake costs, and which tests it fails with some sets of inputs only."""
        cells, found = self._exercise.variant(one.code), [failed]
        for number in sets[1:]:
            inputs = numbered_inputs(SECRET, self._exercise.name, number)
            found.append([*failed_runs(self._suite, cells, inputs, self._tests)])
        times = Counter(run.test for failed in found for run in failed)
        sometimes = tuple(
            f'fails "{test.title}" ({test.function}) with {times[test]} of {len(sets)} sets of hidden inputs'
            for test in self._tests
            if 0 < times[test] < len(sets)
        )
        cost = self.cost("mistake", name, one.code, str(one.path), failing=failed, most=1.0)
        return replace(cost, sometimes=sometimes)

    def cost(
        self,
        kind: str,
        name: str,
        code: str,
        place: str = "",
        failing: Iterable[Run] | None = None,
        *,
        most: float = 0.0,
    ) -> Cost:
        """Return what an answer costs with the first set of hidden inputs, or that it costs at least so much.

        Unless something is asked for, the first failed test is enough where the visible check fails: that
        saves most of the time.
        """
        is_seen = not most and self._is_seen(code)
        enough = 0.0 if is_seen else most or 1.0
        share, failed = 0.0, set[HiddenTest]()
        for run in self._failing(code) if failing is None else failing:
            failed.add(run.test)
            share = 1 - kept_share(self._tests, failed)
            if share >= enough:
                break
        is_green = share > QUARTER + _NOISE and not (self._is_seen(code) if most else is_seen)
        fails = dict.fromkeys(test.function for test in self._tests if test in failed)
        return Cost(self._question, kind, name, share, is_green, place, tuple(fails))

    def _failing(self, code: str) -> Iterator[Run]:
        return self._trial.failing(self._exercise.variant(code))

    def _is_seen(self, code: str) -> bool:
        """Whether the visible check fails, or there is none."""
        return self._check is None or check_error(self._check, self._exercise.variant(code)) is not None


def _unseen(
    suite: Suite, costs: Sequence[Cost], declared: Sequence[Equivalent], share: float
) -> Iterator[str]:
    """Yield the misconceptions that no test sees, if these are too many, and needless declarations."""
    made = {(one.question, one.mistake): one.share for one in costs if one.kind == "misconception"}
    places = {(one.question, one.misconception): one.place for one in declared if one.misconception}
    counted = {key: lost for key, lost in made.items() if lost or key not in places}
    unseen = [key for key, lost in counted.items() if not lost]
    for question, name in unseen if len(unseen) > (1 - share) * len(counted) else ():
        fix = f"no test of {question} fails; add one, or declare it in {REASONS}"
        yield f"{suite.exercise.suite}: {question}__{name} changes a right answer, and {fix}"
    for (question, name), place in places.items():
        if made.get((question, name), 1):
            yield f"{place}: {name} fails a hidden test or fits no right answer; take it out"


def _green(exercise: Exercise, costs: Sequence[Cost], declared: Sequence[Equivalent]) -> Iterator[str]:
    """Yield the mistakes that cost much and that no visible check sees, but for those that have a reason."""
    reasons = {(one.question, one.green): one.place for one in declared if one.green}
    found = {(one.question, one.mistake): one for one in costs if one.is_green}
    fix = f"let that fail too, weigh failed tests less, or give a reason in {REASONS}"
    for key, one in found.items():
        if key not in reasons:
            yield f"{one.place or exercise.source}: {one}, but the visible check passes; {fix}"
    for (question, green), place in reasons.items():
        if (question, green) not in found:
            yield f"{place}: the check of {question} sees {green}, or it costs little; take this out"


def _kept(suite: Suite, costs: Sequence[Cost]) -> Iterator[str]:
    """Yield the answers that do almost nothing and keep more than a quarter, with what they pass."""
    for one in costs:
        if one.kind == "almost nothing" and one.share < 1 - QUARTER - _NOISE:
            functions = dict.fromkeys(test.function for test in suite.of(one.question))
            passed = ", ".join(name for name in functions if name not in one.fails)
            kept = f"{one.question}: an answer that {one.mistake} keeps {_percent(1 - one.share)}"
            yield f"{suite.exercise.suite}: {kept}; let these tests ask for more, or weigh less: {passed}"


def check_error(check: str, cells: tuple[str, ...]) -> BaseException | None:
    """Run a visible check after these trusted cells, with the same seed each time; return what it raises."""
    with silence(), warnings.catch_warnings(), drawing(0, by_torch=True):
        warnings.simplefilter("ignore")
        try:
            variables = run_code(cells).variables
            exec(compile(check, "visible check", "exec"), variables)  # noqa: S102 - the course's own code
        except (Exception, SystemExit) as error:
            return error
    return None


def _percent(share: float) -> str:
    return f"{round(100 * share)} %"
