"""The wrong answers to one question, kept on disk under a digest of all that they are made of."""

import hashlib
import json
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from autograder.course.exercise import Exercise
from autograder.files import write_whole
from autograder.grading.misconceptions import Catalogue
from autograder.grading.wrong_answers import WrongAnswer, WrongAnswers
from autograder.submission.digest import engine


class Bank:
    """The known wrong answers to one question; they are made once for all graders of a course."""

    def __init__(self, exercise: Exercise, catalogue: Catalogue, question: str, folder: Path) -> None:
        self.maker = WrongAnswers(exercise, catalogue, question)
        parts = [repr(catalogue), engine(), question, *exercise.reference]
        parts += [part for one in (*exercise.accepted, *exercise.mistakes) for part in (one.name, one.code)]
        digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
        self._file = folder / f"{exercise.name}-{question}-{digest}.json"

    @cached_property
    def answers(self) -> tuple[WrongAnswer, ...]:
        """The wrong answers in which one thing is wrong, those of the exercise's folder first."""
        with suppress(OSError, ValueError):
            kept = json.loads(self._file.read_text(encoding="utf-8"))
            return tuple(WrongAnswer(tuple(n), tuple(h), code, written) for n, h, code, written in kept)
        found = self.maker.single
        with suppress(OSError):
            write_whole(self._file, json.dumps([[a.names, a.hints, a.code, a.written] for a in found]))
        return found
