"""The code cells that really ran, in their order, and how far each of them came."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from autograder.grading.cell_result import CellResult
from autograder.submission.notebook import NotebookCell


@dataclass(frozen=True, slots=True)
class RanCell:
    """A cell that was run in the worker that answered: to its end, or up to the line at which it failed."""

    number: int
    code: str
    failed_at: int | None = None  # None: it ran to its end; 0: it failed, and nobody knows where


def ran_cells(cells: Iterable[NotebookCell], results: Mapping[int, CellResult]) -> Iterator[RanCell]:
    """Yield those of `cells` that have a result, and so were neither left out nor only shown."""
    for cell in cells:
        if (result := results.get(cell.number)) is None:
            continue
        if result.error is None:
            yield RanCell(cell.number, cell.text)
        else:
            lines = [line for number, line in result.error.places if number == cell.number]
            yield RanCell(cell.number, cell.text, (lines[-1] if lines else None) or 0)
