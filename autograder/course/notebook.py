"""Builds the notebook from which nbgrader creates an exercise's release, and the kit's files for students."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from autograder.course.exercise import Exercise
from autograder.course.hints import check_hints
from autograder.course.kit import CHECKS, NAMES, SETUP, given_checks
from autograder.course.packages import name_of
from autograder.course.source import GRADED, Cell, Role

NotebookJson = dict[str, Any]  # the content of a notebook's file, read as JSON
HOW_TO_CHECK = """\
**How to check yourself.** Put your code where a cell says `# YOUR CODE HERE`, then run the check below it.
JupyterLab and Colab hide the code of checks. To read it, click on `...` or *Show code*.
To run all checks from a fresh start, install the packages that `SETUP.md` lists, save the notebook, and run
`pytest` in the notebook's folder.
For a hint, run {hints}. Each further call prints a plainer hint.
The checks are only a beginning: your score comes from further tests, on other inputs."""
# The rubric below a written question. Markdown inside HTML is rendered only between empty lines.
RUBRIC = """\
<details>
<summary>Open this after you have written your answer. {named}</summary>

{things}

</details>"""
_NUMBERS = {2: "two", 3: "three", 4: "four"}
# The metadata that ipykernel gives to notebooks. If a notebook has other values, Jupyter replaces them and
# marks the notebook as changed. Jupyter's exports read the suffix .py from the metadata.
_METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {
        "codemirror_mode": {"name": "ipython", "version": 3},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
        "version": "3.11.7",  # the Python with which the course is tested; students may have another version
    },
}
# JupyterLab, Notebook 7 and Colab fold a check; VS Code ignores this setting.
_HIDDEN = {"jupyter": {"source_hidden": True}, "cellView": "form"}
# With this tag, "Run all" continues after a check that fails, and after a demo that needs a missing answer.
_GOES_ON = "raises-exception"
_FOLDED = {**_HIDDEN, "tags": [_GOES_ON]}
_FORMAT = {"metadata": _METADATA, "nbformat": 4, "nbformat_minor": 5}


def build_notebook(exercise: Exercise) -> NotebookJson:
    """Return the source notebook of `exercise`, from which nbgrader creates the release."""
    first, *rest = exercise.cells
    question = next(iter(exercise.points), "question")
    here = f'`hint("{question}")` in a new cell, or `pytest --hint {question}` in a terminal'
    how = here if exercise.given_checks else "`pytest --hint QUESTION`"
    below_title = (Cell(Role.TEXT, HOW_TO_CHECK.format(hints=how)), *rest)
    notebook = notebook_of((first, *(part for cell in below_title for part in with_rubric(cell))))
    for cell in notebook["cells"]:
        if exercise.given_checks and "".join(cell["source"]) == exercise.given_checks:
            cell["metadata"] |= _HIDDEN
    return notebook


def with_rubric(cell: Cell) -> list[Cell]:
    """Return a cell, followed by its rubric if it has one."""
    if not (things := cell.rubric):
        return [cell]
    number = _NUMBERS.get(len(things))
    named = f"A full answer names {number} things." if number else "A full answer names these things."
    text = RUBRIC.format(named=named, things="\n".join(f"- {thing}" for thing in things))
    return [cell, Cell(Role.TEXT, text)]


_RUBRIC_CELL = re.compile(
    r"<details>\n<summary>Open this after [^\n]*</summary>\n(?:\n|- [^\n]*\n)*</details>"
)


def is_rubric(text: str) -> bool:
    """Whether a text cell is a rubric, of this or of an older release."""
    return _RUBRIC_CELL.fullmatch(text.strip()) is not None


def notebook_of(cells: Sequence[Cell]) -> NotebookJson:
    """Return the JSON of a notebook with these cells, each with a unique id."""
    return {"cells": list(map(_cell, cells, _ids(cells))), **_FORMAT}


def to_json(notebook: NotebookJson) -> str:
    """Return the text of a notebook's file. The same notebook always gives the same bytes."""
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _cell(cell: Cell, identity: str) -> dict[str, Any]:
    source = cell.text.splitlines(keepends=True)
    written = {"id": identity, "metadata": _cell_metadata(cell), "source": source}
    if cell.is_code:
        return {"cell_type": "code", "execution_count": None, "outputs": [], **written}
    return {"cell_type": "markdown", **written}


def _cell_metadata(cell: Cell) -> dict[str, Any]:
    """Return a cell's metadata: tags for a demo, nbgrader's keys for a graded cell, folding for a check."""
    if cell.role not in GRADED:
        return {"tags": ["demo", _GOES_ON]} if cell.role is Role.DEMO else {}
    grade, solution = cell.role is not Role.SOLUTION, cell.role is not Role.CHECK
    nbgrader = {"grade": grade, "grade_id": cell.grade_id, "locked": not solution, "schema_version": 3}
    nbgrader |= {"solution": solution, "task": False}
    folded = _FOLDED if cell.role is Role.CHECK else {}
    return {"nbgrader": nbgrader | ({"points": cell.points} if grade else {}), **folded}


def _ids(cells: Iterable[Cell]) -> list[str]:
    """Return unique ids of the cells, equal in every build: the grade_id, or the role and the first words."""
    ids, uses = list[str](), Counter[str]()
    for cell in cells:
        words = re.findall(r"[a-z0-9]+", cell.text.lower())[:6]
        proposed = cell.grade_id or f"{cell.role}-{'-'.join(words)[:48] or 'empty'}"
        uses[proposed] += 1
        ids.append(f"{proposed}--{uses[proposed]}" if uses[proposed] > 1 else proposed)
    return ids


def student_files(exercise: Exercise) -> dict[str, str]:
    """Return the texts of the kit's files, by file name."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in (CHECKS, SETUP)}
    texts[SETUP.name] = _setup(texts[SETUP.name], exercise.packages)
    return texts | {NAMES[-1]: json.dumps(_facts(exercise), indent=1, ensure_ascii=False) + "\n"}


def _setup(text: str, packages: Sequence[str]) -> str:
    names = ", ".join([*map(name_of, packages), "Jupyter"])
    words = " ".join(f'"{word}"' if set(word) & set("<>=! ;[") else word for word in packages)
    return text.format(names=f"{names} and pytest", packages=words).replace("install  ", "install ")


def _facts(exercise: Exercise) -> dict[str, object]:
    """Return the content of exercise.json, which conftest.py reads."""
    check_hints(exercise)
    questions = {cell.name: cell.text for cell in exercise.cells if cell.role is Role.CHECK}
    given = given_checks(exercise.folder, exercise.settings.forbid)
    files = {"files": list(exercise.handout)} if exercise.handout else {}
    return {"name": exercise.name, "questions": questions, "given": given, **files}
