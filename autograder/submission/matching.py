"""Finds the graded cells of an exercise among the cells of a submission, even where metadata is lost."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from autograder.course.source import GRADED, Cell, Role, defined_names
from autograder.submission.notebook import NotebookCell
from autograder.submission.script import quick_to_parse

_MAX_CODE = 300_000  # characters of code; a notebook with more is searched line by line


@dataclass(frozen=True, slots=True)
class RestoredCell:
    """A cell of the notebook that is shown: the student's cell, and the graded cell that it answers, if any.

    A graded cell that the submission lacks has no cell of the student.
    """

    graded: Cell | None
    submitted: NotebookCell | None


def restore(
    cells: Sequence[Cell], submitted: Sequence[NotebookCell], ids: dict[str, int], given: Iterable[str] = ()
) -> tuple[RestoredCell, ...]:
    """Return the submission's cells in their order, each graded cell once, missing ones where they belong.

    `ids` gives the submitted cell that still has the cell id of a graded one, by grade_id. `given` is text
    that the release adds to the exercise's own.
    """
    texts = (*(cell.text for cell in cells if cell.role is Role.TEXT), *given)
    match = _Match(cells, submitted, ids, {text.strip() for text in texts})
    owner = {match.found[cell.grade_id].number: cell for cell in cells if cell.grade_id in match.found}
    places = [RestoredCell(owner.get(cell.number), cell) for cell in submitted]
    position = 0
    for cell in match.graded:
        if cell.grade_id not in match.found:
            places.insert(position, RestoredCell(cell, None))
        position = 1 + next(i for i, place in enumerate(places) if place.graded is cell)
    return tuple(places)


class _Match:
    """Pairs graded cells with submitted ones, the surest signs first; no submitted cell is taken twice."""

    def __init__(
        self, cells: Sequence[Cell], submitted: Sequence[NotebookCell], ids: dict[str, int], given: set[str]
    ) -> None:
        self.graded = [cell for cell in cells if cell.role in GRADED]
        self.found: dict[str, NotebookCell] = {}
        self._submitted = submitted
        self._ids = ids
        self._given = given
        self._prompts = {cell: text.text.strip() for text, cell in pairwise(cells) if text.role is Role.TEXT}
        code = sum(len(cell.text) for cell in submitted if cell.kind == "code")
        self._names = cache(_names)  # each cell is asked about for each question
        self._is_short = code <= _MAX_CODE
        signs = (self._has_grade_id, self._has_cell_id, self._has_content, self._has_prompt, self._is_between)
        for sign in signs:
            for cell in self.graded:
                candidates = () if cell.grade_id in self.found else self._free(cell)
                if fitting := [candidate for candidate in candidates if sign(cell, candidate)]:
                    self.found[cell.grade_id] = self._best(cell, fitting)

    def _best(self, cell: Cell, candidates: list[NotebookCell]) -> NotebookCell:
        """Return the candidate that counts: the last of several definitions to run, else the first copy."""
        if cell.role is Role.SOLUTION:
            return ([c for c in candidates if self._defines(c.text, cell.name)] or candidates)[-1]
        return ([c for c in candidates if c.text.strip() == cell.text.strip()] or candidates)[0]

    def _free(self, cell: Cell) -> Iterator[NotebookCell]:
        taken = {candidate.number for candidate in self.found.values()}
        kind = "code" if cell.is_code else "markdown"
        return (c for c in self._submitted if c.number not in taken and c.kind == kind)

    def _has_grade_id(self, cell: Cell, candidate: NotebookCell) -> bool:
        return candidate.name == cell.grade_id

    def _has_cell_id(self, cell: Cell, candidate: NotebookCell) -> bool:
        return candidate.number == self._ids.get(cell.grade_id)

    def _has_content(self, cell: Cell, candidate: NotebookCell) -> bool:
        """Whether the text defines the question, or is the check's or the untouched written answer's."""
        if cell.role is Role.SOLUTION:
            return self._defines(candidate.text, cell.name)
        text = candidate.text.strip()
        if cell.role is Role.MANUAL:
            return text == cell.released().strip()
        return text == cell.text.strip() or text.partition("\n")[0].strip() == f"# Check of {cell.name}"

    def _has_prompt(self, cell: Cell, candidate: NotebookCell) -> bool:
        """Whether a written answer stands below its prompt, or in the prompt's own cell."""
        if cell.role is not Role.MANUAL or not (prompt := self._prompts.get(cell)):
            return False
        text = candidate.text.strip()
        before = self._submitted[candidate.number - 1].text.strip() if candidate.number else ""
        return (before == prompt and text not in self._given) or (text.startswith(prompt) and text != prompt)

    def _is_between(self, cell: Cell, candidate: NotebookCell) -> bool:
        """Whether a written answer stands between the graded cells that surround it in the exercise."""
        if cell.role is not Role.MANUAL or candidate.text.strip() in self._given:
            return False
        here = self.graded.index(cell)
        after = max(self._numbers(self.graded[:here]), default=-1)
        return after < candidate.number < min(self._numbers(self.graded[here:]), default=len(self._submitted))

    def _defines(self, code: str, name: str) -> bool:
        names = self._names(code) if self._is_short else None
        return seems_to_define(code, name) if names is None else name in names

    def _numbers(self, graded: Sequence[Cell]) -> list[int]:
        return [self.found[cell.grade_id].number for cell in graded if cell.grade_id in self.found]


def defines(code: str, name: str) -> bool:
    """Whether `code` binds `name` at its top level; code that is no Python is searched line by line."""
    names = _names(code)
    return seems_to_define(code, name) if names is None else name in names


def _names(code: str) -> set[str] | None:
    """Return the names that `code` binds at its top level, or None where it cannot be parsed."""
    try:
        return defined_names(code) if quick_to_parse(code) else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def seems_to_define(code: str, name: str) -> bool:
    """Whether a line of `code` looks as if it bound `name`; this is quick, whatever the code."""
    starts = (f"def {name}(", f"class {name}(", f"class {name}:", f"{name} =", f"async def {name}(")
    return any(line.startswith(starts) for line in code.splitlines())
