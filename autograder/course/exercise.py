"""An exercise's folder: its source, its hidden suite, its right answers and its wrong ones."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from autograder.course.folder import own_files
from autograder.course.source import Cell, Role, SourceError, defined_names, parsed, read_source


@dataclass(frozen=True, slots=True)
class Variant:
    """Other code for one or more questions, from accepted/, mistakes/ or heldout/."""

    path: Path
    code: str
    doc: str

    @property
    def name(self) -> str:
        """The file's stem, which says what is different."""
        return self.path.stem


@dataclass(frozen=True, slots=True)
class Mistake(Variant):
    """A known wrong answer to one question; its docstring is the hint that a student reads."""

    @property
    def name(self) -> str:
        """The first two parts of the file's name: the question and what is wrong.

        A third part tells apart several ways to write the same mistake.
        """
        return "__".join(self.path.stem.split("__")[:2])

    @property
    def question(self) -> str:
        """The question that the file's name begins with."""
        return self.name.partition("__")[0]

    @property
    def hint(self) -> str:
        """What leads a student to see the mistake."""
        return self.doc


@dataclass(frozen=True, slots=True)
class Heldout(Mistake):
    """A wrong answer on which the diagnosis is measured; its docstring says how it differs from the bank."""

    @property
    def expected(self) -> str | None:
        """The name of the known mistake that it makes, or None where it makes another one."""
        return None if self.name.startswith(f"{self.question}__unknown_") else self.name


_Kind = TypeVar("_Kind", bound=Mistake)


@dataclass(frozen=True)
class Exercise:
    """One exercise, read from the folder of its name."""

    folder: Path

    @property
    def name(self) -> str:
        """The folder's name, by which course.yaml, the gradebook and students know the exercise."""
        return self.folder.name

    @property
    def source(self) -> Path:
        """The notebook with solutions, as text in jupytext's percent format."""
        return self.folder / f"{self.name}.py"

    @property
    def suite(self) -> Path:
        """The hidden tests."""
        return self.folder / "test_hidden.py"

    @property
    def files(self) -> tuple[Path, ...]:
        """All that its author has written, in order; what programs leave in the folder does not count."""
        return own_files(self.folder)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The source's cells, in order."""
        if not self.source.is_file():
            raise SourceError(
                f"{self.source}: missing; write the exercise there or take {self.name} out of course.yaml"
            )
        return read_source(self.source)

    @cached_property
    def points(self) -> dict[str, float]:
        """The points of each question that tests grade, in the notebook's order."""
        checks = {cell.name: cell.points for cell in self.cells if cell.role is Role.CHECK}
        return {cell.name: checks[cell.name] for cell in self.cells if cell.role is Role.SOLUTION}

    @cached_property
    def written(self) -> dict[str, float]:
        """The points of each written answer."""
        return {cell.name: cell.points for cell in self.cells if cell.role is Role.MANUAL}

    @cached_property
    def demos(self) -> frozenset[str]:
        """The text of each demo cell, which only draws: grading need not run it."""
        return frozenset(cell.text for cell in self.cells if cell.role is Role.DEMO)

    @cached_property
    def given(self) -> frozenset[str]:
        """The text of each code cell that students get as it is."""
        return frozenset(cell.text for cell in self.cells if cell.role is Role.CODE)

    @cached_property
    def reference(self) -> tuple[str, ...]:
        """The code of the trusted solution, cell by cell."""
        return tuple(cell.text for cell in self.cells if cell.is_reference)

    @cached_property
    def accepted(self) -> tuple[Variant, ...]:
        """Other right answers."""
        return tuple(self._variant(path) for path in own_files(self.folder / "accepted", "*.py"))

    @cached_property
    def mistakes(self) -> tuple[Mistake, ...]:
        """Known wrong answers."""
        return tuple(self._wrong("mistakes", Mistake))

    @cached_property
    def heldout(self) -> tuple[Heldout, ...]:
        """Wrong answers that measure whether mistakes are called by their names."""
        known = {mistake.name for mistake in self.mistakes} | {None}
        heldout = tuple(self._wrong("heldout", Heldout))
        for answer in heldout:
            if answer.expected not in known:
                fix = f"name it after one in mistakes/, or {answer.question}__unknown_what.py"
                raise SourceError(f'{answer.path}: "{answer.name}" is no known mistake; {fix}')
        return heldout

    def replaced(self, code: str) -> dict[str, str]:
        """Return what `code` puts in each solution cell whose question it defines.

        All of `code` goes into the first of these cells, so that its own helpers come along; the others
        become empty.
        """
        defined = defined_names(code)
        names = [name for name in self.points if name in defined]
        return dict(zip(names, [code] + [""] * (len(names) - 1), strict=False))

    def variant(self, code: str) -> tuple[str, ...]:
        """Return the reference's code with the questions that `code` defines answered by it."""
        replaced = self.replaced(code)
        return tuple(
            replaced.get(cell.name, cell.text) if cell.role is Role.SOLUTION else cell.text
            for cell in self.cells
            if cell.is_reference
        )

    def _variant(self, path: Path) -> Variant:
        code = path.read_text(encoding="utf-8")
        variant = Variant(path, code, _doc(path, code))
        if not self.replaced(code):
            raise SourceError(
                f"{path}: defines no question of {self.name}; name its function or class after one"
            )
        return variant

    def _wrong(self, folder: str, kind: type[_Kind]) -> Iterator[_Kind]:
        """Read the wrong answers in a folder: each defines the one question that its name says."""
        for path in own_files(self.folder / folder, "*.py"):
            code = path.read_text(encoding="utf-8")
            mistake = kind(path, code, _doc(path, code))
            if mistake.question not in self.points:
                fix = "name the file question__what.py"
                raise SourceError(f'{path}: "{mistake.question}" is no question; {fix}')
            if list(self.replaced(code)) != [mistake.question]:
                raise SourceError(f"{path}: must define {mistake.question} and no other question")
            yield mistake


def _doc(path: Path, code: str) -> str:
    """Return the docstring on one line; every variant must have one."""
    doc = ast.get_docstring(parsed(path, code))
    if not doc:
        raise SourceError(
            f"{path}: has no docstring; begin with one that says what is different, or hints at it"
        )
    return " ".join(doc.split())
