"""A survey chooses one notebook for each student and exercise, by names alone."""

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.collecting.attribution import NamingRules
from autograder.collecting.survey import Survey

Surveyor = Callable[..., Survey]


@pytest.fixture
def survey(tmp_path: Path) -> Surveyor:
    def of(*names: str) -> Survey:
        with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
            for name in names:
                archive.writestr(name, "")
        return Survey(tmp_path / "a.zip", NamingRules(("01_first", "02_second")))

    return of


def chosen(survey: Survey) -> list[tuple[int, str, str]]:
    return [(one.number, one.attribution.student, one.attribution.exercise) for one in survey.chosen]


def test_a_chosen_notebook_is_known_by_the_number_of_its_entry(survey: Surveyor) -> None:
    found = survey("ada/notes.txt", "ada/01_first.ipynb", "../x", "bob/02_second.ipynb")
    assert chosen(found) == [(1, "ada", "01_first"), (3, "bob", "02_second")]
    assert [(refusal.path, refusal.message) for refusal in found.refused] == [
        ("../x", "leads out of its folder")
    ]


def test_the_last_upload_counts_whatever_its_name(survey: Surveyor) -> None:
    found = survey("a_1_7_01_first.ipynb", "a_1_9_01_first_final.ipynb", "a_1_8_01_first-1.ipynb")
    assert chosen(found) == [(1, "1", "01_first")]
    (best,) = found.chosen
    told = "a_1_9_01_first_final.ipynb, the last upload, counts and not a_1_7_01_first.ipynb, "
    assert best.message == told + "a_1_8_01_first-1.ipynb"
    assert [one.number for one in found.kept] == [0, 2]


def test_where_nothing_tells_the_order_the_very_name_counts_and_the_line_names_the_others(
    survey: Surveyor,
) -> None:
    moodle = "Ada Byron_7_assignsubmission_file_01_first{}.ipynb"
    names = [moodle.format(end) for end in ("", "_v2")]
    found = survey(*names, "ada/a/01_first.ipynb", "ada/b/01_first.ipynb")
    assert [one.path.rpartition("/")[2] for one in found.chosen] == [moodle.format(""), "01_first.ipynb"]
    assert found.chosen[0].message.endswith(f"01_first.ipynb counts and not {moodle.format('_v2')}")
    assert [one.path for one in found.kept] == [moodle.format("_v2"), "ada/a/01_first.ipynb"]
    assert found.refused == []


def test_a_broken_archive_is_refused_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"PK\3\4")
    found = Survey(tmp_path / "a.zip", NamingRules(()))
    assert [(refusal.path, refusal.message) for refusal in found.refused] == [
        ("", "is damaged; download it again")
    ]


def test_an_exported_script_counts_where_there_is_no_notebook(survey: Surveyor) -> None:
    found = survey(
        "ada/01_first.py", "bob/01_first.py", "bob/01_first.ipynb", "eve/helpers.py", "eve/x.ipynb"
    )
    assert chosen(found) == [(0, "ada", "01_first"), (2, "bob", "01_first")]


@pytest.mark.parametrize(
    ("others", "said"), [(3, "though all other notebooks here are of 02_second"), (2, "")]
)
def test_one_notebook_of_another_exercise_than_all_others_is_taken_with_a_word(
    survey: Surveyor, others: int, said: str
) -> None:
    names = [f"s_{number}_900{number}_02_second.ipynb" for number in range(1, 1 + others)]
    found = survey(*names, "s_9_9009_01_first.ipynb")
    assert [one.message for one in found.chosen] == [*[""] * others, said]
