"""An exercise's folder: its source, its hidden tests, and its right and wrong answers.

The handout is the folder of files that students get with the notebook. The given cell of a notebook defines
`check` and `hint`. A demo cell only draws figures. The reference is the code of the author's solution.
"""

import ast
import re
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from autograder.course.answers import ACCEPTED, MISTAKES, Answer, Kind, read_answers
from autograder.course.code import UNREADABLE, bound_names, quick_to_parse
from autograder.course.code import parsed as parsed_code
from autograder.course.kit import given_checks
from autograder.course.names import suggestion
from autograder.course.packages import DEFAULT, TORCH, name_of
from autograder.course.rule import Rule, all_operators
from autograder.course.settings import ExerciseSettings
from autograder.course.source import (
    Cell,
    Role,
    SourceError,
    fingerprint,
    imported,
    loaded,
    read_source,
)
from autograder.course.yaml_lines import KeyPath

HANDOUT = "handout"


@contextmanager
def in_handout_folder(exercise: "Exercise") -> Iterator[None]:
    """Make the handout the current folder, so that the author's code finds the files by name."""
    folder = exercise.handout_folder
    with chdir(folder) if folder is not None and Path.cwd() != folder else nullcontext():
        yield


def own_files(folder: Path, pattern: str = "**/*") -> tuple[Path, ...]:
    """Return the sorted files below `folder` that match `pattern`, without files that programs create.

    JupyterLab creates `.ipynb_checkpoints`, macOS `.DS_Store` and `._*`, Python `__pycache__`.
    """
    return tuple(
        path
        for path in sorted(folder.glob(pattern))
        if path.is_file() and not any(map(left_by_programs, path.relative_to(folder).parts))
    )


def left_by_programs(name: str) -> bool:
    """Whether a program, rather than an author, creates files or folders of this name."""
    return name.startswith(".") or name == "__pycache__"


