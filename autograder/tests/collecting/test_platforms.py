"""What platforms write into names is found before what students write."""

import pytest

from autograder.collecting.names import class_folder, is_gradescope
from autograder.collecting.platforms import read_platform_name

EXERCISES = ("01_first", "01_first_part", "02_second")


@pytest.mark.parametrize(
    ("paths", "shared"),
    [
        (["class/ada/01_first.ipynb", "class/bob/01_first/01_first.ipynb"], "class/"),
        (["class/ada.zip/01_first.ipynb", "class/bob/01_first.ipynb"], "class/"),
        (["x/a_1_2_01_first.ipynb", "x/b_2_3_01_first.ipynb"], "x/"),
        (["ada/01_first.ipynb", "bob/01_first.ipynb"], ""),
        (["ada/01_first.ipynb", "ada/02_second.ipynb"], ""),
        (["ada/01_first/01_first.ipynb", "ada/02_second/02_second.ipynb"], ""),
        (["ada/bob/01_first.ipynb"], ""),
        (["a.ipynb", "b.ipynb"], ""),
        ([], ""),
    ],
)
def test_a_folder_around_the_class_is_found(paths: list[str], shared: str) -> None:
    assert class_folder(paths, EXERCISES) == shared


@pytest.mark.parametrize(
    ("name", "student"),
    [
        ("lovelaceada_12_34_01_first.ipynb", "lovelaceada"),
        ("Ada Lovelace_12_assignsubmission_file_/bob_99_3_01_first.ipynb", "Ada Lovelace"),
        ("mallory_1_2_Bob_99_assignsubmission_file_01_first.ipynb", "mallory"),
        ("ada/bob_99_3_01_first.ipynb", None),
        ("01_first.ipynb", None),
    ],
)
def test_the_leftmost_sign_of_a_platform_counts(name: str, student: str | None) -> None:
    found = read_platform_name(name)
    assert (found.who if found else None) == student


@pytest.mark.parametrize("name", ["submission_5/n", "assignment_1_export/submission_5/n"])
def test_gradescope_s_folders_are_known(name: str) -> None:
    assert is_gradescope(name)
    assert not is_gradescope(f"ada/{name}")
