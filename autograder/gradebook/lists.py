"""Writes the lists that people keep, too: a table stays in the form in which a spreadsheet has saved it."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from autograder.files import write_whole
from autograder.submission.students import separator_of

_BOM = "\ufeff"  # without it some spreadsheets take UTF-8 for another encoding


def rewrite(path: Path, rows: Iterable[Sequence[str]]) -> None:
    """Write `rows` to a CSV file, with mark, separator and line ends of the file that is there, if any."""
    before = path.read_bytes().decode() if path.is_file() else ""
    text = io.StringIO()
    ending = "\r\n" if "\r\n" in before else "\n"
    separator = separator_of(before.removeprefix(_BOM).splitlines())
    csv.writer(text, delimiter=separator, lineterminator=ending).writerows(rows)
    write_whole(path, (_BOM if before.startswith(_BOM) else "") + text.getvalue())