@dataclass(frozen=True)
class Exercise:
    """The paths and contents of an exercise's files, and its entry in course.yaml."""

    folder: Path
    settings: ExerciseSettings = field(default=ExerciseSettings(name="plain"), compare=False)
    packages: tuple[str, ...] = field(default=DEFAULT, compare=False)  # pip's names of the course's packages

    @property
    def rules(self) -> dict[str, Rule]:
        """The rules for answers, by question: the forbidden names and the allowed operators."""
        forbid = self.settings.forbid
        allowed = {question: all_operators(names) for question, names in self.settings.by_hand.items()}
        return {q: Rule(forbid.get(q, ()), allowed.get(q)) for q in dict.fromkeys([*forbid, *allowed])}

    @cached_property
    def has_torch(self) -> bool:
        """Whether the course needs torch."""
        return TORCH in map(name_of, self.packages)

    @property
    def name(self) -> str:
        """The folder's name, which students, course.yaml and the gradebook use."""
        return self.folder.name

    @property
    def source(self) -> Path:
        """The path of the notebook with solutions, which is text in jupytext's percent format."""
        return self.folder / f"{self.name}.py"

    @property
    def suite(self) -> Path:
        """The path of the hidden tests."""
        return self.folder / "test_hidden.py"

    @cached_property
    def handout_folder(self) -> Path | None:
        """The absolute path of the folder with the files that students get, or None if there is none."""
        folder = (self.folder / HANDOUT).absolute()
        return folder if folder.is_dir() else None

    @property
    def handout(self) -> dict[str, Path]:
        """The files that students get with the notebook, by path in the handout, such as data/a.csv."""
        folder = self.folder / HANDOUT
        return {path.relative_to(folder).as_posix(): path for path in own_files(folder)}

    @cached_property
    def handed_out(self) -> dict[str, bytes]:
        """The contents of the files in `handout`, by the same keys."""
        return {name: path.read_bytes() for name, path in self.handout.items()}

    @property
    def loaded(self) -> tuple[Path, ...]:
        """The files in solutions/ that the exercise's demo cells load."""
        return tuple(loaded(self.source))

    @property
    def imported(self) -> tuple[Path, ...]:
        """The modules in solutions/ that the exercise's hidden tests import."""
        return imported(self.suite)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files in the exercise's folder, sorted, without files that programs create."""
        return own_files(self.folder)

    @property
    def all_files(self) -> tuple[Path, ...]:
        """The files in the exercise's folder, and the files that it shares with other exercises."""
        return (*self.files, *self.catalogue, *self.loaded, *self.imported)

    @property
    def catalogue(self) -> tuple[Path, ...]:
        """The files in solutions/misconceptions/, which describe mistakes that occur in many exercises."""
        return own_files(self.folder.parent / "misconceptions", "*.py")

    @cached_property
    def own_cells(self) -> tuple[Cell, ...]:
        """The cells of the source, in order."""
        if not self.source.is_file():
            fix = f"write the exercise there or take {self.name} out of course.yaml"
            raise SourceError(f"{self.source}: missing; {fix}")
        return read_source(self.source)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The cells of the source. If the checks need the given cell, it is inserted below the imports."""
        cells = [*self.own_cells]
        if self.given_checks:
            title = int(cells[0].role is Role.TEXT)
            first = next((n for n, cell in enumerate(cells, 1) if cell.role is Role.CODE), title)
            cells.insert(first, Cell(Role.CODE, self.given_checks, line=cells[first - 1].line))
        return tuple(cells)

    @cached_property
    def title(self) -> str:
        """The notebook's first heading, or the exercise's name if it has no heading."""
        texts = (cell.text for cell in self.cells if cell.role is Role.TEXT)
        heading = next((match for text in texts if (match := _HEADING.search(text))), None)
        return heading[1].strip() if heading else self.name

    @cached_property
    def given_checks(self) -> str:
        """The text of the given cell, which a release puts below the imports; "" if no check needs it."""
        checks = [cell.text for cell in self.own_cells if cell.role is Role.CHECK]
        if not any("@check(" in text for text in checks):
            return ""
        return given_checks(self.folder, self.settings.forbid)

    @cached_property
    def points(self) -> dict[str, float]:
        """The points of each question with hidden tests, in the notebook's order."""
        checks = {cell.name: cell.points for cell in self.own_cells if cell.role is Role.CHECK}
        return {cell.name: checks[cell.name] for cell in self.own_cells if cell.role is Role.SOLUTION}

    @property
    def questions(self) -> list[str]:
        """The questions with hidden tests, or an empty list if the source is invalid.

        To get the error of an invalid source, read `own_cells`.
        """
        try:
            return list(self.points)
        except SourceError:
            return []

    @cached_property
    def written(self) -> dict[str, float]:
        """The points of each written answer."""
        return {cell.name: cell.points for cell in self.own_cells if cell.role is Role.MANUAL}

    @property
    def named(self) -> list[str]:
        """The questions with hidden tests and the written questions; an empty list for an invalid source."""
        return [*self.questions, *self.written] if self.questions else []

    @cached_property
    def _drawings(self) -> frozenset[str]:
        return frozenset(fingerprint(cell.text) for cell in self.cells if cell.role is Role.DEMO)

    def only_draws(self, code: str) -> bool:
        """Whether this is the code of a demo cell. Comments, blank lines and trailing spaces may differ."""
        return fingerprint(code) in self._drawings

    def needs_no_run(self, code: str) -> bool:
        """Whether grading skips a cell: a demo cell, the given cell, or a part of the given cell.

        A cell that begins with the given cell's first line counts as the given cell, even if students edited
        the rest. When a program such as Colab exports a notebook, it may split or indent the given cell. Such
        a part is recognised by its statements.
        """
        first = self.given_checks.partition("\n")[0]
        if self.only_draws(code) or (first and code.lstrip().startswith(first)):
            return True
        statements = _statements(code) if len(code) <= len(self.given_checks) else []
        with suppress(*UNREADABLE):  # ast.dump fails on trees that are too deep
            return bool(statements) and all(map(self._is_given, statements))
        return False

    def _is_given(self, statement: ast.stmt) -> bool:
        """Whether the given cell contains this statement. Names are compared first: `ast.dump` is slow."""
        return _bound_name(statement) in self._given_names and ast.dump(statement) in self._given_statements

    @cached_property
    def _given_names(self) -> frozenset[str]:
        return frozenset(map(_bound_name, _statements(self.given_checks)))

    @cached_property
    def _given_statements(self) -> frozenset[str]:
        return frozenset(map(ast.dump, _statements(self.given_checks)))

    @cached_property
    def given(self) -> frozenset[str]:
        """The texts of the code cells that are neither graded nor demos, such as the imports."""
        return frozenset(cell.text for cell in self.cells if cell.role is Role.CODE)

    @cached_property
    def reference(self) -> tuple[str, ...]:
        """The code of each cell of the author's solution, including ungraded cells such as the imports."""
        return tuple(cell.text for cell in self.cells if cell.is_reference)

    @cached_property
    def solutions(self) -> dict[str, str]:
        """The text of each solution cell, by question."""
        return {cell.name: cell.text for cell in self.cells if cell.role is Role.SOLUTION}

    @cached_property
    def accepted(self) -> tuple[Answer, ...]:
        """The other right answers, from accepted.py."""
        answers = read_answers(self.folder / ACCEPTED, Kind.ACCEPTED)
        for answer in answers:
            if not self.replaced(answer.code):
                fix = "give its function or class the name of a question"
                raise SourceError(f"{answer.place}: answers no question of {self.name}; {fix}")
        return answers

    def wrong_answers(self, path: Path | None = None) -> tuple[Answer, ...]:
        """Return the known mistakes and the exceptions in mistakes.py, or in the file `path`."""
        answers = read_answers(path or self.folder / MISTAKES, Kind.MISTAKE, Kind.EXCEPTION)
        for answer in answers:
            if answer.question not in self.points:
                fix = suggestion(answer.question, self.points)
                raise SourceError(f'{answer.place}: "{answer.question}" is not a question; {fix}')
        return answers

    def replaced(self, code: str) -> dict[str, str]:
        """Return the new text of each solution cell that `code` replaces, by question.

        If `code` answers several questions, the first cell gets all the code. The other cells become empty.
        """
        defined = bound_names(code)
        names = [name for name in self.points if name in defined]
        return {name: "" if number else code for number, name in enumerate(names)}

    def variant(self, code: str) -> tuple[str, ...]:
        """Return the cells of the reference, with the answers in `code` in place of the author's."""
        replaced = self.replaced(code)
        return tuple(replaced.get(cell.name, cell.text) for cell in self.cells if cell.is_reference)


