"""The notebook and its questions as pytest sees them."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from autograder.course.kit.contents import EXERCISE, HINTS, MEANING, QUESTIONS, Question
from autograder.course.kit.lesson import Part
from autograder.course.kit.notebook import Notebook, UnsolvedError, WholeFileError
from autograder.course.kit.page import Finding
from autograder.course.kit.progress import state_of

HOME = Path(__file__).parent


class NotebookFile(pytest.File):
    """The notebook as pytest sees it."""

    others: Sequence[Path] = ()  # further notebooks of the exercise, which are not checked
    stands_for_all = False  # whether it is the one that pytest checks where none is named

    def collect(self) -> Iterator[QuestionTest]:
        """Return a test for each question."""
        notebook = Notebook(self.path)
        state = state_of(HOME) if self.stands_for_all and self.path.parent == HOME else ""
        notebook.notes += [
            f"was saved last, so it is checked and {other.name} is not" for other in self.others
        ]
        for question in QUESTIONS:
            test: QuestionTest = QuestionTest.from_parent(self, name=question.name)
            test.question, test.notebook, test.state = question, notebook, state
            yield test


class QuestionTest(pytest.Item):
    """The check of one question."""

    question: Question
    notebook: Notebook
    state = ""  # of the exercise's folder when its notebook was found
    home = HOME
    total = len(QUESTIONS)
    failure: UnsolvedError | None = None

    def runtest(self) -> None:
        """Run the check."""
        try:
            self.notebook.ask(self.question)
        except WholeFileError as failure:
            if self.notebook.failure:
                self.failure = UnsolvedError("not checked, for the same reason as the question above")
                pytest.skip(str(self.failure))
            self.failure = self.notebook.failure = failure
            raise
        except UnsolvedError as failure:
            self.failure = failure
            raise
        finally:
            notes = [f"{self.path.name} {note}" for note in self.notebook.notes]
            self.user_properties.append(("question", notes))

    def hint(self) -> str:
        """Return a hint that was not given yet; those for what the check has seen come first."""
        try:
            self.notebook.ask(self.question)
        except UnsolvedError as failure:
            seen = str(failure)
        else:
            return f"{self.name}: its check passes. {MEANING.capitalize()}."
        hints = HINTS.get(self.name, [])
        fitting = [hint["hint"] for hint in hints if "when" in hint and re.search(hint["when"], seen)]
        texts = fitting + [hint["hint"] for hint in hints if "when" not in hint]
        if not texts:
            return f"{seen}\nThere are no hints for {self.name}."
        cache, key = getattr(self.config, "cache", None), f"given_hints/{EXERCISE}/{self.name}"
        given = cache.get(key, []) if cache else []
        number = next((number for number, hint in enumerate(texts, 1) if hint not in given), len(texts))
        if cache:
            cache.set(key, [*given, texts[number - 1]])
        further = f"\nA plainer one: pytest --hint {self.name}" if number < len(texts) else ""
        return f"{seen}\n\nhint {number} of {len(texts)} for {self.name}: {texts[number - 1]}{further}"

    def part(self) -> Part | None:
        """Return the part of the lesson that the question belongs to."""
        with contextlib.suppress(UnsolvedError):
            return self.notebook.part(self.name)
        return None

    def finding(self) -> Finding:
        """Return what the page says of the question."""
        seen, printed = str(self.failure or ""), self.notebook.printed.get(self.name, "")
        finding = Finding(self.name, not self.failure, seen, printed, self.part())
        with contextlib.suppress(UnsolvedError):
            if cell := self.notebook.answer(self.name):
                cause = self.failure and self.failure.cause
                place, line = self.notebook.place(cause) if cause else (None, 0)
                marked = line if place is cell else 0
                return finding._replace(
                    place=f"code cell {cell.number}", code=cell.code.split("\n"), marked=marked
                )
        return finding

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show only why the question does not pass, without a traceback, and where the lesson tells of it."""
        if not isinstance(excinfo.value, UnsolvedError):
            return super().repr_failure(excinfo, style)
        part = None if isinstance(excinfo.value, WholeFileError) else self.part()
        if part is None:
            return str(excinfo.value)
        place = f"{self.path.name}#{part.anchor}" if part.anchor else f"{self.path.name}, {part.heading}"
        return f"{excinfo.value}\n    lesson: {place}"

    def reportinfo(self) -> tuple[Path, None, str]:
        """Return the heading of the question's report."""
        worth = f"{self.question.points:g} point{'' if self.question.points == 1 else 's'}"
        return self.path, None, f"{self.name} ({worth})"
