"""Makes questions of what was seen when an answer, or a copy of it, ran, and sheets of them for students."""

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
_VARIANTS, _ASKED, _CALLS = 40, 3, 3
_CLOSE = 1e-3


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its options in random order, the right one, and what an examiner may add."""

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

    def answers(self, other: "Question") -> bool:
        """Whether this question says what another one asks: which input makes the call fail."""
        return (self.kind, other.kind) == ("error", "input") and any(
            one in self.text for one in other.options
        )


@dataclass(frozen=True)
class Seen:
    """What was seen of one answer: the call as it is, changed copies, inner results, other inputs."""

    answer: Answer
    call: Call
    chance: random.Random
    usual: Outcome
    changed: Sequence[tuple[Variant, Outcome]]
    inner: Sequence[tuple[Variant, Outcome]]
    bent: Sequence[tuple[str, Outcome]]  # in words

    def ask(
        self, kind: str, text: str, right: str, wrong: Iterable[str], note: str = ""
    ) -> Iterator[Question]:
        """Yield a question, if there are wrong options beside the right one."""
        others = [one for one in dict.fromkeys(wrong) if one != right]
        self.chance.shuffle(others)
        options = [right, *others[: len(LETTERS) - 1]]
        self.chance.shuffle(options)
        if others:
            yield Question(kind, self.answer, self.call, text, tuple(options), right, note)

    def ask_line(self, kind: str, text: str, right: int, note: str = "") -> Iterator[Question]:
        """Yield a question for one of the lines on which a statement of the called function begins."""
        lines = (f"line {one.lineno}" for one in self.answer.steps)
        yield from self.ask(kind, text, f"line {right}", lines, note)


@dataclass(frozen=True, slots=True)
class Sheet:
    """The questions for one student, or the problem why there are none."""

    exercise: str
    student: str
    key: str = ""  # a digest of the student's code and the seed, which chose the questions
    questions: Sequence[Question] = ()
    problem: str = ""
    left_out: Sequence[str] = ()  # answers about which no question can be made, each with the reason

    def marked(self, letters: str) -> list[bool]:
        """Return for each question whether its letter is the right one."""
        said = [letter for letter in letters.lower() if letter.isalnum() or letter == "-"]
        if len(said) != len(self.questions) or not {*said} <= {*LETTERS, "-"}:
            raise UsageError(f"--mark takes {len(self.questions)} letters from a to d, or - for no answer")
        return [one.letter == letter for one, letter in zip(self.questions, said, strict=True)]


class Examiner:
    """Makes sheets for an exercise, in workers of a zygote."""

    def __init__(self, exercise: Exercise, zygote: Zygote, seed: int = 0) -> None:
        self._exercise, self._seed = exercise, seed
        self._zygote = zygote.with_files(exercise.handed_out)
        limits = exercise.settings.limits
        call, total = min(limits.call_seconds, _CALL_SECONDS), min(limits.total_seconds, _TOTAL_SECONDS)
        self._limits = limits.model_copy(update={"call_seconds": call, "total_seconds": total})
        use_one_thread(exercise)
        self._suite = Suite(exercise)

    def sheet(self, student: str, notebook: Notebook) -> Sheet:
        """Return the sheet for a submitted notebook."""
        name = self._exercise.name
        try:
            typed = in_exercise_form(self._exercise.cells, notebook.cells)
        except UnreadableError as error:
            return Sheet(name, student, problem=f"the notebook cannot be read: {error}")
        cells = [one for one in typed if one.kind == "code" and not checked_question(one.name)]
        code = [one for one in cells if not self._exercise.needs_no_run(one.text)]
        answers, left_out = self._answers(code)
        text = json.dumps([name, [one.text for one in answers], self._seed])
        key = hashlib.sha256(text.encode()).hexdigest()[:12]
        with Session(self._zygote, code, self._limits) as first:
            first.start()  # which finds the cells that hang or die
        opened = partial(Session, self._zygote, code, self._limits, first.lost)
        questions = _choose_questions(self._suite, answers, opened, key)
        problem = "" if questions else "no answer is a short function or class that runs on a small input"
        return Sheet(name, student, key, questions, problem, left_out)

    def _answers(self, code: Sequence[NotebookCell]) -> tuple[list[Answer], list[str]]:
        """Return the answers about which questions can be made, and a line on each other."""
        answers, left_out = list[Answer](), list[str]()
        for question in self._exercise.points:
            try:
                if answer := read_answer(question, code):
                    answers.append(answer)
            except UnwritableError as error:
                left_out.append(f"no question about {question}: {error}")
        return answers, left_out


def write_sheet(course: Course, sheet: Sheet, *, answers: bool) -> Path:
    """Write a sheet as a page, with its answers or without, and return the file."""
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
    suite: Suite, answers: Sequence[Answer], opened: Callable[[], Session], key: str
) -> list[Question]:
    """Return up to five questions, of as many kinds and about as many answers as can be."""
    found, chosen = list[Question](), list[Question]()
    for answer in answers:
        chance = random.Random(f"{key} {answer.name}")  # noqa: S311 - the same key gives the same questions
        with opened() as session:
            seen = _look(suite, answer, session, key, chance)
            found += [one for make in _KINDS for one in make(seen)] if seen else []
    chance = random.Random(key)  # noqa: S311
    chance.shuffle(found)
    order = sorted({one.kind for one in found})
    chance.shuffle(order)  # so that a rare kind comes as often as others

    def rank(one: Question) -> tuple[int, ...]:
        kinds, names = [each.kind for each in chosen], [each.answer.name for each in chosen]
        return kinds.count(one.kind), names.count(one.answer.name), order.index(one.kind), -len(one.options)

    while found and len(chosen) < COUNT:
        best = min(found, key=rank)
        found = [one for one in found if one is not best and not (one.answers(best) or best.answers(one))]
        chosen.append(best)
    places = [answer.name for answer in answers]
    return sorted(chosen, key=lambda one: places.index(one.answer.name))


def _look(suite: Suite, answer: Answer, session: Session, key: str, chance: random.Random) -> Seen | None:
    """Run an answer, and copies of it, on a small call that gives the same with another seed."""
    for call in islice(find_calls(suite, answer, key), _CALLS):
        again = partial(run, session, answer, call)
        usual = again()
        if usual is None or usual.error or not usual.same(again(seed=1)):
            continue
        bent = [(words, run(session, answer, made)) for words, made in _bent_calls(call)]
        changed = [(one, again(one.code)) for one in answer.changed(chance, _VARIANTS)]
        inner = [(one, again(one.code)) for one in answer.inner()]
        return Seen(
            answer,
            with_weights(call, usual.weights),
            chance,
            usual,
            [(one, seen) for one, seen in changed if seen],
            [(one, seen) for one, seen in inner if seen and seen.shape and seen.same(again(one.code, 1))],
            [(words, seen) for words, seen in bent if seen],
        )
    return None


def _bent_calls(call: Call) -> Iterator[tuple[str, Call]]:
    """Yield calls with another table of numbers, in words."""
    for name, table in call.tables.items():
        rows = ("numbers", "rows", "parts along the first dimension")[min(table.ndim, 3) - 1]
        made = {
            f"every number of `{name}` is doubled": table * 2,
            f"1 is added to every number of `{name}`": table + 1,
            f"every number of `{name}` is negated": -table,
            f"the {rows} of `{name}` come in reverse order": table[[*range(len(table))][::-1]],
            f"the last of the {rows} of `{name}` is missing": table[:-1],
        }
        if table.ndim > 1:
            made[f"the last column of `{name}` is missing"] = table[..., :-1]
            made[f"the last two dimensions of `{name}` are swapped"] = table.swapaxes(-1, -2)
        for words, part in made.items():
            if 0 not in part.shape:
                yield words, replace(call, args={**call.args, name: part})


def _inner_shapes(seen: Seen) -> Iterator[Question]:
    """Ask for the shape of an inner result, but not of the whole, which questions for its elements tell."""
    inner = [(one, outcome) for one, outcome in seen.inner if not outcome.same(seen.usual)]
    for one, outcome in seen.chance.sample(inner, min(_ASKED, len(inner))):
        others = [other for _, other in (*seen.inner, *seen.changed)]
        where = "after" if one.quoted.isidentifier() else "in"
        text = f"What is the shape of `{one.quoted}` {where} line {one.line}?"
        shapes = (str(other.shape) for other in others if other.shape)
        yield from seen.ask("shape", text, str(outcome.shape), shapes)


def _values(seen: Seen) -> Iterator[Question]:
    """Ask for a number of the result, or for a result that has none."""
    others = [one for _, one in seen.changed if not one.error and one.shape == seen.usual.shape]
    if seen.usual.shape is None:
        said = (one.said for one in others)
        yield from seen.ask("value", "What does the call return?", seen.usual.said, said)
    indices = [*product(*map(range, seen.usual.shape or ()))]  # of the first result, whose numbers come first
    numbers = [f"{n:.2f}" for n in seen.usual.numbers[: len(indices)]]
    wrong = [{f"{one.numbers[place]:.2f}" for one in others} - {n} for place, n in enumerate(numbers)]
    telling = [place for place, several in enumerate(wrong) if 2 * len(several) > max(map(len, wrong))]
    whole = not any(value.startswith(RANDOM) for _, value in seen.call.given)
    for place in seen.chance.sample(telling, min(_ASKED, len(telling))) if whole else ():
        what = f"element {[*indices[place]]} of the result" if seen.usual.shape else "the result"
        text = f"What is {what}, to two decimals?"
        yield from seen.ask("value", text, numbers[place], sorted(wrong[place]))


def _sums(seen: Seen) -> Iterator[Question]:
    """Ask for the line that makes rows sum to 1."""
    floats = [(one, outcome) for one, outcome in seen.inner if "float" in outcome.said]  # no indices 0 and 1
    whole = [one for one, outcome in floats if sums_to_one(outcome.shape or (), outcome.numbers)]
    first = min((one.line for one in whole), default=0)
    given = seen.call.tables.values()
    is_given = any(sums_to_one(tuple(part.shape), part.reshape(-1).tolist()) for part in given)
    if first and not is_given and all(one.one_line for one in whole) and seen.answer.is_straight_to(first):
        yield from seen.ask_line("sum", "Which line makes the rows sum to 1?", first)


def sums_to_one(shape: tuple[int, ...], numbers: Sequence[float]) -> bool:
    """Whether the first of several results has rows of several numbers that each sum to 1."""
    if len(shape) < 2 or shape[-1] < 2 or not numbers:
        return False
    rows = (numbers[start : start + shape[-1]] for start in range(0, prod(shape), shape[-1]))
    return all(abs(sum(row) - 1) < _CLOSE for row in rows)


def _changes(seen: Seen) -> Iterator[Question]:
    """Ask what comes of the call after a small change."""
    found: dict[str, tuple[Variant, Outcome]] = {}
    for one, outcome in seen.changed:
        if outcome.shape is not None and outcome.said != seen.usual.said:
            continue  # numbers of another type differ in a way that no option says
        found.setdefault(compared(seen.usual, outcome), (one, outcome))
    for said, (one, outcome) in found.items():
        change = "left out" if one.quoted == "pass" else f"`{one.quoted}`"
        where = f"line {one.line}" if one.one_line else f"the statement that begins in line {one.line}"
        text = f"What would the call give if {where} were {change}?"
        yield from seen.ask("change", text, said, found, outcome.said if outcome.error else "")


def _inputs(seen: Seen) -> Iterator[Question]:
    """Ask which of four inputs makes the call fail, or gives another result, or the same."""

    def kind_of(one: Outcome) -> str:
        if one.error:
            return "makes the call fail"
        return "gives the same result" if one.same(seen.usual) else "gives another result, and no error"

    kinds = {words: kind_of(one) for words, one in seen.bent}
    for kind in dict.fromkeys(kinds.values()):
        its, others = ([one for one in kinds if (kinds[one] == kind) is is_its] for is_its in (True, False))
        if len(others) >= len(LETTERS) - 1:
            text = f"Which of these changes of the input {kind}?"
            yield from seen.ask("input", text, seen.chance.choice(its), others)


def _error_lines(seen: Seen) -> Iterator[Question]:
    """Ask for the line that an error names."""
    for words, one in seen.bent:
        if one.error and one.line and one.line in seen.answer.lines:
            text = f"If {words}, the call fails. Which line of this code does the error name?"
            yield from seen.ask_line("error", text, one.line, f"{one.error}: {one.said}")


_KINDS = (_inner_shapes, _values, _sums, _changes, _inputs, _error_lines)


def compared(usual: Outcome, one: Outcome) -> str:
    """Say how an outcome differs from the usual one."""
    if one.error or one.same(usual):
        return f"an error, {one.error}" if one.error else "the same result as before"
    if one.shape is None or one.shape != usual.shape:
        return f"the result {one.said}" if one.shape is None else f"a result of shape {one.shape}"
    return "other numbers in the same shape"
