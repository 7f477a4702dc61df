"""Looks up the words of an exercise's rules in torch: one that is misspelt would forbid or allow nothing."""

import builtins
from collections.abc import Iterator
from functools import cache

import torch
from torch import nn

from autograder.course.course import FILE, Course
from autograder.course.exercise import Exercise
from autograder.course.names import suggestion
from autograder.course.rule import GROUPS
from autograder.course.source import defined_names
from autograder.course.yaml_lines import read_document

_MODULES = (torch, torch.Tensor, nn, nn.functional, torch.linalg, torch.special, torch.fft, builtins)
_SIGNS = {"@"}  # which forbid may hold, too


def unknown_operators(course: Course, exercise: Exercise) -> Iterator[str]:
    """Yield each word of `by_hand` that is neither a group nor an operator of torch, with its place."""
    for place, word in _words(course, exercise, "by_hand"):
        if word not in _operators():
            fix = _meant(word, _operators())
            yield f'{place}: "{word}" is neither a group nor an operator of torch; {fix}'


def unknown_calls(course: Course, exercise: Exercise) -> Iterator[str]:
    """Yield each word of `forbid` that names nothing in torch, Python or the exercise, with its place.

    It may be right all the same, as the name of something in another library.
    """
    known = _names() | {name for code in exercise.reference for name in defined_names(code)}
    for place, word in _words(course, exercise, "forbid"):
        if word not in known:
            yield f'{place}: "{word}" names nothing in torch; {_meant(word, known)}'


def _words(course: Course, exercise: Exercise, key: str) -> Iterator[tuple[str, str]]:
    """Yield the words that stand under a key of the exercise's entry, each with its line in course.yaml."""
    path = course.root / FILE
    document = read_document(path.read_text(encoding="utf-8"))
    for number, entry in enumerate(course.settings.exercises):
        rules = getattr(entry, key) if entry.name == exercise.name else {}
        for question, words in rules.items():
            for place, word in enumerate(words):
                line = document.line(("exercises", number, key, question, place))
                yield f"{path}:{line}: {key}.{question}", word


def _meant(word: str, known: frozenset[str]) -> str:
    """Ask which of many names was meant; a list of all would tell nobody anything."""
    close = suggestion(word, known)
    return close if close.startswith("did") else "take it out, or spell it as torch does"


@cache
def _operators() -> frozenset[str]:
    """Return the groups, and torch's operators as a worker records them: without namespace and overload."""
    every = (name.partition("::")[2].partition(".")[0] for name in torch._C._dispatch_get_all_op_names())
    return frozenset(GROUPS).union(*GROUPS.values(), (name.rstrip("_") for name in every))


@cache
def _names() -> frozenset[str]:
    """Return all that code may spell of torch and Python, bare: `add` for `add_` and `__add__`, too."""
    names = {name for module in _MODULES for name in dir(module)}
    return frozenset(names | {name.strip("_") for name in names} | _SIGNS)
