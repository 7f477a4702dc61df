"""An exercise's folder: its source, its hidden suite, its right answers and its wrong ones."""

import ast
import re
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

from autograder.course.code import bound_names
from autograder.course.given import given_checks
from autograder.course.names import suggestion
from autograder.course.packages import DEFAULT, TORCH, name_of
from autograder.course.source import (
    Cell,
    Role,
    SourceError,
    fingerprint,
    loaded,
    parsed,
    read_source,
    read_text,
)
from autograder.course.yaml_lines import KeyPath


def own_files(folder: Path, pattern: str = "**/*") -> tuple[Path, ...]:
    """Return the files below `folder` that match `pattern`, in order.

    Hidden ones count as left by programs: JupyterLab makes `.ipynb_checkpoints`, macOS `.DS_Store` and `._*`.
    """
    return tuple(
        path
        for path in sorted(folder.glob(pattern))
        if path.is_file() and not any(map(left_by_programs, path.relative_to(folder).parts))
    )


def left_by_programs(name: str) -> bool:
    """Whether a file or folder of this name is none that an author has written."""
    return name.startswith(".") or name == "__pycache__"


@dataclass(frozen=True, slots=True)
class Variant:
    """Other code for one or more questions, from accepted/, mistakes/ or heldout/."""

    path: Path
    code: str
    hint: str  # the file's docstring, which leads a student to see a mistake

    @property
    def name(self) -> str:
        """The file's stem, which says what is different."""
        return self.path.stem


@dataclass(frozen=True, slots=True)
class Mistake(Variant):
    """A known wrong answer to one question, whose hint a student reads."""

    questions: tuple[str, ...] = ()  # of the exercise

    @property
    def name(self) -> str:
        """The first two parts of the file's name: the question and what is wrong.

        A third part tells apart several ways to write the same mistake.
        """
        what = self.path.stem.removeprefix(self.question).removeprefix("__").partition("__")[0]
        return f"{self.question}__{what}" if what else self.question

    @property
    def question(self) -> str:
        """The longest question that the file's name begins with."""
        fitting = [name for name in self.questions if self.path.stem.startswith(f"{name}__")]
        return max(fitting, key=len, default=self.path.stem.partition("__")[0])


@dataclass(frozen=True, slots=True)
class Heldout(Mistake):
    """A wrong answer on which the diagnosis is measured; its docstring says how it differs from the bank."""

    @property
    def expected(self) -> str | None:
        """The name of the known mistake that it makes, or None where it makes another one."""
        return None if self.name.startswith(f"{self.question}__unknown_") else self.name


_Kind = TypeVar("_Kind", bound=Variant)


