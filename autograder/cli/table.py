"""Prints tables: with rich on a terminal, as plain columns elsewhere."""

from collections.abc import Iterable, Sequence
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.report.report import Report, Verdict, standing
from autograder.report.text import number, terminal_line

_IN_A_FILE: dict[str, Any] = {"box": None, "pad_edge": False, "padding": (0, 2, 0, 0)}
_WIDE = 100_000  # letters, so that no line of a file is broken


def show(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], note: str = "") -> None:
    """Print a titled table and, below it, a note; in a file without lines and colours."""
    title, note = terminal_line(title), terminal_line(note)
    console = Console()
    on_screen: dict[str, Any] = {"title": Text(title), "title_justify": "left"}
    table = Table(*columns, **(on_screen if console.is_terminal else _IN_A_FILE))
    for row in rows:
        table.add_row(*(Text("\n".join(map(terminal_line, cell.splitlines()))) for cell in row))
    if console.is_terminal:
        console.print(table, Text(note), sep="\n")
        return
    wide = Console(width=_WIDE, color_system=None)
    with wide.capture() as printed:
        wide.print(table)
    lines = (title, *map(str.rstrip, printed.get().splitlines()), note)
    click.echo("\n".join(filter(None, lines)) + "\n")


def show_report(notebook: str, report: Report) -> None:
    """Print a report for a person: how each question stands, its score and a hint."""
    rows = []
    for question in report.questions:
        score = f"{number(question.score)} of {number(question.max_score)}"
        hint = "graded manually" if question.verdict is Verdict.UNGRADED else question.hint
        stands = standing(question.verdict, question.score, question.max_score)
        rows.append((question.name, stands, score, hint))
    score = f"{number(report.score)} of {number(report.max_score)} points"
    title = f"{notebook} ({report.exercise}): {report.status}, {score}"
    show(title, ("question", "verdict", "score", "hint"), rows, report.message)
