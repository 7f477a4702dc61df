"""Answers that try to bring the grader down, for every tenth of a made-up class."""

from collections.abc import Iterator, Mapping
from itertools import cycle
from pathlib import Path

import autograder
from autograder.bench.crowd import ClassAnswers
from autograder.course.exercise import Exercise

_EVERY = 10
_FOLDER = Path(autograder.__file__).parent / "tests" / "hostile" / "files"
_ATTACKS = "85_*.py"  # each is an answer to the tests' one question, and says or sends too much
_ANSWER = "def row_sums(x):"


def attacked(crowd: ClassAnswers, exercise: Exercise) -> ClassAnswers:
    """Yield a class in which the first of every ten answers the first question by an attack."""
    attacks, question = cycle(sorted(_FOLDER.glob(_ATTACKS))), next(iter(exercise.points))
    for number, (student, answers) in enumerate(crowd):
        own = {} if number % _EVERY else {question: _code(question, next(attacks), student)}
        yield student, {**answers, **own}


def honest(names: Mapping[str, frozenset[str]]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield what belongs to those of a class who answer without attacks."""
    return (item for number, item in enumerate(names.items()) if number % _EVERY)


def _code(question: str, attack: Path, student: str) -> str:
    code = attack.read_text(encoding="utf-8").split('"""', 2)[2].strip()
    own = code.replace(_ANSWER, f"def {question}(x=None, *others, **named):")
    return f"{own}\n# {student}"
