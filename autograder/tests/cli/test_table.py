"""Tables are readable in a file."""

import pytest

from autograder.cli.table import show


def test_a_table_in_a_file_has_plain_columns(capsys: pytest.CaptureFixture[str]) -> None:
    show("Title", ("name", "score"), [["ada", "2"], ["blaise", "1.5"]], "A note.")
    assert capsys.readouterr().out == "Title\nname    score\nada     2\nblaise  1.5\nA note.\n\n"


def test_a_cell_of_several_lines_takes_several_lines_of_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    show("Title", ("name", "hint", "score"), [["ada", "Two:\n1. this\n2. that", "2"], ["blaise", "", "3"]])
    assert capsys.readouterr().out.splitlines() == [
        "Title",
        "name    hint     score",
        "ada     Two:     2",
        "        1. this",
        "        2. that",
        "blaise           3",
        "",
    ]


def test_a_table_has_nothing_in_it_that_steers_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    show("\x1b[31mTitle", ("name", "score"), [["ada\x1b]0;title\x07", "2"]], "A\nnote.")
    assert capsys.readouterr().out == "Title\nname  score\nada   2\nA note.\n\n"
