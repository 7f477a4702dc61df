"""Runs an answer and changed copies of it, asks about the outcomes, and writes sheets of questions."""

import hashlib
import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, product
from math import prod
from pathlib import Path

from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.guard import OnFailure, raise_failure, skipping
from autograder.course.names import checked_question
from autograder.errors import UsageError
from autograder.files import write_whole
from autograder.grading.session import Session
from autograder.plugins.viva.calls import RANDOM, Call, Outcome, find_calls, run, with_weights
from autograder.plugins.viva.source import Answer, UnwritableError, Variant, read_answer
from autograder.report.safe_html import load_template, render_template
from autograder.sandbox.zygote import Zygote
from autograder.submission.matching import in_exercise_form
from autograder.submission.notebook import Notebook, NotebookCell, UnreadableError
from autograder.submission.students import student_names, with_name
from autograder.testing.suite import Suite, use_one_thread

COUNT = 5
LETTERS = "abcd"
_PAGE, _EXAMINER, _ROWS = (
    Path(__file__).with_name(name) for name in ("viva.html", "examiner.html", "examiner_rows.html")
)
_CALL_SECONDS, _TOTAL_SECONDS = 1.0, 60.0
_VARIANTS = 40  # for each answer, at most this many copies with a small change are run
_ASKED = 3  # for each answer, the limit for questions about shapes, and also for questions about numbers
_CALLS = 3  # at most this many calls are tried
_CLOSE = 1e-3  # tolerance of a sum that should be 1


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its options in random order, the right option, and a note for the examiner."""

    kind: str
    answer: Answer
    call: Call
    text: str
    options: tuple[str, ...]
    right: str
    note: str = ""

    @property
    def letter(self) -> str:
        """The letter of the right option."""
        return LETTERS[self.options.index(self.right)]

    def gives_away(self, other: "Question") -> bool:
        """Whether this question says that an option of `other` makes the call fail."""
        return (self.kind, other.kind) == ("error", "input") and any(
            option in self.text for option in other.options
        )


@dataclass(frozen=True)
class Observations:
    """The outcome of a call, and its outcomes after changes of the answer or of the inputs."""

    answer: Answer
    call: Call
    rng: random.Random
    original: Outcome
    variants: Sequence[tuple[Variant, Outcome]]  # copies with a small change
    inner_results: Sequence[tuple[Variant, Outcome]]  # copies that return an intermediate result
    changed_inputs: Sequence[tuple[str, Outcome]]  # pairs: what was changed, and the outcome

    def ask(
        self, kind: str, text: str, right: str, wrong: Iterable[str], note: str = ""
    ) -> Iterator[Question]:
        """Yield a question if there is at least one wrong option."""
        wrong_options = [option for option in dict.fromkeys(wrong) if option != right]
        self.rng.shuffle(wrong_options)
        options = [right, *wrong_options[: len(LETTERS) - 1]]
        self.rng.shuffle(options)
        if wrong_options:
            yield Question(kind, self.answer, self.call, text, tuple(options), right, note)

    def ask_line(self, kind: str, text: str, right: int, note: str = "") -> Iterator[Question]:
        """Yield a question whose options are the lines at which statements of the called function begin."""
        lines = (f"line {step.lineno}" for step in self.answer.steps)
        yield from self.ask(kind, text, f"line {right}", lines, note)


@dataclass(frozen=True, slots=True)
class Sheet:
    """The questions for one student, or the reason why there are none."""

    exercise: str
    student: str
    key: str = ""  # determines the questions: a digest of the student's code and the seed
    questions: Sequence[Question] = ()
    problem: str = ""
    left_out: Sequence[str] = ()  # answers about which no question can be made, each with the reason

    def marked(self, letters: str) -> list[bool]:
        """Return, for each question in turn, whether the student's letter is right."""
        chosen = [letter for letter in letters.lower() if letter.isalnum() or letter == "-"]
        if len(chosen) != len(self.questions) or not {*chosen} <= {*LETTERS, "-"}:
            raise UsageError(f"--mark needs {len(self.questions)} letters from a to d, with - for no answer")
        return [question.letter == letter for question, letter in zip(self.questions, chosen, strict=True)]


