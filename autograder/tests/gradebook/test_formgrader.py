"""Cells of strangers as the formgrader shows them: words stay, nothing runs."""

import re

import pytest
from nbformat import NotebookNode, v4

from autograder.gradebook.formgrader import CleanMarkdown


def cleaned(cell: NotebookNode) -> NotebookNode:
    node, _ = CleanMarkdown().preprocess(v4.new_notebook(cells=[cell]), {})
    return node.cells[0]


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        '<img src="x" onerror="alert(1)">',
        "[click](javascript:alert(1))",
        '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
        "<svg onload=alert(1)>",
    ],
)
def test_markdown_becomes_html_in_which_nothing_runs(hostile: str) -> None:
    shown = cleaned(v4.new_markdown_cell(f"Some **bold** words.\n\n{hostile}")).source
    assert "<strong>bold</strong> words." in shown
    assert not re.search(r"<script|onerror|onload|javascript:|<iframe|<svg", shown)


def test_the_html_is_one_block_on_one_line_so_that_no_markdown_is_read_in_it_again() -> None:
    shown = cleaned(v4.new_markdown_cell("one\n\n    two\n\n- three")).source
    assert "\n" not in shown
    assert (shown[:5], shown[-6:]) == ("<div>", "</div>")


def test_raw_cells_which_would_be_shown_as_html_become_empty() -> None:
    assert cleaned(v4.new_raw_cell("<script>alert(1)</script>")).source == ""


def test_code_stays_as_it_is() -> None:
    assert cleaned(v4.new_code_cell("x = '<b>'  # **x**")).source == "x = '<b>'  # **x**"
