"""Files, pictures and packages of an nbgrader notebook."""

from base64 import b64encode
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.authoring.imported_files import Files, packages


def text_cell(text: str, **attachments: Any) -> Any:
    cell = nbformat.v4.new_markdown_cell(text)
    cell["attachments"] = attachments
    return cell


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "ps1"
    for name in ("data/a.csv", "b.txt", "helper.py", "images/c.jpg", "d.png", "../outside.csv"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(b"content")
    return root


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("pd.read_csv('data/a.csv')", ["handout/data/a.csv"]),
        ("open(os.path.join('data', 'a.csv'))", ["handout/data/a.csv"]),
        ("open(Path('data') / 'a.csv')", ["handout/data/a.csv"]),
        ("FILE = 'b.txt'", ["handout/b.txt"]),
        ("from helper import f", ["handout/helper.py"]),
        ("open('../outside.csv', mode='w')", []),
        ("'a' * 5", []),
    ],
)
def test_files_that_code_names_are_handed_out(folder: Path, code: str, names: list[str]) -> None:
    files = Files(folder)
    files.add_code(code)
    assert (list(files.content), files.notes) == (names, [])


@pytest.mark.parametrize(
    ("code", "missing"),
    [
        ("pd.read_csv('none.csv')", ["none.csv"]),
        ("pd.read_csv('../outside.csv')", ["../outside.csv"]),
        ("np.loadtxt('none.txt', skiprows=1)", ["none.txt"]),
        ("pd.read_csv('https://example.org/a.csv')", []),
        ("open('new.txt', 'w')", []),
        ("table.to_csv('new.csv')", []),
    ],
)
def test_a_file_that_code_reads_and_that_is_not_there_is_named(
    folder: Path, code: str, missing: list[str]
) -> None:
    files = Files(folder)
    files.add_code(code)
    assert files.content == {}
    fix = "is missing in the notebook's folder: add it to handout/."
    assert files.notes == [f"The file {name} {fix}" for name in missing]


def test_pictures_and_links_of_a_text_come_along(folder: Path) -> None:
    files = Files(folder)
    text = (
        '![c](images/c.jpg) ![d](d.png) [b](b.txt) <img src="images/c.jpg"> [x](https://example.org) [y](#y)'
    )
    assert files.add_text(text_cell(text)) == text
    assert (sorted(files.content), files.notes) == (["d.png", "handout/b.txt", "handout/images/c.jpg"], [])


def test_a_picture_that_was_pasted_becomes_a_file(folder: Path) -> None:
    files = Files(folder)
    first = text_cell("![x](attachment:a b.png)", **{"a b.png": {"image/png": b64encode(b"1").decode()}})
    first.source = "![x](attachment:image.png) ![y](attachment:none.png)"
    first["attachments"] = {"image.png": {"image/png": b64encode(b"1").decode()}}
    other = text_cell("![x](attachment:image.png)", **{"image.png": {"image/png": b64encode(b"2").decode()}})
    assert files.add_text(first) == "![x](image.png) ![y](attachment:none.png)"
    assert files.add_text(other) == "![x](_image.png)"
    assert files.content == {"image.png": b"1", "_image.png": b"2"}
    missing = "The notebook shows the picture none.png, but does not contain it: paste it again."
    assert files.notes == [missing]


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("import numpy as np\nimport os, numpy.linalg", ("numpy",)),
        ("from matplotlib import pyplot", ("matplotlib",)),
        ("%matplotlib inline", ("matplotlib",)),
        ("from sklearn.svm import SVC\nimport bs4", ("beautifulsoup4", "scikit-learn")),
        ("from helper import f\nfrom . import g\nimport pytest\nfrom IPython.display import display", ()),
        ("def f():\n    import pandas", ("pandas",)),
    ],
)
def test_packages_are_read_off_the_imports(folder: Path, code: str, names: tuple[str, ...]) -> None:
    assert packages([code], folder) == names
