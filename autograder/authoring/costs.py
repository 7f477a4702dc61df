"""Measures which share of a question's points wrong answers keep, and checks the rules for these shares.

- What is wrong costs something: nearly all misconceptions of the catalogue fail a test.
- An answer with wrong results, which fails a basic test, keeps at most half. That follows from the points.
- A trivial answer, which does next to no work, keeps at most a quarter.
- A corner costs between 3 and 25 %: a single mistake that leaves the results right.
- Green means nearly right: what passes the visible check loses at most a quarter.
- The same answer fails the same tests, whichever set of hidden inputs it gets.
"""

import ast
import math
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from textwrap import indent

from autograder.authoring.strength import Declared, read_declared
from autograder.authoring.trials import (
    MOST,
    SECRET,
    OutOfTimeError,
    Trial,
    clock,
    failed_runs,
    met,
    time_limit,
)
from autograder.course.answers import MISTAKES, Answer
from autograder.course.exercise import Exercise, beside_handout
from autograder.course.names import of_mistake
from autograder.diagnosis.code import attributes_of
from autograder.diagnosis.known import known_mistakes
from autograder.diagnosis.misconceptions import load_catalogue
from autograder.diagnosis.wrong import Answers
from autograder.grading.outcomes import kept_share
from autograder.testing.exchange import StudentError
from autograder.testing.inputs import drawing, numbered_inputs
from autograder.testing.suite import HiddenTest, Run, Suite
from autograder.worker.namespace import run_code, silence

_ZEROS = """
import contextlib, copy, io
def _quiet_(function, *arguments):
    with contextlib.redirect_stdout(io.StringIO()):
        return function(*copy.deepcopy(arguments))
def _zeros_(result):
    if hasattr(result, "new_zeros"):
        return result.new_zeros(result.shape)
    if isinstance(result, (tuple, list)):
        return type(result)(_zeros_(one) for one in result)
    is_array = type(result).__name__ == "ndarray"
    return result * 0 if is_array else None if result is None else type(result)()
"""
_TRIVIAL = {  # what an answer does, and how; {x} is an argument, and {result} the right result
    "returns zeros": "return _zeros_({result})",
    "returns a copy of {x}": "return {x}.clone() if hasattr({x}, 'clone') else {x}",
    "returns the mean of {x}": "return {x}.mean(dim=-2, keepdim=True).expand_as({result})",
}


def trivial_answers(exercise: Exercise, question: str) -> Iterator[tuple[str, str]]:
    """Yield trivial answers to a question: a short description and the code of each.

    A function, or a class's `forward`, returns zeros, an argument or a mean. A `forward` also returns the
    output of one layer. The right answer stands above; it only lends its layers and the form of its result.
    """
    solution = exercise.solutions[question]
    for node in ast.parse(solution).body:
        match node:
            case ast.FunctionDef(name=name) if name == question:
                above, answers = f"_right_ = {name}\n", _trivial(node, "_right_")
            case ast.ClassDef(name=name) if name == question:
                above, answers = f"class {name}({name}):\n", _trivial_methods(node)
            case _:
                continue
        yield from ((does, f"{solution}\n{_ZEROS}\n{above}{code}\n") for does, code in answers)


