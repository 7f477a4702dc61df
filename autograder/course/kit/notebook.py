"""Runs the notebook's cells once, then the check of each question, and says why one does not pass."""

from __future__ import annotations

import contextlib
import json
import re
import traceback
from functools import cached_property
from pathlib import Path
from typing import Any

from autograder.course.kit.beside import ALONE, Reads, hiding
from autograder.course.kit.cell import Cell
from autograder.course.kit.contents import Question
from autograder.course.kit.joined import JOINED, cells_of, mentions_check
from autograder.course.kit.lesson import Part, part_above
from autograder.course.kit.watch import Printed
from autograder.worker.omission import Omissions, unknown_name


class UnsolvedError(Exception):
    """Why a question does not pass, in words for you; `cause` is the error behind it, if there is one."""

    def __init__(self, message: str, cause: BaseException | None = None) -> None:
        super().__init__(message)
        self.cause = cause


class WholeFileError(UnsolvedError):
    """Why no question of the notebook can be checked."""


class Notebook:
    """The notebook: runs its cells once, then the check of each question, and says why one does not pass."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.errors: dict[Cell, BaseException] = {}  # what each failing cell raised
        self.notes: list[str] = []  # what you should know, even where all checks pass
        self.printed: dict[str, str] = {}  # by question: what its check has printed
        self.failure: WholeFileError | None = None  # once it has been told
        self.omissions = Omissions("on this machine")

    @cached_property
    def saved(self) -> list[dict[str, Any]]:
        """The cells as they are saved, texts among them."""
        try:
            cells = json.loads(self.path.read_text(encoding="utf-8-sig"))["cells"]
            return [{**cell, "source": "".join(cell["source"])} for cell in cells if cell["cell_type"]]
        except ValueError as error:
            raise WholeFileError(f"{self.path.name} is not JSON: {error}. Save it from Jupyter.") from None
        except (KeyError, TypeError, AttributeError):
            raise WholeFileError(f"{self.path.name} is JSON, but no notebook of today's format.") from None

    @cached_property
    def cells(self) -> list[Cell]:
        """The code cells, in order, and behind each the checks that are joined to it."""
        codes = [cell for cell in self.saved if cell["cell_type"] == "code"]
        return [cell for number, code in enumerate(codes, 1) for cell in cells_of(self.path, number, code)]

    @cached_property
    def reads(self) -> Reads:
        """What listens to the cells as they read files."""
        return Reads(self.path.parent)

    @cached_property
    def variables(self) -> dict[str, Any]:
        """The variables after all your cells have run; a cell that fails does not stop the others."""
        variables = {"__name__": "__main__", "display": print}
        with contextlib.redirect_stdout(Printed()), contextlib.redirect_stderr(Printed()):
            for cell in self.cells:
                if cell.is_yours and (error := self._run(cell, variables)):
                    self.errors[cell] = error
                    if not cell.answers:
                        self.notes.append(f"does not run from top to bottom. {self._described(error)}")
        used = set().union(*(cell.names for cell in self.cells if cell.answers))
        for cell in self.cells:
            self.notes += [f"in {cell.label}: {note[0].lower()}{note[1:]}" for note in cell.notes]
            if cell.is_joined:
                self.notes.append(JOINED.format(cell.number))
            if cell.reads and (cell.answers or any(map(cell.makes, used))):
                self._note_reading(cell.reads, cell.label)
        return variables

    def _run(self, cell: Cell, variables: dict[str, Any]) -> BaseException | None:
        with self.reads:
            error = cell.run(variables, self.omissions)
        cell.reads = self.reads.names()
        return error

    def ask(self, question: Question) -> None:
        """Run the check of `question`; raise UnsolvedError where it does not pass."""
        try:
            self._ask(question)
        except UnsolvedError:
            read = {name for cell in self.cells for name in cell.reads}
            if not (files := hiding(self.path.parent, read)):
                raise
            self.notes.clear()  # all that follows from it
            hides = f"{files[0]} beside {self.path.name} hides the real {files[0].removesuffix('.py')}"
            raise WholeFileError(f"{hides}: rename that file.") from None

    def _ask(self, question: Question) -> None:
        check = self._check(question)
        if question.name not in self.variables:
            raise self._absence(question.name)
        self._note_twins(question.name)
        with contextlib.redirect_stdout(Printed()) as printed, self.reads:
            error = check.run(dict(self.variables), None)
        self._note_reading(self.reads.names(), f"the cell of {question.name}")
        self.printed[question.name] = printed.getvalue()
        print(printed.getvalue(), end="")  # noqa: T201 - pytest shows it where the question does not pass
        if error:
            raise UnsolvedError(self._failure(question.name, error), error)

    def answer(self, name: str) -> Cell | None:
        """Return the cell that answers a question, the last of several."""
        return next((cell for cell in reversed(self.cells) if cell.is_yours and cell.makes(name)), None)

    def part(self, name: str) -> Part | None:
        """Return the part of the lesson that a question belongs to, if the notebook still has it."""
        texts, number = list[str](), 0
        places = {cell.number for cell in self.cells if cell.checks == name}
        for saved in self.saved:
            number += saved["cell_type"] == "code"
            if saved["cell_type"] == "markdown":
                texts.append(saved["source"])
            elif number in places:
                return part_above(texts)
        return None

    def _check(self, question: Question) -> Cell:
        """Return the check cell of `question`: the original one if it is there, else a changed one."""
        name = question.name
        found = [cell for cell in self.cells if cell.checks == name]
        if not found:
            lost, more = f"its check cell, which begins with `# Check of {name}`, is missing", ""
            if within := [cell for cell in self.cells if mentions_check(cell, name)]:
                lost = f"its check stands in {within[0].label} with other code, and is not the original"
                more = "; grading does without it"
            raise UnsolvedError(f"{name}: {lost}. Copy it back from a fresh notebook of this exercise{more}.")
        original = [cell for cell in found if cell.fingerprint == question.check]
        if not original:
            self.notes.append(f"has a changed check of {name}; a fresh notebook has the original")
        return (original or found)[0]

    def _note_twins(self, name: str) -> None:
        """Note where the cell of a question, or its check, is there more than once."""
        for label in (f"the cell of {name}", f"the check of {name}"):
            twins = " and ".join(str(cell.number) for cell in self.cells if cell.label == label)
            if "and" in twins:
                self.notes.append(f"has {label} more than once, as code cells {twins}; keep one")

    def _note_reading(self, files: list[str], where: str) -> None:
        """Note what a graded answer could not read, once."""
        note = ALONE.format(" and ".join(files), where)
        if files and note not in self.notes:
            self.notes.append(note)

    def _absence(self, name: str) -> UnsolvedError:
        """Return the error that says why nothing is called `name` after all cells have run."""
        for cell, error in self.errors.items():
            if cell.makes(name):
                return UnsolvedError(f"{name}: its cell does not run. {self._described(error)}", error)
        for cell in self.cells:
            magic = re.match(r"%%\w+", cell.code)
            if magic and cell.makes(name):
                lost = f"below {magic[0]} its cell defines nothing for others. Delete that line."
                return UnsolvedError(f"{name}: {lost}")
        why = "no cell defines it. Is it spelt as in the exercise, and is its cell still there?"
        return UnsolvedError(f"{name}: {why}")

    def _failure(self, name: str, error: BaseException) -> str:
        """Say why the check of `name` does not pass."""
        cell, number = self.place(error)
        line = cell.line(number) if cell else ""
        if line == "raise NotImplementedError()":
            return f"{name}: not filled in yet"
        if isinstance(error, AssertionError) and cell and cell.checks:
            claim = cell.claim(number)
            message = str(error) or "This must hold:"
            if "\n" in message:  # pytest's summary shows the first line alone
                values = re.search(r"\b(allclose|equal|assert_close)\(", claim)
                message = f"{name}: {'other values than expected' if values else 'this must hold'}\n{message}"
            return f"{message}\n    {claim}"
        nudge = f"\nDoes {name} return its result?" if "'NoneType' object" in str(error) else ""
        return f"{name}: {self._described(error)}{nudge}"

    def _described(self, error: BaseException) -> str:
        """Return what an error says, the line that raised it and, for an unknown name, where to look."""
        text = error.msg if isinstance(error, SyntaxError) else str(error)
        if isinstance(error, SystemExit) and not isinstance(error.code, str):
            text = "this ends the program"
        cell, number = self.place(error)
        place = f"\n    {cell.label}, line {number}: {cell.line(number)}" if cell else ""
        if type(error) is NameError and cell:
            place += f"\n{self._lost(unknown_name(error), cell, number)}"
        return f"{type(error).__name__}{': ' if text else ''}{text}{place}"

    def _lost(self, name: str, user: Cell, number: int) -> str:
        """Say why `name` is unknown when the cell `user` runs this line."""
        if cause := self.omissions.cause(name):
            return f"`{name}` should come {cause}."
        if advice := user.local_advice(name, number):
            return advice
        for cell in self.cells:
            if cell is not user and cell.makes(name):
                if cell in self.errors:
                    return f"`{name}` should come from {cell.label}, which fails itself."
                if not cell.is_yours:
                    return f"`{name}` is made only in {cell.label}. Did you mean one of your own variables?"
                if cell.number > user.number:
                    return f"`{name}` is used before it is made: {cell.label} stands further down."
        return f"No cell makes `{name}`. Your kernel may remember it from a cell that is gone: restart it."

    def place(self, error: BaseException) -> tuple[Cell | None, int]:
        """Return the cell and line where an error arose: the innermost ones in its traceback."""
        cells = {cell.file: cell for cell in self.cells}
        if isinstance(error, SyntaxError) and error.filename in cells:
            return cells[error.filename], error.lineno or 0
        for frame, number in reversed(list(traceback.walk_tb(error.__traceback__))):
            if frame.f_code.co_filename in cells:
                return cells[frame.f_code.co_filename], number
        return None, 0