@dataclass(frozen=True)
class Exercise:
    """One exercise, read from the folder of its name."""

    folder: Path
    forbid: Mapping[str, Sequence[str]] = field(default_factory=dict, compare=False)  # words, by question
    packages: tuple[str, ...] = field(default=DEFAULT, compare=False)  # of its course, as pip names them

    @property
    def has_torch(self) -> bool:
        """Whether its course needs torch."""
        return TORCH in map(name_of, self.packages)

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
    def handout(self) -> tuple[Path, ...]:
        """The files that students get beside the notebook, which no graded cell may need."""
        return own_files(self.folder / "handout", "*")

    @property
    def loaded(self) -> tuple[Path, ...]:
        """The files that its demo cells share with those of other exercises."""
        return tuple(loaded(self.source))

    @property
    def files(self) -> tuple[Path, ...]:
        """All files that its author has written, in order, without those that programs leave there."""
        return own_files(self.folder)

    @property
    def catalogue(self) -> tuple[Path, ...]:
        """The files of the course's catalogue of misconceptions, which all exercises share."""
        return own_files(self.folder.parent / "misconceptions", "*.py")

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The source's cells, in order."""
        if not self.source.is_file():
            fix = f"write the exercise there or take {self.name} out of course.yaml"
            raise SourceError(f"{self.source}: missing; {fix}")
        cells = [*read_source(self.source)]
        if self.given_checks:
            first = next((n for n, cell in enumerate(cells, 1) if cell.role is Role.CODE), 0)
            cells.insert(first, Cell(Role.CODE, self.given_checks, line=cells[first - 1].line))
        return tuple(cells)

    @cached_property
    def title(self) -> str:
        """The notebook's first heading, or the exercise's name where it has none."""
        texts = (cell.text for cell in self.cells if cell.role is Role.TEXT)
        found = next((match for text in texts if (match := _HEADING.search(text))), None)
        return found[1].strip() if found else self.name

    @cached_property
    def given_checks(self) -> str:
        """The cell that checks need, which a release puts below the imports; empty where none needs it."""
        checks = [cell.text for cell in read_source(self.source) if cell.role is Role.CHECK]
        if not any("@check(" in text for text in checks):
            return ""
        return given_checks(self.folder, self.forbid)

    @cached_property
    def points(self) -> dict[str, float]:
        """The points of each question that tests grade, in the notebook's order."""
        checks = {cell.name: cell.points for cell in self.cells if cell.role is Role.CHECK}
        return {cell.name: checks[cell.name] for cell in self.cells if cell.role is Role.SOLUTION}

    @property
    def questions(self) -> list[str]:
        """The questions that tests grade, or none while the source is wrong, which using it will show."""
        try:
            return list(self.points)
        except SourceError:
            return []

    @cached_property
    def written(self) -> dict[str, float]:
        """The points of each written answer."""
        return {cell.name: cell.points for cell in self.cells if cell.role is Role.MANUAL}

    @property
    def named(self) -> list[str]:
        """All questions, tested and written, or none while the source is wrong."""
        return [*self.questions, *self.written] if self.questions else []

    @cached_property
    def demos(self) -> frozenset[str]:
        """The text of each demo cell, which only draws: grading need not run it."""
        return frozenset(cell.text for cell in self.cells if cell.role is Role.DEMO)

    @cached_property
    def _drawings(self) -> frozenset[str]:
        return frozenset(map(fingerprint, self.demos))

    @cached_property
    def _draw(self) -> dict[str, bool]:
        """Of the exercise's own cells, as nearly all of a submission are: whether they only draw."""
        return {cell.text: fingerprint(cell.text) in self._drawings for cell in self.cells}

    def only_draws(self, code: str) -> bool:
        """Whether some code is that of a demo cell; comments, blank lines and line ends do not count."""
        known = self._draw.get(code)
        return fingerprint(code) in self._drawings if known is None else known

    def needs_no_run(self, code: str) -> bool:
        """Whether grading leaves a cell out: one that draws, or the one given for checks, however edited."""
        first = self.given_checks.partition("\n")[0]
        return self.only_draws(code) or bool(first and code.lstrip().startswith(first))

    @cached_property
    def given(self) -> frozenset[str]:
        """The text of each code cell that students get as it is."""
        return frozenset(cell.text for cell in self.cells if cell.role is Role.CODE)

    @property
    def unchanged(self) -> list[str]:
        """The text of each code cell that most submissions have as it was released, and that grading runs."""
        return [cell.text for cell in self.cells if cell.role in (Role.CODE, Role.CHECK)]

    @cached_property
    def reference(self) -> tuple[str, ...]:
        """The code of the trusted solution, cell by cell."""
        return tuple(cell.text for cell in self.cells if cell.is_reference)

    @cached_property
    def accepted(self) -> tuple[Variant, ...]:
        """Other right answers."""
        return tuple(self._variants("accepted", Variant))

    @cached_property
    def mistakes(self) -> tuple[Mistake, ...]:
        """Known wrong answers."""
        return tuple(self._variants("mistakes", partial(Mistake, questions=tuple(self.points))))

    @cached_property
    def heldout(self) -> tuple[Heldout, ...]:
        """Wrong answers that measure whether mistakes are called by their names."""
        return tuple(self._variants("heldout", partial(Heldout, questions=tuple(self.points))))

    def replaced(self, code: str) -> dict[str, str]:
        """Return what `code` puts in each solution cell whose question it defines.

        All of `code` goes into the first of these cells, so that its own helpers come along; the others
        become empty.
        """
        defined = bound_names(code)
        names = [name for name in self.points if name in defined]
        return {name: "" if number else code for number, name in enumerate(names)}

    def variant(self, code: str) -> tuple[str, ...]:
        """Return the reference's code with the questions that `code` defines answered by it."""
        replaced = self.replaced(code)
        return tuple(replaced.get(cell.name, cell.text) for cell in self.cells if cell.is_reference)

    def _variants(self, folder: str, make: Callable[[Path, str, str], _Kind]) -> Iterator[_Kind]:
        """Read the answers in a folder; SourceError says which of them does not belong there, and why."""
        for path in own_files(self.folder / folder, "*.py"):
            code = read_text(path)
            doc = ast.get_docstring(parsed(path, code)) or ""
            variant = make(path, code, " ".join(doc.split()))
            if problem := self._problem(variant):
                raise SourceError(f"{path}: {problem}")
            yield variant

    def _problem(self, variant: Variant) -> str:
        """Return what is wrong with `variant`: its docstring or the questions that it answers; or nothing."""
        if not variant.hint:
            return "has no docstring; begin with one that says what is different, or hints at it"
        answered = list(self.replaced(variant.code))
        if not isinstance(variant, Mistake):
            fix = "name its function or class after one"
            return "" if answered else f"defines no question of {self.name}; {fix}"
        if variant.question not in self.points:
            return f'"{variant.question}" is not a question; name the file question__what.py'
        alone = answered == [variant.question]
        return "" if alone else f"must define {variant.question} and no other question"


_HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
_CELL = re.compile(r"cell (\d+)")  # the file name under which a worker compiles code cell N


@contextmanager
def reference_errors(exercise: Exercise, variant: Variant | None = None) -> Iterator[None]:
    """Turn what running the reference, or a variant of it, raises here into a SourceError with its line."""
    try:
        yield
    except (Exception, SystemExit) as error:
        text = str(error.msg if isinstance(error, SyntaxError) else error)
        said = f"{type(error).__name__}: {text}" if text else type(error).__name__
        fix = "all cells but checks and demos must run, one after the other, as plain Python"
        raise SourceError(f"{_place(exercise, variant, error)}: {said}; {fix}") from error


def _place(exercise: Exercise, variant: Variant | None, error: BaseException) -> str:
    if (found := _cell_line(error)) is None:
        return str(variant.path if variant else exercise.source)
    number, line = found
    cell = [cell for cell in exercise.cells if cell.is_reference][number]
    if variant and cell.name in exercise.replaced(variant.code):
        return f"{variant.path}:{line}"
    return f"{exercise.source}:{cell.line + line - 1}"


def _cell_line(error: BaseException) -> tuple[int, int] | None:
    """Return the number of the innermost cell from which the error comes, and the line in that cell."""
    places = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    if isinstance(error, SyntaxError):
        places.append((error.filename or "", error.lineno or 1))
    for name, line in reversed(places):
        if match := _CELL.fullmatch(name):
            return int(match[1]), line
    return None


BUILDS_ON = "builds_on"


@dataclass(frozen=True, slots=True)
class Building:
    """What the questions of one exercise may build on.

    Where a question fails and one that it builds on has failed too, it is graded once more with a right one.
    An answer that was left empty is no mistake that could be carried forward.
    """

    builds_on: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by the later question


def problems(exercise: Exercise, entry: Mapping[str, Any]) -> Iterator[tuple[KeyPath, str]]:
    """Yield what is wrong with an exercise's entry in course.yaml that may have any form, and where.

    What a later question builds on has to come before it, and to be a function: its calls are answered by
    the grader, which cannot keep objects for a submission.
    """
    order = exercise.questions
    functions = set(_functions(exercise)) if order else set()
    builds_on = entry.get(BUILDS_ON)
    for later, names in builds_on.items() if isinstance(builds_on, dict) and order else ():
        for place, name in enumerate(names if isinstance(names, list) and later in order else ()):
            path = (BUILDS_ON, str(later), place)
            before = order[: order.index(later)]
            if name not in order:
                yield path, f'{exercise.name} has no question "{name}"; {suggestion(str(name), order)}'
            elif name not in before:
                fix = f"use one of {', '.join(before)}" if before else "it is the first, so delete this"
                yield path, f'"{name}" does not come before {later}; {fix}'
            elif name not in functions:
                yield path, f'"{name}" is no function, so no right one can stand in for it; delete it here'


def _functions(exercise: Exercise) -> Iterator[str]:
    """Yield the questions whose answers are functions."""
    try:
        solutions = [cell for cell in exercise.cells if cell.role is Role.SOLUTION]
    except SourceError:
        return
    for cell in solutions:
        for node in ast.parse(cell.text).body:
            if isinstance(node, ast.FunctionDef) and node.name == cell.name:
                yield cell.name
