"""Writes feedback as a notebook or a script, for platforms that give it the name of what was handed in.

Canvas does: a page in HTML would come to the student under the name of a notebook, and no program opened it.
"""

import json

import jupytext
import nbformat
from nbformat.v4 import new_markdown_cell, new_notebook

from autograder.report.gradebook_submission import GradebookEntry, GradebookSubmission
from autograder.report.text import number

FORMS = (".ipynb", ".py")


def feedback_file(exercise: str, graded: GradebookSubmission, form: str) -> str:
    """Return scores and comments, question by question, in a file with the suffix `form`."""
    texts = feedback_texts(exercise, graded)
    cells = [new_markdown_cell(text, id=f"feedback-{place}") for place, text in enumerate(texts)]
    node = new_notebook(cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})
    if form == ".py":
        return str(jupytext.writes(node, fmt="py:percent"))
    return json.dumps(nbformat.from_dict(node), indent=1) + "\n"


def feedback_texts(exercise: str, graded: GradebookSubmission) -> list[str]:
    """Return what is said of the whole and of each question, in Markdown that can be read as it is."""
    return [_heading(exercise, graded), *map(_question, graded.entries)]


def _heading(exercise: str, graded: GradebookSubmission) -> str:
    lines = [f"# Feedback on {exercise}: {graded.points_in_words} points"]
    if graded.penalty:
        rule = f" ({graded.late_rule})" if graded.late_rule else ""
        lines.append(f"{number(graded.penalty)} points are taken off for being late{rule}.")
    if any(entry.needs_person or entry.score is None for entry in graded.entries):
        lines.append("This is not final: a person will look at some of the answers.")
    return "\n\n".join(lines)


def _question(entry: GradebookEntry) -> str:
    score = "not graded yet" if entry.score is None else f"{number(entry.score)}"
    lines = [f"## {entry.question}: {score} of {number(entry.max_score)}"]
    if entry.comment:
        lines.append("\n".join(f"    {line}" for line in entry.comment.splitlines()))  # as it is, no Markdown
    if entry.remark:
        lines.append(entry.remark)
    return "\n\n".join(lines)
