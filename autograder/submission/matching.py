"""Finds which cell of a submission is which graded cell of its exercise, whatever is left of the marks."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from autograder.course.source import Cell, Role, defined_names
from autograder.submission.notebook import NotebookCell

_MAX_CODE = 300_000  # characters of code: more is read line by line
GRADED = (Role.SOLUTION, Role.CHECK, Role.MANUAL)


@dataclass(frozen=True, slots=True)
class RestoredCell:
    """A cell of the notebook to be shown: the student's, and the graded cell that it is, where it is one.

    A graded cell that the submission lacks stands alone.
    """

    graded: Cell | None
    submitted: NotebookCell | None


def restore(
    cells: Sequence[Cell],
    submitted: Sequence[NotebookCell],
    ids: Mapping[str, int],
    given: Collection[str] = (),
) -> tuple[RestoredCell, ...]:
    """Return the submission's cells in their order, each graded cell once, missing ones where they belong.

    `ids` gives the submitted cell that still has the cell id of a graded one, by grade_id. `given` is text
    that the release adds to the exercise's own.
    """
    found = _Match(cells, submitted, ids, given).found
    owner = {found[cell.grade_id].number: cell for cell in cells if cell.grade_id in found}
    places = [RestoredCell(owner.get(cell.number), cell) for cell in submitted]
    position = 0
    for cell in (cell for cell in cells if cell.role in GRADED):
        if cell.grade_id not in found:
            places.insert(position, RestoredCell(cell, None))
        position = 1 + next(i for i, place in enumerate(places) if place.graded is cell)
    return tuple(places)


class _Match:
    """Pairs graded cells with submitted ones, the surest signs first; no submitted cell is taken twice."""

    def __init__(
        self,
        cells: Sequence[Cell],
        submitted: Sequence[NotebookCell],
        ids: Mapping[str, int],
        given: Collection[str],
    ) -> None:
        self._cells = cells
        self._submitted = submitted
        self._ids = ids
        code = sum(len(cell.text) for cell in submitted if cell.kind == "code")
        self._defines = defines if code <= _MAX_CODE else seems_to_define
        texts = [cell.text for cell in cells if cell.role is Role.TEXT]
        self._given = {text.strip() for text in (*texts, *given)}
        self.found: dict[str, NotebookCell] = {}
        signs: tuple[Callable[[Cell], Iterator[NotebookCell]], ...] = (
            self._by_grade_id, self._by_cell_id, self._by_content, self._by_prompt, self._by_position,
        )  # fmt: skip
        for sign in signs:
            for cell in cells:
                if cell.role in GRADED and cell.grade_id not in self.found:
                    self._take(cell, list(sign(cell)))

    def _take(self, cell: Cell, candidates: list[NotebookCell]) -> None:
        """Take the candidate that counts: of definitions the last one run, else the first copy."""
        if not candidates:
            return
        if cell.role is Role.SOLUTION:
            defining = [candidate for candidate in candidates if self._defines(candidate.text, cell.name)]
            self.found[cell.grade_id] = (defining or candidates)[-1]
        else:
            same = [candidate for candidate in candidates if candidate.text.strip() == cell.text.strip()]
            self.found[cell.grade_id] = (same or candidates)[0]

    def _free(self, cell: Cell) -> Iterator[NotebookCell]:
        taken = {candidate.number for candidate in self.found.values()}
        kind = "code" if cell.is_code else "markdown"
        return (c for c in self._submitted if c.number not in taken and c.kind == kind)

    def _by_grade_id(self, cell: Cell) -> Iterator[NotebookCell]:
        return (c for c in self._free(cell) if c.name == cell.grade_id)

    def _by_cell_id(self, cell: Cell) -> Iterator[NotebookCell]:
        return (c for c in self._free(cell) if c.number == self._ids.get(cell.grade_id))

    def _by_content(self, cell: Cell) -> Iterator[NotebookCell]:
        if cell.role is Role.SOLUTION:
            return (c for c in self._free(cell) if self._defines(c.text, cell.name))
        return (c for c in self._free(cell) if _resembles(c.text, cell))

    def _by_prompt(self, cell: Cell) -> Iterator[NotebookCell]:
        """Find a written answer below its prompt, or in the prompt's own cell."""
        prompt = self._prompt(cell)
        if cell.role is not Role.MANUAL or not prompt:
            return
        for candidate in self._free(cell):
            before = self._submitted[candidate.number - 1].text.strip() if candidate.number else ""
            follows = before == prompt and candidate.text.strip() not in self._given
            if follows or (candidate.text.strip().startswith(prompt) and candidate.text.strip() != prompt):
                yield candidate

    def _by_position(self, cell: Cell) -> Iterator[NotebookCell]:
        """Find a written answer between the graded cells that surround it in the exercise."""
        if cell.role is not Role.MANUAL:
            return
        order = [other for other in self._cells if other.role in GRADED]
        here = order.index(cell)
        numbers = [self.found[o.grade_id].number if o.grade_id in self.found else None for o in order]
        after = max((n for n in numbers[:here] if n is not None), default=-1)
        before = min((n for n in numbers[here:] if n is not None), default=len(self._submitted))
        for candidate in self._free(cell):
            if after < candidate.number < before and candidate.text.strip() not in self._given:
                yield candidate

    def _prompt(self, cell: Cell) -> str:
        before = self._cells[: self._cells.index(cell)]
        return before[-1].text.strip() if before and before[-1].role is Role.TEXT else ""


def defines(code: str, name: str) -> bool:
    """Whether `code` binds `name` at its top level; code that is no Python is read line by line."""
    try:
        return name in defined_names(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return seems_to_define(code, name)


def seems_to_define(code: str, name: str) -> bool:
    """Whether a line of `code` looks as if it bound `name`: quick, whatever the code."""
    starts = (f"def {name}(", f"class {name}(", f"class {name}:", f"{name} =", f"async def {name}(")
    return any(line.startswith(starts) for line in code.splitlines())


def _resembles(text: str, cell: Cell) -> bool:
    if cell.role is Role.MANUAL:
        return text.strip() == cell.released().strip()
    first = text.strip().partition("\n")[0].strip()
    return text.strip() == cell.text.strip() or first == f"# Check of {cell.name}"
