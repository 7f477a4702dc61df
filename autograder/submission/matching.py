"""Finds the graded cells of an exercise among the cells of a submission, even if metadata is lost.

The text cell above a written answer contains the question. It is called the answer's prompt.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from autograder.course.code import bound_names
from autograder.course.notebook import is_rubric
from autograder.course.source import GRADED, Cell, Role
from autograder.submission.notebook import NotebookCell


@dataclass(frozen=True, slots=True)
class RestoredCell:
    """A graded cell of the exercise, and the submitted cell that matches it."""

    graded: Cell | None  # None if the submitted cell matches no graded cell
    submitted: NotebookCell | None  # None if the submission lacks the graded cell


def restore(
    cells: Sequence[Cell], submitted: Sequence[NotebookCell], ids: dict[str, int], given: Iterable[str] = ()
) -> tuple[RestoredCell, ...]:
    """Return the submission's cells in order. Missing graded cells are inserted in the exercise's order.

    `ids` maps grade_ids of graded cells to the numbers of the submitted cells with the same cell ids. `given`
    are the texts of the released notebook's other cells.
    """
    texts = (*(cell.text for cell in cells if cell.role is Role.TEXT), *given)
    match = _Match(cells, submitted, ids, {text.strip() for text in texts})
    graded = {match.matched[cell.grade_id].number: cell for cell in cells if cell.grade_id in match.matched}
    restored = [RestoredCell(graded.get(cell.number), cell) for cell in submitted]
    index = 0
    for cell in match.graded:
        if cell.grade_id not in match.matched:
            restored.insert(index, RestoredCell(cell, None))
        index = 1 + next(i for i, restored_cell in enumerate(restored) if restored_cell.graded is cell)
    return tuple(restored)


def answers_anything(
    cells: Sequence[Cell], submitted: Sequence[NotebookCell], released: Collection[str]
) -> bool:
    """Whether a submission contains an answer to any question. An unchanged stub is not an answer.

    If no code cell defines a function or class that the exercise asks for, the file does not belong to this
    exercise, and the result is False. `released` are the texts of all released cells. A text cell whose text
    is not among them counts as a written answer.
    """
    submitted = in_exercise_form(cells, submitted)
    if not defines_any([cell.name for cell in cells if cell.role is Role.SOLUTION], submitted):
        return False
    restored = restore(cells, submitted, {})
    pairs = ((pair.graded, pair.submitted) for pair in restored if pair.submitted)
    return any(
        cell.text.strip() not in ("", graded.released().strip())
        if graded is not None and graded.role is not Role.CHECK
        else cell.kind == "markdown" and cell.text.strip() not in released and not is_rubric(cell.text)
        for graded, cell in pairs
    )


def defines_any(names: Sequence[str], submitted: Iterable[NotebookCell]) -> bool:
    """Whether any code cell defines one of these names. The result is True if `names` is empty."""
    defined = (bound_names(cell.text) for cell in submitted if cell.kind == "code")
    return not names or any(name in bound for bound in defined for name in names)


def in_exercise_form(cells: Sequence[Cell], submitted: Sequence[NotebookCell]) -> tuple[NotebookCell, ...]:
    """Return the submission's cells with the right types, and with one cell for each written answer.

    In Jupyter, one key (Y, M or R) changes a cell's type. A cell with the grade_id or cell id of a graded
    cell gets the right type back, unless another cell of the right type answers the question.

    In a document, such as Quarto's, one text cell can contain several written answers. Such a cell is split
    at the prompts of these answers.
    """
    types = dict[int, str]()
    for cell in cells:
        if cell.role not in GRADED:
            continue
        kind = "code" if cell.is_code else "markdown"
        named = [c for c in submitted if cell.grade_id in (c.name, c.id)]
        answers = cell.role is Role.SOLUTION and [c for c in submitted if cell.name in bound_names(c.text)]
        if named and not any(c.kind == kind for c in (*named, *(answers or ()))):
            types[named[0].number] = kind
    prompts = {text.text.strip() for text, cell in pairwise(cells) if cell.role is Role.MANUAL} - {""}
    typed = (replace(c, kind=types.get(c.number, c.kind)) for c in submitted)
    parts = (part for c in typed for part in (_split(c, prompts) if c.kind == "markdown" else [c]))
    return tuple(replace(part, number=number) for number, part in enumerate(parts))


def _split(cell: NotebookCell, prompts: Iterable[str]) -> list[NotebookCell]:
    """Split a text cell with several prompts into one cell for each prompt."""
    starts = sorted(start for prompt in prompts if (start := cell.text.find(prompt)) >= 0)
    if len(starts) < 2:
        return [cell]
    bounds = [0, *starts[1:], len(cell.text)]
    texts = [cell.text[start:end].strip() for start, end in pairwise(bounds)]
    return [replace(cell, text=texts[0]), *(NotebookCell(0, cell.kind, text) for text in texts[1:])]


class _Match:
    """Pairs each graded cell with at most one submitted cell: by metadata if possible, else by the text."""

    def __init__(
        self, cells: Sequence[Cell], submitted: Sequence[NotebookCell], ids: dict[str, int], texts: set[str]
    ) -> None:
        self.graded = [cell for cell in cells if cell.role in GRADED]
        self.matched: dict[str, NotebookCell] = {}  # the submitted cells by the grade_id of the graded cell
        self._submitted = submitted
        self._ids = ids
        self._texts = texts  # texts of released cells, which are not answers
        self._prompts = {cell: text.text.strip() for text, cell in pairwise(cells) if text.role is Role.TEXT}
        by_metadata = (self._has_grade_id, self._has_cell_id)
        by_text = (self._has_content, self._has_prompt, self._is_between)
        for criterion in (*by_metadata, *by_text):
            for cell in self.graded:
                candidates = () if cell.grade_id in self.matched else self._unmatched(cell)
                if matches := [candidate for candidate in candidates if criterion(cell, candidate)]:
                    self.matched[cell.grade_id] = self._best(cell, matches)

    def _best(self, cell: Cell, candidates: list[NotebookCell]) -> NotebookCell:
        """Prefer the last definition of a solution. For other cells, prefer the first equal text."""
        if cell.role is Role.SOLUTION:
            return ([c for c in candidates if cell.name in bound_names(c.text)] or candidates)[-1]
        return ([c for c in candidates if c.text.strip() == cell.text.strip()] or candidates)[0]

    def _unmatched(self, cell: Cell) -> Iterator[NotebookCell]:
        numbers = {candidate.number for candidate in self.matched.values()}
        kind = "code" if cell.is_code else "markdown"
        return (c for c in self._submitted if c.number not in numbers and c.kind == kind)

    def _has_grade_id(self, cell: Cell, candidate: NotebookCell) -> bool:
        return candidate.name == cell.grade_id

    def _has_cell_id(self, cell: Cell, candidate: NotebookCell) -> bool:
        return candidate.number == self._ids.get(cell.grade_id)

    def _has_content(self, cell: Cell, candidate: NotebookCell) -> bool:
        """Whether the candidate defines the solution, is the check, or is the stub of the written answer."""
        if cell.role is Role.SOLUTION:
            return cell.name in bound_names(candidate.text)
        text = candidate.text.strip()
        if cell.role is Role.MANUAL:
            return text == cell.released().strip()
        first = text.partition("\n")[0].strip()
        return text == cell.text.strip() or first in (f'@check("{cell.name}")', f"# Check of {cell.name}")

    def _has_prompt(self, cell: Cell, candidate: NotebookCell) -> bool:
        """Whether the candidate is below the prompt of a written answer, or begins with the prompt."""
        if cell.role is not Role.MANUAL or not (prompt := self._prompts.get(cell)):
            return False
        text = candidate.text.strip()
        before = self._submitted[candidate.number - 1].text.strip() if candidate.number else ""
        is_below = before == prompt and not self._is_released(text)
        return is_below or (text.startswith(prompt) and text != prompt)

    def _is_between(self, cell: Cell, candidate: NotebookCell) -> bool:
        """Whether the candidate comes after the earlier graded cells and before the later graded cells."""
        if cell.role is not Role.MANUAL or self._is_released(candidate.text):
            return False
        index = self.graded.index(cell)
        last = max(self._numbers(self.graded[:index]), default=-1)
        following = min(self._numbers(self.graded[index:]), default=len(self._submitted))
        return last < candidate.number < following

    def _is_released(self, text: str) -> bool:
        return text.strip() in self._texts or is_rubric(text)

    def _numbers(self, graded: Sequence[Cell]) -> list[int]:
        return [self.matched[cell.grade_id].number for cell in graded if cell.grade_id in self.matched]
