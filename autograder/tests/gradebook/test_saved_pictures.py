"""The pictures below cells that grading does not run: taken from the student's file, and only as pictures."""

import json
from typing import Any

import pytest
from nbformat import NotebookNode

from autograder.gradebook.pages import saved_pictures
from autograder.submission.notebook import Notebook
from autograder.tests.report.test_text import png

DEMO, PICTURE = "plt.show()", png(4, 4)
NODE = NotebookNode(
    cells=[
        NotebookNode(cell_type="markdown", id="cell-0", source=DEMO),
        NotebookNode(cell_type="code", id="cell-1", source=DEMO),
        NotebookNode(cell_type="code", id="cell-2", source="x = 1"),
    ]
)


def found(*outputs: Any, source: str = DEMO, demos: tuple[str, ...] = (DEMO,)) -> dict[str, tuple[str, ...]]:
    cells = [
        {"cell_type": kind, "metadata": {}, "source": text, "outputs": list(outputs)}
        for kind, text in (("markdown", DEMO), ("code", source), ("code", "x = 1"))
    ]
    content = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})
    return saved_pictures(Notebook(content.encode()), demos.__contains__, NODE)


def shown(form: object) -> dict[str, object]:
    return {"output_type": "display_data", "data": {"image/png": form}}


def test_a_picture_below_a_cell_that_is_not_run_is_found() -> None:
    assert found(shown(PICTURE)) == {"cell-1": (PICTURE,)}
    assert found(shown([PICTURE[:8], PICTURE[8:]])) == {"cell-1": (PICTURE,)}
    assert found(*[shown(PICTURE)] * 100)["cell-1"] == (PICTURE,) * 8


@pytest.mark.parametrize("form", [7, None, "no picture", [1, 2], {}, png(100_000, 4), "<script>"])
def test_what_is_no_picture_is_not_taken(form: object) -> None:
    assert found(shown(form)) == {"cell-1": ()}


@pytest.mark.parametrize("output", [None, "text", {"data": []}, {"output_type": "stream", "text": "x"}, []])
def test_odd_outputs_are_passed_over(output: object) -> None:
    assert found(output, shown(PICTURE)) == {"cell-1": (PICTURE,)}


def test_a_cell_that_has_changed_since_or_that_is_run_brings_nothing() -> None:
    assert found(shown(PICTURE), source="plt.plot()") == {}
    assert found(shown(PICTURE), demos=()) == {}


def test_a_file_that_is_gone_or_no_notebook_any_more_brings_nothing() -> None:
    assert (
        saved_pictures(Notebook(b"", "there is no notebook file of this name"), (DEMO,).__contains__, NODE)
        == {}
    )
    assert saved_pictures(Notebook(b"[]"), (DEMO,).__contains__, NODE) == {}
