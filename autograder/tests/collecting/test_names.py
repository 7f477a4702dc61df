"""What names of files tell: what is wrong with them, and what platforms write into them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.collecting.names import class_folder, name_problem, notebook_stem
from autograder.submission.students import folded

EXERCISES = ("01_first", "01_first_part", "02_second")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        *((name, "control characters") for name in ("a\nn", "a\0n", "\x1b[2Jn", "a\u2028n", "\udc80")),
        *((name, "absolute path, or a backslash in its name") for name in ("/etc/n", "a\\n", "C:n", "c:/n")),
        *((name, "leads out of its folder") for name in ("../n", "a/../n", "a/..")),
        ("n" * 1001, "name that is too long"),
        *((name, "") for name in ("a/b.ipynb", "Zoë/n..ipynb", "李雷/...", "ab:c")),
    ],
)
def test_names_that_lead_elsewhere_have_a_problem(name: str, problem: str) -> None:
    assert problem in name_problem(name)
    assert bool(problem) == bool(name_problem(name))


@pytest.mark.parametrize(("one", "other"), [("ADA", "ada"), ("Zo\u00eb", "Zoe\u0308"), ("STRASSE", "straße")])
def test_some_names_are_the_same_to_some_systems(one: str, other: str) -> None:
    assert folded(one) == folded(other)


@given(st.text(st.sampled_from("ab./\\:\n\x1b\u2028\ud800é")))
def test_a_name_without_problem_stays_in_its_folder(name: str) -> None:
    if not name_problem(name):
        assert not name.startswith("/")
        assert ".." not in re.split(r"[/\\]", name)
        assert name.isprintable() or not re.search(r"[\x00-\x1f\x7f]", name)


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("ada/01_small.ipynb", "01_small"),
        ("01_small.IPYNB", "01_small"),
        ("01_small.Ipynb.TXT", "01_small"),
        ("01_small.ipynb.json", "01_small"),
        ("01_small.ipynb (2).txt", "01_small (2)"),
        ("01_small.ipynb-1.json", "01_small-1"),
        ("01_small.ipynb.pdf", None),
        ("01_small.txt", None),
        (".ipynb", None),
    ],
)
def test_a_notebook_is_one_however_a_browser_has_saved_it(name: str, stem: str | None) -> None:
    assert notebook_stem(name) == stem


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
