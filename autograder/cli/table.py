"""Shows rows to people: a rich table on a terminal, plain columns elsewhere."""

import sys
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.report.text import terminal_line

Rows = Sequence[Sequence[str]]


def show(title: str, columns: Sequence[str], rows: Rows, note: str = "") -> None:
    """Print a titled table and, below it, a note."""
    tidy = [[terminal_line(cell) for cell in row] for row in rows]
    console = Console()
    if console.is_terminal:
        console.print(_rich(terminal_line(title), columns, tidy))
        console.print(Text(terminal_line(note)))
    else:
        sys.stdout.write("\n".join(_plain(terminal_line(title), columns, tidy, terminal_line(note))) + "\n\n")
        sys.stdout.flush()


def _rich(title: str, columns: Sequence[str], rows: Rows) -> Table:
    table = Table(*columns, title=Text(title), title_justify="left")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table


def _plain(title: str, columns: Sequence[str], rows: Rows, note: str) -> list[str]:
    widths = [max(map(len, cells)) for cells in zip(columns, *rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (columns, *rows)
    ]
    return [part for part in (title, *lines, note) if part]