class Examiner:
    """Makes sheets for an exercise. The process `zygote` starts the workers in which students' code runs."""

    def __init__(self, exercise: Exercise, zygote: Zygote, seed: int = 0) -> None:
        self._exercise, self._seed = exercise, seed
        self._zygote = zygote.with_files(exercise.handed_out)
        limits = exercise.settings.limits
        call, total = min(limits.call_seconds, _CALL_SECONDS), min(limits.total_seconds, _TOTAL_SECONDS)
        self._limits = limits.model_copy(update={"call_seconds": call, "total_seconds": total})
        use_one_thread(exercise)
        self._suite = Suite(exercise)

    def sheet(self, student: str, notebook: Notebook) -> Sheet:
        """Run the code of a submitted notebook, and return questions about its answers."""
        name = self._exercise.name
        try:
            exercise_cells = in_exercise_form(self._exercise.cells, notebook.cells)
        except UnreadableError as error:
            return Sheet(name, student, problem=f"the notebook cannot be read: {error}")
        cells = [cell for cell in exercise_cells if cell.kind == "code" and not checked_question(cell.name)]
        code = [cell for cell in cells if not self._exercise.needs_no_run(cell.text)]
        answers, left_out = self._answers(code)
        text = json.dumps([name, [answer.text for answer in answers], self._seed])
        key = hashlib.sha256(text.encode()).hexdigest()[:12]
        with Session(self._zygote, code, self._limits) as first:
            first.start()  # finds cells that never end or crash the worker; later sessions skip them
        open_session = partial(Session, self._zygote, code, self._limits, first.lost)
        questions = _choose_questions(self._suite, answers, open_session, key)
        problem = "" if questions else "there is no short function or class that runs on a small input"
        return Sheet(name, student, key, questions, problem, left_out)

    def _answers(self, code: Sequence[NotebookCell]) -> tuple[list[Answer], list[str]]:
        """Return the answers that can get questions, and a line about each answer that is refused."""
        answers, left_out = list[Answer](), list[str]()
        for question in self._exercise.points:
            try:
                if answer := read_answer(question, code):
                    answers.append(answer)
            except UnwritableError as error:
                left_out.append(f"{question}: no questions, because {error}")
        return answers, left_out


def write_sheet(course: Course, sheet: Sheet, *, answers: bool) -> Path:
    """Write a sheet as a page, with or without the right answers, and return the file."""
    folder = course.build / "viva" / sheet.exercise / ("with_answers" if answers else "for_students")
    return _write(folder / f"{sheet.student}.html", _PAGE, course, sheet=sheet, answers=answers)


def write_examiner_sheet(
    course: Course, exercise: Exercise, sheets: Sequence[Sheet], on_failure: OnFailure = raise_failure
) -> Path:
    """Write the right answers of a whole class on one page, and return the file."""
    path, rows = course.build / "viva" / exercise.name / "examiner.html", list[str]()
    named = partial(with_name, names=student_names(course.root))
    for sheet in sheets:
        with skipping(course, exercise.name, sheet.student, on_failure):
            rows.append(render_template(_ROWS, sheet=sheet, named=named))
    return _write(path, _EXAMINER, course, rows=rows, exercise=exercise.name)


def _write(path: Path, template: Path, course: Course, **values: object) -> Path:
    named = partial(with_name, names=student_names(course.root))
    page = load_template(template).render(title=course.settings.title, named=named, **values)
    return write_whole(path, page)


def _choose_questions(
    suite: Suite, answers: Sequence[Answer], open_session: Callable[[], Session], key: str
) -> list[Question]:
    """Return up to five questions, if possible of different kinds and about different answers."""
    candidates, chosen = list[Question](), list[Question]()
    for answer in answers:
        rng = random.Random(f"{key} {answer.name}")  # noqa: S311 - the questions depend on the key
        with open_session() as session:
            observed = _observe(suite, answer, session, key, rng)
            candidates += [question for make in _KINDS for question in make(observed)] if observed else []
    rng = random.Random(key)  # noqa: S311
    rng.shuffle(candidates)
    order = sorted({question.kind for question in candidates})
    rng.shuffle(order)  # so that no kind is preferred

    def rank(question: Question) -> tuple[int, ...]:
        kind, name = question.kind, question.answer.name
        same_kind = sum(other.kind == kind for other in chosen)
        same_answer = sum(other.answer.name == name for other in chosen)
        return same_kind, same_answer, order.index(kind), -len(question.options)

    while candidates and len(chosen) < COUNT:
        best = min(candidates, key=rank)
        rest = (question for question in candidates if question is not best)
        candidates = [q for q in rest if not (q.gives_away(best) or best.gives_away(q))]
        chosen.append(best)
    names_in_order = [answer.name for answer in answers]
    return sorted(chosen, key=lambda question: names_in_order.index(question.answer.name))


