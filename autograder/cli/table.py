"""Prints tables: with rich on a terminal, as plain columns elsewhere."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.report.report import Report, Verdict, standing
from autograder.report.text import number, terminal_line


def show(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], note: str = "") -> None:
    """Print a titled table and, below it, a note."""
    title, note = terminal_line(title), terminal_line(note)
    rows = [["\n".join(map(terminal_line, cell.splitlines())) for cell in row] for row in rows]
    console = Console()
    if console.is_terminal:
        table = Table(*columns, title=Text(title), title_justify="left")
        for row in rows:
            table.add_row(*map(Text, row))
        console.print(table)
        console.print(Text(note))
        return
    plain = [columns, *(line for row in rows for line in _lines(row))]
    widths = [max(map(len, cells)) for cells in zip(*plain, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in plain]
    click.echo("\n".join(filter(None, (title, *lines, note))) + "\n")


def _lines(row: Sequence[str]) -> Iterable[tuple[str, ...]]:
    """Return the lines that a row takes, more than one where a cell has several; cells may be empty."""
    return zip_longest(*(cell.split("\n") for cell in row), fillvalue="")


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
