"""Measures which share of a question's points each wrong answer keeps, and checks these shares.

A misconception is a typical mistake in the course's catalogue. Its rules rewrite right answers as wrong ones.
Basic tests check results on ordinary inputs. The rules:

- Nearly all misconceptions must fail a hidden test.
- An answer that fails a basic test keeps at most half of the points. This follows from how a question's
  points are divided among its tests.
- A trivial answer, which does next to no work, may keep at most a quarter.
- A corner mistake (it passes all basic tests, but fails another test) must cost between 3 and 25 % of the
  points. If the question has few tests, one failed test may cost more.
- A misconception or a known mistake that fails a basic test must also fail the visible check.
- A known mistake must fail the same tests with each random set of hidden inputs.

An author can declare exceptions to these rules in mistakes.py.
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
    input_sets_for_answer,
    time_limit,
)
from autograder.course.answers import MISTAKES, Answer
from autograder.course.exercise import Exercise, in_handout_folder
from autograder.course.names import of_mistake
from autograder.diagnosis.code import attributes_of
from autograder.diagnosis.known import known_mistakes
from autograder.diagnosis.misconceptions import load_catalogue
from autograder.diagnosis.wrong import Answers
from autograder.grading.outcomes import kept_share
from autograder.testing.exchange import StudentError
from autograder.testing.inputs import numbered_inputs, temporary_seed
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
        return type(result)(_zeros_(item) for item in result)
    is_array = type(result).__name__ == "ndarray"
    return result * 0 if is_array else None if result is None else type(result)()
"""
_TRIVIAL = {  # bodies of trivial functions, by description; {x} is an argument, {result} the right result
    "returns zeros": "return _zeros_({result})",
    "returns a copy of {x}": "return {x}.clone() if hasattr({x}, 'clone') else {x}",
    "returns the mean of {x}": "return {x}.mean(dim=-2, keepdim=True).expand_as({result})",
}


