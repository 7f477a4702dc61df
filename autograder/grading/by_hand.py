"""Says why a person has to look at a question that is to be solved by hand: by what ran, and by reading.

The two stand beside each other. What ran cannot be hidden by clever spelling, but a worker tells it, and a
worker may lie. What is read does not depend on the worker, but code can be made hard to read.
"""

import re
from collections.abc import Iterable, Sequence

import torch

from autograder.course.rule import Rule
from autograder.grading.forbidden import UNSEEN, first_use
from autograder.worker.operators import LOST, MANY, THREAD
from autograder.worker.ran import Ran

_LOOK = " A person will look before it scores."
_IN_WORDS = {
    THREAD: "The code of this question ran beside another thread.",
    LOST: "What the code of this question ran could not be recorded.",
    MANY: "What the code of this question ran could not be recorded.",
}
_OTHER = "The code of this question ran an operation that this question asks you to do without."
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,79}")


def broken_rule(
    question: str, rule: Rule, codes: Sequence[str], ran: Iterable[Ran] = (), shown: Iterable[Ran] = ()
) -> str | None:
    """Return in a student's words why a person has to look at `question`, or None.

    `codes` are the code cells that ran. `ran` is what the worker says of the question's calls on hidden
    inputs: it decides. `shown` is what a worker says of its calls on inputs that may be shown: names come
    from there alone, since no hidden input can have shaped them.
    """
    if not rule.forbid and rule.operators is None:
        return None
    used = first_use(question, rule.forbid, codes)
    if used == UNSEEN:
        return "The code of this question cannot be read." + _LOOK
    if used is not None:
        return f'This question asks you to do without "{used}".' + _LOOK
    ran = list(ran)
    if rule.operators is not None and (found := _needless(ran, rule.operators)):
        told = _needless(list(shown), rule.operators)
        return _words(told or found, known=bool(told)) + _LOOK
    return None


def _needless(ran: Sequence[Ran], allowed: frozenset[str]) -> frozenset[str]:
    """Return what ran and is not allowed; where nothing at all was recorded, that it was lost."""
    operators = frozenset[str]().union(*(one.operators for one in ran))
    if any(not one.complete for one in ran) or (ran and not operators):
        operators |= {LOST}
    return frozenset(name for name in operators if not {name, name.rstrip("_")} & allowed)


def _words(found: frozenset[str], *, known: bool) -> str:
    """Return a sentence on the first of some operators, by name if these are `known` to tell nothing."""
    for marker, words in _IN_WORDS.items():
        if marker in found:
            return words
    names = [name for name in found if known and _NAME.fullmatch(name) and hasattr(torch.ops.aten, name)]
    if not names:
        return _OTHER
    name = min(names, key=lambda name: (name.startswith("_"), name))
    return f"The code of this question called {name}, which this question asks you to do without."