def _observe(
    suite: Suite, answer: Answer, session: Session, key: str, rng: random.Random
) -> Observations | None:
    """Return the outcomes of a small call, also with copies of the answer and with changed inputs.

    Return None if each tried call fails, cannot be shown, or gives a result that depends on the random seed.
    """
    for call in islice(find_calls(suite, answer, key), _CALLS):
        run_call = partial(run, session, answer, call)
        original = run_call()
        if original is None or original.error or not original.equals(run_call(seed=1)):
            continue
        changed_inputs = [(change, run(session, answer, changed)) for change, changed in _changed_calls(call)]
        variants = [(variant, run_call(variant.code)) for variant in answer.variants(rng, _VARIANTS)]
        inner_results = [(variant, run_call(variant.code)) for variant in answer.inner_results()]
        tables = [(variant, outcome) for variant, outcome in inner_results if outcome and outcome.shape]
        return Observations(
            answer,
            with_weights(call, original.weights),
            rng,
            original,
            [(variant, outcome) for variant, outcome in variants if outcome],
            [(inner, outcome) for inner, outcome in tables if outcome.equals(run_call(inner.code, 1))],
            [(change, outcome) for change, outcome in changed_inputs if outcome],
        )
    return None


def _changed_calls(call: Call) -> Iterator[tuple[str, Call]]:
    """Yield pairs: the description of a change of one table, and the call with this change."""
    for name, table in call.tables.items():
        rows = ("numbers", "rows", f"slices `{name}[i]`")[min(table.ndim, 3) - 1]
        changed_tables = {
            f"every number of `{name}` is doubled": table * 2,
            f"1 is added to every number of `{name}`": table + 1,
            f"every number of `{name}` is negated": -table,
            f"the {rows} of `{name}` come in reverse order": table[[*range(len(table))][::-1]],
            f"the last of the {rows} of `{name}` is missing": table[:-1],
        }
        if table.ndim > 1:
            changed_tables[f"the last column of `{name}` is missing"] = table[..., :-1]
            changed_tables[f"the last two dimensions of `{name}` are swapped"] = table.swapaxes(-1, -2)
        for change, changed_table in changed_tables.items():
            if 0 not in changed_table.shape:
                yield change, replace(call, args={**call.args, name: changed_table})


def _inner_shapes(observed: Observations) -> Iterator[Question]:
    """Ask for the shape of an intermediate result.

    No question asks for the shape of the final result, because other questions may reveal this shape.
    """
    inner = [entry for entry in observed.inner_results if not entry[1].equals(observed.original)]
    for variant, outcome in observed.rng.sample(inner, min(_ASKED, len(inner))):
        others = [other for _, other in (*observed.inner_results, *observed.variants)]
        where = "after" if variant.quoted.isidentifier() else "in"
        text = f"What is the shape of `{variant.quoted}` {where} line {variant.line}?"
        shapes = (str(other.shape) for other in others if other.shape)
        yield from observed.ask("shape", text, str(outcome.shape), shapes)


def _values(observed: Observations) -> Iterator[Question]:
    """Ask for an element of the result, or for the whole result if it has no elements."""
    results = [outcome for _, outcome in observed.variants if not outcome.error]
    others = [outcome for outcome in results if outcome.shape == observed.original.shape]
    if observed.original.shape is None:
        wrong_texts = (outcome.description for outcome in others)
        yield from observed.ask(
            "value", "What does the call return?", observed.original.description, wrong_texts
        )
    # The indices of all elements of the result's first table.
    indices = [*product(*map(range, observed.original.shape or ()))]
    numbers = [f"{n:.2f}" for n in observed.original.numbers[: len(indices)]]
    wrong = [{f"{outcome.numbers[index]:.2f}" for outcome in others} - {n} for index, n in enumerate(numbers)]
    telling = [index for index, several in enumerate(wrong) if 2 * len(several) > max(map(len, wrong))]
    has_all_numbers = not any(value.startswith(RANDOM) for _, value in observed.call.inputs)
    for index in observed.rng.sample(telling, min(_ASKED, len(telling))) if has_all_numbers else ():
        what = f"element {[*indices[index]]} of the result" if observed.original.shape else "the result"
        text = f"What is {what}, rounded to two decimal places?"
        yield from observed.ask("value", text, numbers[index], sorted(wrong[index]))


