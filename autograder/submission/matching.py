"""Finds the graded cells of an exercise among the cells of a submission, even where metadata is lost."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from autograder.course.code import bound_names
from autograder.course.source import GRADED, Cell, Role
from autograder.submission.notebook import NotebookCell


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


def answers_anything(
    cells: Sequence[Cell], submitted: Sequence[NotebookCell], released: Collection[str]
) -> bool:
    """Whether a submission holds an answer to any question, which the stub is not.

    Without the definition of a single question, it is a file of something else. `released` are the texts of
    all cells as students get them: any other text may be a written answer.
    """
    submitted = in_exercise_form(cells, submitted)
    if not defines_any([cell.name for cell in cells if cell.role is Role.SOLUTION], submitted):
        return False
    pairs = ((one.graded, one.submitted) for one in restore(cells, submitted, {}) if one.submitted)
    return any(
        cell.text.strip() not in ("", graded.released().strip())
        if graded is not None and graded.role is not Role.CHECK
        else cell.kind == "markdown" and cell.text.strip() not in released
        for graded, cell in pairs
    )


def defines_any(names: Sequence[str], submitted: Iterable[NotebookCell]) -> bool:
    """Whether any code cell defines one of these questions, or there are none."""
    defined = (bound_names(cell.text) for cell in submitted if cell.kind == "code")
    return not names or any(name in bound for bound in defined for name in names)


def in_exercise_form(cells: Sequence[Cell], submitted: Sequence[NotebookCell]) -> tuple[NotebookCell, ...]:
    """Return the submission's cells with the types that they have in the exercise, and one for each answer.

    One key in Jupyter (Y, M or R) changes a cell's type. Such a cell is recognised by its grade_id or its
    cell id. It stays as it is if the submission answers the question in another cell of the right type.
    Documents, as of Quarto, have one text cell where a notebook has several.
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
    """Return a text cell with several prompts as one cell for each, or as it is."""
    starts = sorted(place for prompt in prompts if (place := cell.text.find(prompt)) >= 0)
    if len(starts) < 2:
        return [cell]
    borders = [0, *starts[1:], len(cell.text)]
    texts = [cell.text[start:end].strip() for start, end in pairwise(borders)]
    return [replace(cell, text=texts[0]), *(NotebookCell(0, cell.kind, text) for text in texts[1:])]


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
        signs = (self._has_grade_id, self._has_cell_id, self._has_content, self._has_prompt, self._is_between)
        for sign in signs:
            for cell in self.graded:
                candidates = () if cell.grade_id in self.found else self._free(cell)
                if fitting := [candidate for candidate in candidates if sign(cell, candidate)]:
                    self.found[cell.grade_id] = self._best(cell, fitting)

    def _best(self, cell: Cell, candidates: list[NotebookCell]) -> NotebookCell:
        """Return the candidate that counts: the last of several definitions to run, else the first copy."""
        if cell.role is Role.SOLUTION:
            return ([c for c in candidates if cell.name in bound_names(c.text)] or candidates)[-1]
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
            return cell.name in bound_names(candidate.text)
        text = candidate.text.strip()
        if cell.role is Role.MANUAL:
            return text == cell.released().strip()
        first = text.partition("\n")[0].strip()
        return text == cell.text.strip() or first in (f'@check("{cell.name}")', f"# Check of {cell.name}")

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

    def _numbers(self, graded: Sequence[Cell]) -> list[int]:
        return [self.found[cell.grade_id].number for cell in graded if cell.grade_id in self.found]
