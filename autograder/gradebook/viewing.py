"""Protects whoever looks at submissions in the formgrader: markdown of strangers is shown without scripts."""

from typing import Any

from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode

from autograder.page import render_markdown


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
        """Clean one cell; raw cells, which would be shown as HTML, become code to look at."""
        if cell.cell_type == "markdown":
            cell.source = render_markdown(cell)
        elif cell.cell_type == "raw":
            cell.source = ""
        return cell, resources
