"""Writes the lists that people keep, too: a table stays in the form in which a spreadsheet has saved it."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from autograder.files import write_whole
from autograder.submission.students import separator_of

BOM = "\ufeff"  # without it some spreadsheets take UTF-8 for another encoding


def rewrite(path: Path, rows: Iterable[Sequence[str]]) -> None:
    """Write `rows` to a CSV file, in the form of the file that is there, if any."""
    write_whole(path, in_form_of(path.read_bytes().decode() if path.is_file() else "", rows))


def in_form_of(before: str, rows: Iterable[Sequence[str]]) -> str:
    """Return `rows` as CSV with mark, separator and line ends of the text of another table."""
    text = io.StringIO()
    ending = "\r\n" if "\r\n" in before else "\n"
    separator = separator_of(before.removeprefix(BOM).splitlines())
    csv.writer(text, delimiter=separator, lineterminator=ending).writerows(rows)
    return (BOM if before.startswith(BOM) else "") + text.getvalue()
