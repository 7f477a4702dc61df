"""Writes CSV tables that are safe to open in a spreadsheet, because no cell of them is a formula."""

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from autograder.files import write_whole

Row = tuple[str | float | None, ...]
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def write_table(path: Path, header: Row, rows: Iterable[Row]) -> Path:
    """Write a table to `path`, the same bytes for the same table, and return `path`."""
    text = io.StringIO()
    csv.writer(text).writerows([_cell(value) for value in row] for row in (header, *rows))
    return write_whole(path, text.getvalue())


def _cell(value: str | float | None) -> str:
    """Return a value as text; a quote in front keeps spreadsheets from taking it for a formula."""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA_STARTS) and len(value) > 1 else value
    return "" if value is None else decimal(value)


def decimal(value: float) -> str:
    """Return a score as programs read it, with four places at most."""
    return f"{value:.4f}".rstrip("0").rstrip(".")
