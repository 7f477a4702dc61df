"""Protects whoever looks at submissions in the formgrader: markdown of strangers is shown without scripts."""

from typing import Any

from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode

from autograder.report.safe_html import render_markdown


class CleanMarkdown(Preprocessor):  # type: ignore[misc]
    """Puts the cleaned HTML of a markdown cell in its place."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.enabled = True

    def preprocess_cell(
        self,
        cell: NotebookNode,
        resources: dict[str, Any],
        index: int,  # noqa: ARG002 - nbconvert's signature
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Clean one cell; raw cells, which would be shown as HTML, become empty."""
        if cell.cell_type == "markdown":
            # On one line it is a block of HTML, in which the renderer that follows reads no markdown.
            cell.source = f"<div>{render_markdown(cell)}</div>".replace("\n", "&#10;")
        elif cell.cell_type == "raw":
            cell.source = ""
        return cell, resources
