"""The instructor's list of students gives each name one id."""

from pathlib import Path

import pytest

from autograder.collecting.instructor import RosterError, read_roster


def test_every_name_of_a_row_stands_for_its_first(tmp_path: Path) -> None:
    path = tmp_path / "students.csv"
    path.write_text("zoe,Zoë Müller,\n\nada, Ada Lovelace ,77\n", encoding="utf-8-sig")
    known = read_roster(path)
    assert known == {"zoe": "zoe", "zoë müller": "zoe", "ada": "ada", "ada lovelace": "ada", "77": "ada"}


@pytest.mark.parametrize(
    ("text", "message"),
    [("=x,Ada\n", ':1: "=x" is no id'), ("ada,Lee\nbob,Lee\n", ':2: "Lee" stands for two students')],
)
def test_a_list_of_students_that_cannot_serve_is_refused_by_line(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "students.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RosterError, match=message):
        read_roster(path)