def trivial_answers(exercise: Exercise, question: str) -> Iterator[tuple[str, str]]:
    """Yield trivial answers to a question: a short description and the code of each.

    The function, or the method `forward` of the class, returns zeros, an argument or its mean. `forward` may
    also return the output of one layer. The code begins with the solution, because trivial answers use the
    solution's layers and the shape of the right result.
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
    """Yield trivial versions of `forward`: a short description and the code of each."""
    methods = (part for part in node.body if isinstance(part, ast.FunctionDef))
    if (forward := next((method for method in methods if method.name == "forward"), None)) is None:
        return
    for does, code in _trivial(forward, "super().forward"):
        yield f"forward {does}", indent(code, "    ")
    x = forward.args.args[1].arg
    for layer in attributes_of(node):
        call = f"self.{layer}({x})"
        if ast.unparse(forward.body[-1]) != f"return {call}":  # skip a version that equals the solution
            body = f"return {call} if callable(self.{layer}) else {x} @ self.{layer}"
            yield f"forward returns {layer} of {x}", indent(_method(forward, body), "    ")


def _trivial(function: ast.FunctionDef, right: str) -> Iterator[tuple[str, str]]:
    """Yield trivial versions of a function: a short description and the code of each.

    `right` is an expression for the right function. Some versions call the right function, with
    copies of the arguments, to learn the shape of the result.
    """
    names = [argument.arg for argument in function.args.args if argument.arg != "self"]
    result = f"_quiet_({', '.join([right, *names])})"
    for does, body in _TRIVIAL.items():
        for x in names if "{x}" in does else [""]:
            yield does.format(x=x), _method(function, body.format(x=x, result=result))


def _method(function: ast.FunctionDef, body: str) -> str:
    return f"def {function.name}({ast.unparse(function.args)}):\n    {body}"


QUARTER, LEAST_COST = 0.25, 0.03  # the shares of a question's points in the rules above
_NOISE = 1e-9  # the largest rounding error of a share
_VARIANTS = 3  # the largest number of wrong answers tried for each misconception
# An answer counts as broken if each of the first _BROKEN tests that it fails raises an error in _BROKEN_CODE.
# No student would submit a broken answer, so broken answers are not measured.
_BROKEN = 3
_BROKEN_CODE = {"NameError", "UnboundLocalError", "AttributeError", "TypeError", "ValueError"}
GROUPS = ("results wrong", "corner", "trivial")


@dataclass(frozen=True, slots=True)
class Cost:
    """The share of a question's points that a wrong answer keeps, and the tests that it fails."""

    question: str
    kind: str  # one of "misconception", "mistake", "trivial", "wrong answer"
    mistake: str  # the name of the mistake, or what a trivial answer does
    kept: float  # the share of the points that the answer keeps; an upper bound if not all tests ran
    results_wrong: bool = False  # whether a basic test fails
    most: float = QUARTER  # the largest share of the points that a corner mistake may cost
    is_green: bool = False  # whether the visible check passes
    place: str = ""  # file and line of an author's answer
    fails: tuple[str, ...] = ()  # names of the functions of the failed tests
    changed: str = ""  # for a misconception: the lines of the wrong answer that are in no right answer
    intermittent: tuple[str, ...] = ()  # a message on each test that fails with only some sets of inputs

    @property
    def group(self) -> str:
        """The item of GROUPS to which the wrong answer belongs."""
        return "trivial" if self.kind == "trivial" else GROUPS[0 if self.results_wrong else 1]

    @property
    def distance(self) -> float:
        """The distance of the share from the range that the rules allow."""
        lost = 1 - self.kept
        if self.kind == "trivial":
            return max(self.kept - QUARTER, 0.0)
        if self.results_wrong:
            return max(lost - QUARTER, 0.0) if self.is_green else 0.0
        if not lost:  # all tests pass; `_needed_tests` reports such answers
            return 0.0
        # An answer with "__" in its name combines two mistakes, so it may cost more.
        most = 1.0 if "__" in self.mistake and not self.is_green else self.most
        return max(lost - most, LEAST_COST - lost, 0.0)

    def __str__(self) -> str:
        kept = f"gets {round(100 * self.kept)} % of the points"
        if self.kind == "trivial":
            return f"{self.question}: an answer that {self.mistake} {kept}"
        code = f' (with "{self.changed}")' if self.changed else ""
        return f'{self.question}: the {self.kind} "{self.mistake}"{code} {kept}'


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of all wrong answers to an exercise."""

    misconceptions: int = 0  # number of misconceptions that change a right answer into code that runs
    failing: int = 0  # number of such misconceptions that fail a test
    fitting: frozenset[str] = frozenset()  # texts of the misconceptions' rules that change a right answer
    findings: tuple[str, ...] = ()  # messages on what the author must change
    harmless: tuple[str, ...] = ()  # misconceptions that change a right answer and pass all tests
    wrong: tuple[Cost, ...] = ()  # each wrong answer that fails a test
    # Pairs: the name of a catalogue's entry, and a question whose reports can contain the entry's sentence.
    sentences: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        counts = f"the tests catch {self.failing} of {self.misconceptions} misconceptions"
        return counts if self.misconceptions else ""

    def shares(self) -> Iterator[str]:
        """Yield a line for each group: the numbers of wrong answers that keep 0 %, up to 10 %, up to 20 % ...

        Then yield the answers whose shares are furthest outside the allowed range.
        """
        for group in GROUPS:
            kept = [cost.kept for cost in self.wrong if cost.group == group]
            tenths = Counter(math.ceil(round(10 * share, 6)) for share in kept)
            counts = " ".join(f"{tenths[tenth]:4}" for tenth in range(11))
            head = f"{group:14} {len(kept):4} answers; how many get 0 %, up to 10 %, ... 100 % of the points"
            yield f"{head}: {counts}"
        for cost in sorted(self.wrong, key=lambda cost: -cost.distance)[:_FURTHEST]:
            if cost.distance:
                yield f"{cost}; it fails {', '.join(cost.fails)}"


_FURTHEST = 20  # the largest number of answers that `verify --shares` lists


def wrong_answers(
    suite: Suite,
    checks: Mapping[str, str],
    sets: int,
    catalogued: Mapping[str, Answers],
    failed: Mapping[Answer, Sequence[Run]],
    *,
    whole: bool = False,
) -> Iterator[Cost]:
    """Run the hidden tests and the visible check on each wrong answer, and yield its cost.

    - `checks`: the visible check of each question, if the reference passes the check
    - `sets`: the number of sets of hidden inputs on which each known mistake runs
    - `catalogued`: the right answers to each question, and the wrong answers that misconceptions make
    - `failed`: for each known mistake, the runs of the tests that it fails on the first set
    - `whole`: whether all tests run on every answer. By default, if a misconception fails the visible check,
      its tests stop at the first basic test that fails.
    """
    exercise = suite.exercise
    for question in exercise.points:
        meter = _CostMeter(suite, question, checks.get(question), whole=whole)
        yield from meter.misconceptions(catalogued[question])
        for number, mistake in enumerate(known_mistakes(exercise)):
            if mistake.question == question:
                yield meter.mistake(mistake, input_sets_for_answer(sets, number), failed[mistake])
        for does, code in trivial_answers(exercise, question):
            yield meter.cost("trivial", does, code)


def measure(
    suite: Suite,
    checks: Mapping[str, str],
    sets: int,
    share: float,
    failed: Mapping[Answer, Sequence[Run]],
    *,
    whole: bool = False,
) -> Costs:
    """Return the costs of all `wrong_answers`, with findings on answers that break the rules.

    At least the fraction `share` of the misconceptions must fail a test.
    """
    exercise = suite.exercise
    catalogue, declared = load_catalogue(exercise.catalogue), read_declared(exercise)
    catalogued = {question: Answers(exercise, catalogue, question) for question in exercise.points}
    costs = list(wrong_answers(suite, checks, sets, catalogued, failed, whole=whole))
    fix = "change the test so that its result is the same with every set of inputs"
    findings = [f"{cost.place}: {message}; {fix}" for cost in costs for message in cost.intermittent]
    findings += [*_needed_tests(suite, costs, declared, share), *_shares_outside(suite, costs, declared)]
    single = [cost for cost in costs if cost.kind == "misconception"]
    harmless = tuple(f"{cost.question}__{cost.mistake}" for cost in single if not cost.fails)
    fitting = frozenset[str]().union(*(answers.fitting for answers in catalogued.values()))
    failing = len(single) - len(harmless)
    wrong = tuple(cost for cost in costs if cost.fails)
    sentences = [
        (name, question) for question, answers in catalogued.items() for name in sorted(answers.sentences)
    ]
    return Costs(len(single), failing, fitting, tuple(findings), harmless, wrong, tuple(sentences))


def cost_of(suite: Suite, answer: Answer, check: str | None) -> Cost:
    """Return the cost of a wrong answer. `check` is the visible check of its question."""
    meter = _CostMeter(suite, answer.question, check, whole=False)
    return meter.cost("wrong answer", of_mistake(answer.name)[1], answer.code, answer.place)


class _CostMeter:
    """Measures the costs of wrong answers to one question."""

    def __init__(self, suite: Suite, question: str, check: str | None, *, whole: bool) -> None:
        self._exercise, self._question, self._check = suite.exercise, question, check
        self._whole = whole
        self._tests = suite.of(question)
        # The number of tests that are not basic; at least 1, because it is a divisor.
        self._other_tests = sum(not test.basic for test in self._tests) or 1
        self._suite, self._trial = suite, Trial(suite, question)

    def misconceptions(self, answers: Answers) -> Iterator[Cost]:
        """Yield the cost of each misconception that changes a right answer into code that is not broken."""
        codes_by_name = defaultdict[str, list[str]](list)
        for answer in answers.wrong:
            codes_by_name[answer.misconception.name].append(answer.code)
        right = {line.strip() for code in answers.right for line in code.split("\n")}
        for name, codes in codes_by_name.items():
            for code, cost in self._misconception(name, codes[:_VARIANTS]):
                lines = (line.strip() for line in code.split("\n"))
                yield replace(cost, changed=" ".join(line for line in lines if line not in right))

    def _misconception(self, name: str, codes: Sequence[str]) -> Iterator[tuple[str, Cost]]:
        """Yield the first of these wrong answers that fails a test and is not broken, with its cost.

        If all answers pass all tests, yield the first answer. If only broken answers fail, yield nothing.
        """
        is_broken = False
        for code in codes:
            failing, first_runs = self._failing(code), list[Run]()
            for run in islice(failing, _BROKEN):
                first_runs.append(run)
                kind = run.error.type if isinstance(run.error, StudentError) else type(run.error).__name__
                if kind not in _BROKEN_CODE:
                    yield code, self.cost("misconception", name, code, failing=chain(first_runs, failing))
                    return
            is_broken = is_broken or bool(first_runs)
        if not is_broken:
            yield codes[0], self.cost("misconception", name, codes[0], failing=())

    def mistake(self, mistake: Answer, sets: Sequence[int], failed: Sequence[Run]) -> Cost:
        """Return the cost of a known mistake, with messages on tests that fail with only some sets of inputs.

        `failed` are the runs of the tests that the mistake fails on the first set.
        """
        cells, failed_by_set = self._exercise.variant(mistake.code), [failed]
        for number in sets[1:]:
            inputs = numbered_inputs(SECRET, self._exercise.name, number)
            failed_by_set.append([*failed_runs(self._suite, cells, inputs, self._tests)])
        times = Counter(run.test for runs in failed_by_set for run in runs)
        intermittent = tuple(
            f'fails "{test.title}" ({test.function}) with only {times[test]} of {len(sets)} sets of inputs'
            for test in self._tests
            if 0 < times[test] < len(sets)
        )
        name = of_mistake(mistake.name)[1]
        cost = self.cost("mistake", name, mistake.code, mistake.place, failing=failed)
        return replace(cost, intermittent=intermittent)

    def cost(
        self, kind: str, name: str, code: str, place: str = "", failing: Iterable[Run] | None = None
    ) -> Cost:
        """Return the cost of an answer on the first set of hidden inputs.

        `failing` are the runs of the tests that the answer fails. If it is None, the tests run now.
        """
        is_green, failed = not self._fails_check(code), set[HiddenTest]()
        for run in self._failing(code) if failing is None else failing:
            failed.add(run.test)
            if kind == "misconception" and run.test.basic and not is_green and not self._whole:
                break  # the answer loses half of the points, which is enough
        fails = dict.fromkeys(test.function for test in self._tests if test in failed)
        wrong = any(test.basic for test in failed)
        kept, most = kept_share(self._tests, failed), max(QUARTER, 0.5 / self._other_tests)
        return Cost(self._question, kind, name, kept, wrong, most, is_green, place, tuple(fails))

    def _failing(self, code: str) -> Iterator[Run]:
        return self._trial.failing(self._exercise.variant(code))

    def _fails_check(self, code: str) -> bool:
        """Whether the answer fails the visible check; True if there is no check."""
        with in_handout_folder(self._exercise):
            cells = self._exercise.variant(code)
            return self._check is None or check_error(self._check, cells, self._check_limit) is not None

    @cached_property
    def _check_limit(self) -> float:
        """The processor seconds after which the visible check is stopped."""
        check = self._check
        return MOST if check is None else time_limit(lambda: check_error(check, self._exercise.reference))


def _needed_tests(
    suite: Suite, costs: Sequence[Cost], declared: Sequence[Declared], share: float
) -> Iterator[str]:
    """If too many misconceptions pass all tests, yield a finding for each of them.

    Also yield a finding for each misconception in `declared` that needs no exception.
    """
    fails = {(cost.question, cost.mistake): cost.fails for cost in costs if cost.kind == "misconception"}
    places = {(each.question, each.text): each.place for each in declared if each.kind == "misconceptions"}
    counted = {key: failed for key, failed in fails.items() if failed or key not in places}
    unseen = [key for key, failed in counted.items() if not failed]
    for question, name in unseen if len(unseen) > (1 - share) * len(counted) else ():
        fix = f"add a test, or declare an exception in {MISTAKES}"
        problem = f"a right answer to {question}, changed by the misconception {name}, passes all tests"
        yield f"{suite.exercise.suite}: {problem}; {fix}"
    for (question, name), place in places.items():
        if fails.get((question, name), ("",)):
            problem = f"a test catches {name}, or its rules change no right answer"
            yield f"{place}: {problem}; delete this exception, which is not needed"


def _shares_outside(suite: Suite, costs: Sequence[Cost], declared: Sequence[Declared]) -> Iterator[str]:
    """Yield a finding for each answer whose share breaks the rules, except those in `declared`.

    Also yield a finding for each answer in `declared` that needs no exception.
    """
    reasons = {(each.question, each.text): each.place for each in declared if each.kind == "shares"}
    outside = {(cost.question, cost.mistake): cost for cost in costs if cost.distance > _NOISE}
    for key, cost in outside.items():
        if key not in reasons:
            yield f"{cost.place or suite.exercise.suite}: {cost}{_rule_and_fix(suite, cost)}"
    for (question, name), place in reasons.items():
        if (question, name) not in outside:
            problem = f"its share of the points is allowed, or no wrong answer to {question} has this name"
            yield f'{place}: "{name}" needs no exception: {problem}; delete the exception'


def _rule_and_fix(suite: Suite, cost: Cost) -> str:
    """Return the end of a finding: why an answer's share breaks the rules, and the fix."""
    functions, fails = dict.fromkeys(test.function for test in suite.of(cost.question)), ", ".join(cost.fails)
    declaration = f'`shares = ["{cost.mistake}"]`, with the reason, below `# %% exception="{cost.question}"`'
    reason = f"or write {declaration} in {MISTAKES}"
    if cost.kind == "trivial":
        passed = ", ".join(name for name in functions if name not in cost.fails)
        return (
            f", because it passes {passed}; make these tests stricter, or mark them with needs_results=True"
        )
    if cost.is_green and (cost.results_wrong or 1 - cost.kept > cost.most):
        return (
            f" and fails {fails}, but passes the visible check; make the check fail on this answer, {reason}"
        )
    change = "fewer" if cost.kept < 1 - cost.most else "more"
    fix = f"change the weights: an answer that fails {fails} must lose {change} points"
    return f", although it passes the basic tests; {fix}, {reason}"


def check_error(check: str, cells: tuple[str, ...], limit: float = MOST) -> BaseException | None:
    """Run these trusted cells and then a visible check, with a fixed seed; return the error, or None.

    They are stopped after `limit` seconds of processor time in total.
    """
    with clock(limit), silence(), warnings.catch_warnings(), temporary_seed(0, by_torch=True):
        warnings.simplefilter("ignore")
        try:
            variables = run_code(cells).variables
            exec(compile(check, "visible check", "exec"), variables)  # noqa: S102 - the course's own code
        except (Exception, SystemExit, OutOfTimeError) as error:
            return error
    return None