def _trivial_methods(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """Yield what `forward` may do instead of its work, and the method."""
    methods = (one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "forward")
    if (forward := next(methods, None)) is None:
        return
    for does, code in _trivial(forward, "super().forward"):
        yield f"forward {does}", indent(code, "    ")
    x = forward.args.args[1].arg
    for layer in attributes_of(node):
        call = f"self.{layer}({x})"
        if ast.unparse(forward.body[-1]) != f"return {call}":  # where more than that is asked for
            body = f"return {call} if callable(self.{layer}) else {x} @ self.{layer}"
            yield f"forward returns {layer} of {x}", indent(_method(forward, body), "    ")


def _trivial(function: ast.FunctionDef, right: str) -> Iterator[tuple[str, str]]:
    """Yield what a function may do instead of its work.

    A call of the `right` one changes no argument and prints nothing.
    """
    names = [argument.arg for argument in function.args.args if argument.arg != "self"]
    result = f"_quiet_({', '.join([right, *names])})"
    for does, body in _TRIVIAL.items():
        for x in names if "{x}" in does else [""]:
            yield does.format(x=x), _method(function, body.format(x=x, result=result))


def _method(function: ast.FunctionDef, body: str) -> str:
    return f"def {function.name}({ast.unparse(function.args)}):\n    {body}"


QUARTER, LEAST_COST = 0.25, 0.03  # of a question's points
_NOISE = 1e-9
_WAYS = 3  # to make one misconception that are tried until one fails
_BROKEN = 3  # failed tests in a row that show broken code only
# An answer that fails by these alone was only broken by a rule; nobody would hand that in.
_BREAKS = {"NameError", "UnboundLocalError", "AttributeError", "TypeError", "ValueError"}
CLASSES = ("results wrong", "corner", "trivial")


@dataclass(frozen=True, slots=True)
class Cost:
    """What a wrong answer costs of its question, and whether its visible check passes."""

    question: str
    kind: str  # misconception, mistake, trivial
    mistake: str
    kept: float  # the share of its question's points that it keeps, or an upper bound
    results_wrong: bool = False  # whether a basic test fails
    most: float = QUARTER  # the share that a corner may cost: that of one test, where a question has few
    is_green: bool = False  # whether the visible check passes
    place: str = ""  # the author's file, where there is one
    fails: tuple[str, ...] = ()  # the functions of the tests that fail
    changed: str = ""  # the lines that a misconception has made of a right answer's
    sometimes: tuple[str, ...] = ()  # which tests fail with some sets of hidden inputs only

    @property
    def group(self) -> str:
        """One of CLASSES."""
        return "trivial" if self.kind == "trivial" else CLASSES[0 if self.results_wrong else 1]

    @property
    def distance(self) -> float:
        """How far the share is from what the rules allow; 0 where they allow it."""
        lost = 1 - self.kept
        if self.kind == "trivial":
            return max(self.kept - QUARTER, 0.0)
        if self.results_wrong:
            return max(lost - QUARTER, 0.0) if self.is_green else 0.0
        if not lost:  # no test sees it, for which there is another rule
            return 0.0
        most = 1.0 if "__" in self.mistake and not self.is_green else self.most  # two mistakes: two corners
        return max(lost - most, LEAST_COST - lost, 0.0)

    def __str__(self) -> str:
        kept = f"keeps {_percent(self.kept)}"
        if self.kind == "trivial":
            return f"{self.question}: an answer that {self.mistake} {kept}"
        code = f' (with "{self.changed}")' if self.changed else ""
        return f"{self.question}: {self.kind} {self.mistake}{code} {kept}"


@dataclass(frozen=True, slots=True)
class Costs:
    """How many misconceptions fit an exercise and fail a test, and what its author must change."""

    misconceptions: int = 0
    failing: int = 0
    fitting: frozenset[str] = frozenset()  # the catalogue's rules that change a right answer
    findings: tuple[str, ...] = ()
    harmless: tuple[str, ...] = ()  # misconceptions that change a right answer, and it stays right
    wrong: tuple[Cost, ...] = ()  # each wrong answer that fails a test
    sentences: tuple[tuple[str, str], ...] = ()  # of the catalogue, each with a question where it may appear

    def __str__(self) -> str:
        counts = f"{self.failing} of {self.misconceptions} misconceptions fail a test"
        return counts if self.misconceptions else ""

    def shares(self) -> Iterator[str]:
        """Yield, for each class of wrong answers, how many keep up to each tenth of the points."""
        for group in CLASSES:
            kept = [one.kept for one in self.wrong if one.group == group]
            tenths = Counter(math.ceil(round(10 * share, 6)) for share in kept)
            counts = " ".join(f"{tenths[tenth]:4}" for tenth in range(11))
            yield f"{group:14} {len(kept):4} answers, by tenths of the points kept: {counts}"
        for one in sorted(self.wrong, key=lambda one: -one.distance)[:_FURTHEST]:
            if one.distance:
                yield f"{one}; it fails {', '.join(one.fails)}"


_FURTHEST = 20  # answers that are listed


def wrong_answers(
    suite: Suite,
    checks: Mapping[str, str],
    sets: int,
    made: Mapping[str, Answers],
    failed: Mapping[Answer, Sequence[Run]],
    *,
    whole: bool = False,
) -> Iterator[Cost]:
    """Run each wrong answer on the hidden tests of its question, and on its visible check.

    `checks` are the visible checks that the reference passes, by question, and `made` is what the catalogue
    makes of its right answers. The known mistakes run on several `sets` of hidden inputs; what they fail
    with the first is `failed`. Unless `whole` asks for all tests, the first failed basic test is enough where
    the visible check fails, too.
    """
    exercise = suite.exercise
    for question in exercise.points:
        bench = _Bench(suite, question, checks.get(question), whole=whole)
        yield from bench.misconceptions(made[question])
        for number, one in enumerate(known_mistakes(exercise)):
            if one.question == question:
                yield bench.mistake(one, met(sets, number), failed[one])
        for does, code in trivial_answers(exercise, question):
            yield bench.cost("trivial", does, code)


def measure(
    suite: Suite,
    checks: Mapping[str, str],
    sets: int,
    share: float,
    failed: Mapping[Answer, Sequence[Run]],
    *,
    whole: bool = False,
) -> Costs:
    """Find the `wrong_answers` that cost too much or too little.

    Of the misconceptions at least this `share` must fail a test.
    """
    catalogue, declared = load_catalogue(suite.exercise.catalogue), read_declared(suite.exercise)
    made = {question: Answers(suite.exercise, catalogue, question) for question in suite.exercise.points}
    costs = list(wrong_answers(suite, checks, sets, made, failed, whole=whole))
    findings = [
        f"{one.place}: {line}; let all inputs show it, or none" for one in costs for line in one.sometimes
    ]
    findings += [*_unseen(suite, costs, declared, share), *_outside(suite, costs, declared)]
    single = [one for one in costs if one.kind == "misconception"]
    harmless = tuple(f"{one.question}__{one.mistake}" for one in single if not one.fails)
    fitting = frozenset[str]().union(*(answers.fitting for answers in made.values()))
    failing = len(single) - len(harmless)
    wrong = tuple(one for one in costs if one.fails)
    sentences = tuple((name, question) for question, one in made.items() for name in sorted(one.sentences))
    return Costs(len(single), failing, fitting, tuple(findings), harmless, wrong, sentences)


def cost_of(suite: Suite, answer: Answer, check: str | None) -> Cost:
    """Return what a wrong answer costs, whose question has this visible check."""
    bench = _Bench(suite, answer.question, check, whole=False)
    return bench.cost("wrong answer", of_mistake(answer.name)[1], answer.code, answer.place)


class _Bench:
    """Runs wrong answers to one question."""

    def __init__(self, suite: Suite, question: str, check: str | None, *, whole: bool) -> None:
        self._exercise, self._question, self._check = suite.exercise, question, check
        self._whole = whole
        self._tests = suite.of(question)
        self._others = sum(not test.basic for test in self._tests) or 1  # tests that share the other half
        self._suite, self._trial = suite, Trial(suite, question)

    def misconceptions(self, answers: Answers) -> Iterator[Cost]:
        """Yield what each misconception costs that fits the question."""
        ways = defaultdict[str, list[str]](list)
        for answer in answers.wrong:
            ways[answer.misconception.name].append(answer.code)
        right = {line.strip() for code in answers.right for line in code.split("\n")}
        for name, codes in ways.items():
            for code, cost in self._misconception(name, codes[:_WAYS]):
                lines = (line.strip() for line in code.split("\n"))
                yield replace(cost, changed=" ".join(line for line in lines if line not in right))

    def _misconception(self, name: str, codes: Sequence[str]) -> Iterator[tuple[str, Cost]]:
        """Yield the first way that fails a test and what it costs; nothing if rules only broke the code."""
        is_broken = False
        for code in codes:
            failing, met = self._failing(code), list[Run]()
            for one in islice(failing, _BROKEN):
                met.append(one)
                kind = one.error.type if isinstance(one.error, StudentError) else type(one.error).__name__
                if kind not in _BREAKS:
                    yield code, self.cost("misconception", name, code, failing=chain(met, failing))
                    return
            is_broken = is_broken or bool(met)
        if not is_broken:
            yield codes[0], self.cost("misconception", name, codes[0], failing=())

    def mistake(self, one: Answer, sets: Sequence[int], failed: Sequence[Run]) -> Cost:
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
        cost = self.cost("mistake", of_mistake(one.name)[1], one.code, one.place, failing=failed)
        return replace(cost, sometimes=sometimes)

    def cost(
        self, kind: str, name: str, code: str, place: str = "", failing: Iterable[Run] | None = None
    ) -> Cost:
        """Return what an answer costs with the first set of hidden inputs."""
        is_green, failed = not self._is_seen(code), set[HiddenTest]()
        for run in self._failing(code) if failing is None else failing:
            failed.add(run.test)
            if kind == "misconception" and run.test.basic and not is_green and not self._whole:
                break  # its results are wrong, and the check says so: an upper bound of its share is enough
        fails = dict.fromkeys(test.function for test in self._tests if test in failed)
        wrong = any(test.basic for test in failed)
        kept, most = kept_share(self._tests, failed), max(QUARTER, 0.5 / self._others)
        return Cost(self._question, kind, name, kept, wrong, most, is_green, place, tuple(fails))

    def _failing(self, code: str) -> Iterator[Run]:
        return self._trial.failing(self._exercise.variant(code))

    def _is_seen(self, code: str) -> bool:
        """Whether the visible check fails, or there is none."""
        with beside_handout(self._exercise):
            cells = self._exercise.variant(code)
            return self._check is None or check_error(self._check, cells, self._check_limit) is not None

    @cached_property
    def _check_limit(self) -> float:
        """The processor seconds after which the visible check counts as endless."""
        check = self._check
        return MOST if check is None else time_limit(lambda: check_error(check, self._exercise.reference))


def _unseen(suite: Suite, costs: Sequence[Cost], declared: Sequence[Declared], share: float) -> Iterator[str]:
    """Yield the misconceptions that no test sees, if these are too many, and needless declarations."""
    fails = {(one.question, one.mistake): one.fails for one in costs if one.kind == "misconception"}
    places = {(one.question, one.text): one.place for one in declared if one.kind == "misconceptions"}
    counted = {key: failed for key, failed in fails.items() if failed or key not in places}
    unseen = [key for key, failed in counted.items() if not failed]
    for question, name in unseen if len(unseen) > (1 - share) * len(counted) else ():
        fix = f"no test of {question} fails; add one, or declare an exception in {MISTAKES}"
        yield f"{suite.exercise.suite}: {question}__{name} changes a right answer, and {fix}"
    for (question, name), place in places.items():
        if fails.get((question, name), ("",)):
            yield f"{place}: {name} fails a hidden test or fits no right answer; take it out"


def _outside(suite: Suite, costs: Sequence[Cost], declared: Sequence[Declared]) -> Iterator[str]:
    """Yield the answers whose share the rules do not allow, but for those that have a reason."""
    reasons = {(one.question, one.text): one.place for one in declared if one.kind == "shares"}
    outside = {(one.question, one.mistake): one for one in costs if one.distance > _NOISE}
    for key, one in outside.items():
        if key not in reasons:
            yield f"{one.place or suite.exercise.suite}: {one}{_reason(suite, one)}"
    for (question, name), place in reasons.items():
        if (question, name) not in outside:
            yield f"{place}: the rules allow the share that {name} of {question} keeps; take this out"


def _reason(suite: Suite, one: Cost) -> str:
    """Return why the rules do not allow the share that an answer keeps, and what its author can change."""
    fix = f"or give a reason in {MISTAKES}"
    functions = dict.fromkeys(test.function for test in suite.of(one.question))
    if one.kind == "trivial":
        passed = ", ".join(name for name in functions if name not in one.fails)
        return f"; let these tests ask for more, or mark them with needs_results: {passed}"
    if one.is_green and 1 - one.kept > one.most:
        return f", but the visible check passes; let that fail too, {fix}. It fails {', '.join(one.fails)}"
    return f", although its results are right; let fewer or more tests see it, {fix}: {', '.join(one.fails)}"


def check_error(check: str, cells: tuple[str, ...], limit: float = MOST) -> BaseException | None:
    """Run a visible check after these trusted cells, with the same seed each time; return what it raises.

    After `limit` seconds of processor time it counts as endless.
    """
    with clock(limit), silence(), warnings.catch_warnings(), drawing(0, by_torch=True):
        warnings.simplefilter("ignore")
        try:
            variables = run_code(cells).variables
            exec(compile(check, "visible check", "exec"), variables)  # noqa: S102 - the course's own code
        except (Exception, SystemExit, OutOfTimeError) as error:
            return error
    return None


def _percent(share: float) -> str:
    return f"{round(100 * share)} %"
