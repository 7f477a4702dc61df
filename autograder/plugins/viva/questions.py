"""Makes questions about an answer of what was seen when the answer, or a copy of it, ran."""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, product
from math import prod
from typing import Any

from autograder.grading.session import Session
from autograder.plugins.viva.calls import RANDOM, Call, Outcome, find_calls, run, with_weights
from autograder.plugins.viva.source import Answer, Variant
from autograder.testing.suite import Suite

COUNT = 5
LETTERS = "abcd"
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
        yield from self.ask(
            kind, text, f"line {right}", (f"line {one.lineno}" for one in self.answer.steps), note
        )


def choose_questions(
    suite: Suite, answers: Sequence[Answer], opened: Callable[[], Session], key: str
) -> list[Question]:
    """Return up to five questions, of as many kinds and about as many answers as can be."""
    found, chosen = list[Question](), list[Question]()
    for answer in answers:
        chance = random.Random(f"{key} {answer.name}")  # noqa: S311 - the same key gives the same questions
        with opened() as session:
            seen = _look(suite, answer, session, key, chance)
            found += [one for make in _KINDS for one in make(seen)] if seen else []
    random.Random(key).shuffle(found)  # noqa: S311
    while found and len(chosen) < COUNT:
        kinds, names = [one.kind for one in chosen], [one.answer.name for one in chosen]
        best = min(
            found, key=lambda one: (kinds.count(one.kind), names.count(one.answer.name), -len(one.options))
        )
        found.remove(best)
        chosen.append(best)
    order = [answer.name for answer in answers]
    return sorted(chosen, key=lambda one: order.index(one.answer.name))


def _look(suite: Suite, answer: Answer, session: Session, key: str, chance: random.Random) -> Seen | None:
    """Run an answer, and copies of it, on a small call that gives the same with another seed."""
    for call in islice(find_calls(suite, answer, key), _CALLS):
        again = partial(run, session, answer, call)
        usual = again()
        if usual is None or usual.error or not usual.same(again(seed=1)):
            continue
        bent = [(words, run(session, answer, made)) for words, made in bent_calls(call)]
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


def bent_calls(call: Call) -> Iterator[tuple[str, Call]]:
    """Yield calls with another table of numbers, in words."""
    for name, table in call.tables.items():
        rows = ("numbers", "rows", "parts along the first dimension")[min(table.ndim, 3) - 1]
        made: dict[str, Any] = {
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
    """Ask for the shape of an inner result."""
    for one, outcome in seen.chance.sample(seen.inner, min(_ASKED, len(seen.inner))):
        others = [other for _, other in (*seen.inner, *seen.changed)]
        where = "after" if one.quoted.isidentifier() else "in"
        text = f"What is the shape of `{one.quoted}` {where} line {one.line}?"
        shapes = (str(other.shape) for other in others if other.shape)
        yield from seen.ask("shape", text, str(outcome.shape), shapes)


def _values(seen: Seen) -> Iterator[Question]:
    """Ask for a number of the result, or for a result that has none."""
    others = [one for _, one in seen.changed if not one.error and one.shape == seen.usual.shape]
    if seen.usual.shape is None:
        yield from seen.ask(
            "value", "What does the call return?", seen.usual.said, (one.said for one in others)
        )
    indices = [*product(*map(range, seen.usual.shape or ()))]  # of the first result, whose numbers come first
    numbers = [f"{n:.2f}" for n in seen.usual.numbers[: len(indices)]]
    wrong = [{f"{one.numbers[place]:.2f}" for one in others} - {n} for place, n in enumerate(numbers)]
    telling = [place for place, several in enumerate(wrong) if 2 * len(several) > max(map(len, wrong))]
    whole = not any(value.startswith(RANDOM) for _, value in seen.call.given)
    for place in seen.chance.sample(telling, min(_ASKED, len(telling))) if whole else ():
        what = f"element {[*indices[place]]} of the result" if seen.usual.shape else "the result"
        yield from seen.ask(
            "value", f"What is {what}, to two decimals?", numbers[place], sorted(wrong[place])
        )


def _sums(seen: Seen) -> Iterator[Question]:
    """Ask for the line that makes rows sum to 1."""
    floats = [(one, outcome) for one, outcome in seen.inner if "float" in outcome.said]  # no indices 0 and 1
    whole = [one for one, outcome in floats if sums_to_one(outcome.shape or (), outcome.numbers)]
    first = min((one.line for one in whole), default=0)
    given = seen.call.tables.values()
    is_given = any(sums_to_one(tuple(part.shape), part.reshape(-1).tolist()) for part in given)
    if first and not is_given and all(one.one_line for one in whole) and seen.answer.is_straight_to(first):
        yield from seen.ask_line("sum", "Which line makes the rows sum to 1?", first)


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


def sums_to_one(shape: tuple[int, ...], numbers: Sequence[float]) -> bool:
    """Whether the first of several results has rows of several numbers that each sum to 1."""
    if len(shape) < 2 or shape[-1] < 2 or not numbers:
        return False
    rows = (numbers[start : start + shape[-1]] for start in range(0, prod(shape), shape[-1]))
    return all(abs(sum(row) - 1) < _CLOSE for row in rows)
