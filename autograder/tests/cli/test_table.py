"""Tables are readable in a file, and harmless on a terminal."""

import pytest

from autograder.cli.table import show
from autograder.report.text import clean, number


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://a\x1b\\link", "link"),
        ("a\r\n\tb", "a b"),
        ("\u202edesrever", "desrever"),
        ("\x9b31mred", "31mred"),
        ("lone \ud800 half", "lone  half"),
        ("Zoë 表 [bold]", "Zoë 表 [bold]"),
    ],
)
def test_nothing_in_a_text_can_steer_a_terminal(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_a_table_in_a_file_has_plain_columns(capsys: pytest.CaptureFixture[str]) -> None:
    show("Title", ("name", "score"), [["ada", "2"], ["blaise", "1.5"]], "A note.")
    assert capsys.readouterr().out == "Title\nname    score\nada     2\nblaise  1.5\nA note.\n\n"


@pytest.mark.parametrize(
    ("value", "shown"), [(2.0, "2"), (4 / 3, "1.33"), (0.0, "0"), (10.0, "10"), (None, "-")]
)
def test_scores_are_short(value: float | None, shown: str) -> None:
    assert number(value) == shown