def _statements(code: str) -> list[ast.stmt]:
    """Return the syntax tree of each statement except imports; no trees for unreadable code."""
    with suppress(*UNREADABLE):
        trees = parsed_code(code) if quick_to_parse(code) else None
        return [tree for tree in trees or () if not isinstance(tree, ast.Import | ast.ImportFrom)]
    return []


def _bound_name(statement: ast.stmt) -> str:
    """Return the name of a function or class, and an empty text for other statements."""
    return str(getattr(statement, "name", ""))


_HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
_CELL = re.compile(r"cell (\d+)")  # the file name under which a worker compiles code cell N


@contextmanager
def reference_errors(exercise: Exercise, variant: Answer | None = None) -> Iterator[None]:
    """Turn an error of the reference into a SourceError.

    `variant` is the answer that replaces a part of the reference, if any.
    """
    try:
        yield
    except (Exception, SystemExit) as error:
        text = str(error.msg if isinstance(error, SyntaxError) else error)
        message = f"{type(error).__name__}: {text}" if text else type(error).__name__
        fix = "all cells except checks and demos must run, one after the other, as plain Python"
        raise SourceError(f"{_error_place(exercise, variant, error)}: {message}; {fix}") from error


def _error_place(exercise: Exercise, variant: Answer | None, error: BaseException) -> str:
    """Return the file and line of the author's code in which an error was raised."""
    lines = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    if isinstance(error, SyntaxError):
        lines.append((error.filename or "", error.lineno or 1))
    cells = [(int(match[1]), line) for name, line in lines if (match := _CELL.fullmatch(name))]
    if not cells:
        return variant.place if variant else str(exercise.source)
    number, line = cells[-1]
    cell = [cell for cell in exercise.cells if cell.is_reference][number]
    if variant and cell.name in exercise.replaced(variant.code):
        return variant.place_of(line)
    return f"{exercise.source}:{cell.line + line - 1}"


# For each question, the earlier questions whose functions the answer may call. If an answer fails and calls a
# function that also failed, grading runs the answer again with the author's function.
BuildsOn = Mapping[str, Sequence[str]]
BUILDS_ON = "builds_on"
RULES = ("forbid", "by_hand", BUILDS_ON)  # the settings of an exercise that have an entry for each question


def wrong_rules(exercise: Exercise, rules: Mapping[str, BuildsOn]) -> Iterator[tuple[KeyPath, str]]:
    """Yield the key and a problem for each wrong entry in `rules`: the settings in RULES, by name.

    A question can only build on earlier questions that ask for a function.
    """
    order = exercise.questions if any(rules.values()) else []
    for kind, questions in rules.items() if order else ():
        for question in questions:
            if question not in order:
                problem = f'{exercise.name} has no question "{question}"; {suggestion(question, order)}'
                yield (kind, question), problem
    for later, names in rules.get(BUILDS_ON, {}).items():
        before = order[: order.index(later)] if later in order else order
        for number, name in enumerate(names if order else ()):
            if name not in order:
                problem = f'{exercise.name} has no question "{name}"; {suggestion(name, order)}'
            elif name not in before:
                first = f"{later} is the first question and cannot build on another; delete this entry"
                fix = f"use one of {', '.join(before)}" if before else first
                problem = f'"{name}" does not come before {later}; {fix}'
            elif not _is_function(exercise, name):
                problem = (
                    f'"{name}" is not a function, so grading cannot put a right answer in its place; '
                    "delete this entry"
                )
            else:
                continue
            yield (BUILDS_ON, later, number), problem


def _is_function(exercise: Exercise, question: str) -> bool:
    answers = (c.text for c in exercise.own_cells if c.role is Role.SOLUTION and c.name == question)
    defined = (node for text in answers for node in ast.parse(text).body)
    return any(isinstance(node, ast.FunctionDef) and node.name == question for node in defined)
