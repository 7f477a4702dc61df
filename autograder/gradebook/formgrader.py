"""Protects those who look at submissions in the formgrader: it shows students' markdown without scripts."""

from typing import Any

from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.report.allowance import Allowance
from autograder.report.safe_html import render_markdown

Resources = dict[str, Any]
# On one line it is a block of HTML, in which the renderer that follows reads no Markdown; and it looks for no
# formulas where there are no dollars and backslashes. In the browser, all of these are letters again.
_AS_HTML = str.maketrans({"\n": "&#10;", "$": "&#36;", "\\": "&#92;"})


class CleanMarkdown(NbGraderPreprocessor):  # type: ignore[misc]
    """Replaces the text of a markdown cell by its cleaned HTML."""

    def preprocess_cell(
        self,
        cell: NotebookNode,
        resources: Resources,
        index: int,  # noqa: ARG002 - nbconvert's signature
    ) -> tuple[NotebookNode, Resources]:
        """Clean one cell; raw cells, which would be shown as HTML, become empty."""
        if cell.cell_type == "markdown":
            cleaned = render_markdown(cell, Allowance(), "mathjax")
            cell.source = f"<div>{cleaned}</div>".translate(_AS_HTML)
        elif cell.cell_type == "raw":
            cell.source = ""
        return cell, resources
