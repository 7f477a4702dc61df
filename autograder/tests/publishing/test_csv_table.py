"""Tables that a spreadsheet may open: the same bytes each time, and no cell is a formula."""

import csv
from pathlib import Path

import pytest

from autograder.publishing.csv_table import write_table


def test_numbers_are_short_and_nothing_is_an_empty_cell(tmp_path: Path) -> None:
    path = write_table(tmp_path / "new" / "a.csv", ("a", "b", "c", "d"), [("x, y", 2.0, 4 / 3, None)])
    assert path.read_bytes() == b'a,b,c,d\r\n"x, y",2,1.3333,\r\n'


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx"])
def test_a_text_that_begins_as_a_formula_is_quoted(tmp_path: Path, text: str) -> None:
    path = write_table(tmp_path / "a.csv", ("a",), [(text,)])
    with path.open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["a"], [f"'{text}"]]


def test_a_negative_number_and_a_lone_dash_are_no_formulas(tmp_path: Path) -> None:
    assert write_table(tmp_path / "a.csv", ("-",), [(-0.5,)]).read_bytes() == b"-\r\n-0.5\r\n"
