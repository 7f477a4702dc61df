"""Writes tables as CSV that is safe to open in a spreadsheet: no cell of it is a formula."""

import csv
import io
from collections.abc import Iterable
from pathlib import Path

Row = tuple[str | float | None, ...]
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def write_sheet(path: Path, header: Row, rows: Iterable[Row]) -> Path:
    """Write a table to `path`, the same bytes for the same table, and return `path`."""
    text = io.StringIO()
    csv.writer(text).writerows([_safe(cell) for cell in row] for row in (header, *rows))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.getvalue(), encoding="utf-8", newline="")
    return path


def _safe(cell: str | float | None) -> str:
    """Return a table cell that no spreadsheet takes for a formula."""
    if isinstance(cell, str):
        return f"'{cell}" if cell.startswith(_FORMULA) and len(cell) > 1 else cell
    return "" if cell is None else f"{cell:.4f}".rstrip("0").rstrip(".")