def _sums(observed: Observations) -> Iterator[Question]:
    """If the rows of an intermediate result sum to 1, ask for the line that computes this result."""
    summing = [
        variant
        for variant, outcome in observed.inner_results
        if "float" in outcome.description and sums_to_one(outcome.shape or (), outcome.numbers)
    ]
    first = min((variant.line for variant in summing), default=0)
    tables = observed.call.tables.values()
    is_given = any(sums_to_one(tuple(table.shape), table.reshape(-1).tolist()) for table in tables)
    is_clear = all(variant.one_line for variant in summing) and observed.answer.is_straight_to(first)
    if first and not is_given and is_clear:
        yield from observed.ask_line("sum", "Which line makes the rows sum to 1?", first)


def sums_to_one(shape: tuple[int, ...], numbers: Sequence[float]) -> bool:
    """Whether a table has at least two columns, and each of its rows sums to 1.

    `numbers` are the table's numbers, row after row. Further numbers are ignored.
    """
    if len(shape) < 2 or shape[-1] < 2 or not numbers:
        return False
    rows = (numbers[start : start + shape[-1]] for start in range(0, prod(shape), shape[-1]))
    return all(abs(sum(row) - 1) < _CLOSE for row in rows)


def _changes(observed: Observations) -> Iterator[Question]:
    """Ask for the outcome of the call after a small change of the code."""
    by_effect: dict[str, tuple[Variant, Outcome]] = {}
    for variant, outcome in observed.variants:
        if outcome.shape is not None and outcome.description != observed.original.description:
            continue  # the options cannot describe a change of the type, the dtype or the number of results
        by_effect.setdefault(describe_change(observed.original, outcome), (variant, outcome))
    for effect, (variant, outcome) in by_effect.items():
        change = "left out" if variant.quoted == "pass" else f"replaced by `{variant.quoted}`"
        line = f"line {variant.line}"
        where = line if variant.one_line else f"the statement that begins in {line}"
        text = f"What is the result of the call if {where} is {change}?"
        note = outcome.description if outcome.error else ""
        yield from observed.ask("change", text, effect, by_effect, note)


def _inputs(observed: Observations) -> Iterator[Question]:
    """Ask which of four changes of the input has a certain effect: an error, another result or no effect."""

    def effect_of(outcome: Outcome) -> str:
        if outcome.error:
            return "makes the call fail"
        is_same = outcome.equals(observed.original)
        return "gives the same result" if is_same else "gives a different result without an error"

    effects = {change: effect_of(outcome) for change, outcome in observed.changed_inputs}
    for effect in dict.fromkeys(effects.values()):
        right = [change for change in effects if effects[change] == effect]
        wrong = [change for change in effects if effects[change] != effect]
        if len(wrong) >= len(LETTERS) - 1:
            text = f"Which of these changes of the input {effect}?"
            yield from observed.ask("input", text, observed.rng.choice(right), wrong)


def _error_lines(observed: Observations) -> Iterator[Question]:
    """Ask for the line that raises an error when the input is changed."""
    for change, outcome in observed.changed_inputs:
        if outcome.error and outcome.line and outcome.line in observed.answer.lines:
            text = f"If {change}, the call fails. In which line of this code does the error occur?"
            note = f"{outcome.error}: {outcome.description}"
            yield from observed.ask_line("error", text, outcome.line, note)


_KINDS = (_inner_shapes, _values, _sums, _changes, _inputs, _error_lines)


def describe_change(original: Outcome, outcome: Outcome) -> str:
    """Return a phrase that says how an outcome differs from the original outcome."""
    if outcome.error or outcome.equals(original):
        return f"an error, {outcome.error}" if outcome.error else "the same result as before"
    if outcome.shape is None:
        return f"the result {outcome.description}"
    if outcome.shape != original.shape:
        return f"a result of shape {outcome.shape}"
    return "a result of the same shape, with different numbers"
