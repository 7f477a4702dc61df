"""Nobody's work vanishes without a word: a file that is no notebook gets a line, unless one lies beside."""

import json
import re
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from autograder.collecting.attribution import NamingRules
from autograder.collecting.collect import collect_archives
from autograder.course.course import Course
from autograder.submission.students import Student, Students

LISTED = Students((Student("ada", ("101",)), Student("bob", ("Bob Bee", "102"))))
MOODLE = "{}_7_assignsubmission_file/"
NOTEBOOK = json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
PATTERN = r"(?P<student>\w+) - .*\.ipynb"
METADATA = "".join(f'submission_{n}:\n  :submitters:\n  - {{":sid": "{n}"}}\n' for n in (5, 6))


def collect(
    course: Course, tmp_path: Path, names: Iterable[str], students: Students | None = None
) -> list[tuple[str, str, str]]:
    """Collect a zip with files of these names, and return what came, and the path and message of refusals."""
    path = tmp_path / "class.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, METADATA if name.endswith("submission_metadata.yml") else NOTEBOOK)
    lines = list(collect_archives(course, [path], NamingRules(list(course.exercises), students=students)))
    refused = [("refused", line.path, line.message) for line in lines if line.status == "refused"]
    return [(str(line.status), line.student, "") for line in lines if line.status != "refused"] + refused


@pytest.mark.parametrize("ending", [".IPYNB", ".Ipynb", ".ipynb.txt", ".ipynb.json", ".ipynb (1).txt"])
@pytest.mark.parametrize(
    ("name", "student"),
    [
        ("ada/01_small{}", "ada"),
        ("lovelaceada_101_9001_01_small{}", "101"),
        ("Ada_7_assignsubmission_file/01_small{}", "Ada"),
    ],
)
def test_a_notebook_is_taken_however_a_browser_has_saved_it(
    course: Course, tmp_path: Path, name: str, student: str, ending: str
) -> None:
    assert collect(course, tmp_path, [name.format(ending)]) == [("new", student, "")]
    assert (course.root / "submitted" / student / "01_small" / "01_small.ipynb").read_text() == NOTEBOOK


@pytest.mark.parametrize(
    ("name", "who", "students"),
    [
        ("bob/{}", "bob", None),
        ("bob/{}", "bob", LISTED),
        ("beebob_102_9002_{}", "102", None),
        ("beebob_102_9002_{}", "bob", LISTED),
        ("Bob Bee_8_assignsubmission_file/{}", "Bob.Bee", None),
    ],
)
@pytest.mark.parametrize(
    ("file", "mend"),
    [
        ("report.pdf", "ask {} for the .ipynb file"),
        ("IMG_1.HEIC", "ask {} for the .ipynb file"),
        ("work.rar", "pack it as a zip, or unpack it into a folder of the student's"),
        ("work.7z", "pack it as a zip, or unpack it into a folder of the student's"),
        ("work.py", "if it is one as a script, give it the name of its exercise"),
    ],
)
def test_whoever_hands_in_no_notebook_gets_one_line(
    course: Course, tmp_path: Path, name: str, who: str, students: Students | None, file: str, mend: str
) -> None:
    path = name.format(file)
    ada = "ada" if students else "101"
    found = collect(course, tmp_path, ["lovelaceada_101_9001_01_small.ipynb", path], students)
    assert found == [("new", ada, ""), ("refused", path, f"is no notebook; {mend.format(who)}")]


@pytest.mark.parametrize(
    ("names", "line"),
    [
        (["bob/conftest.py", "bob/a.pdf", "bob/b.pdf"], "bob/a.pdf: is no notebook (nor is any other of"),
        (["Bob Bee_8_assignsubmission_onlinetext/onlinetext.html"], "text.html: is no notebook; ask bob"),
        (["bob_01_small.pdf"], "bob_01_small.pdf: is no notebook; ask bob"),
        (["beebob_102_text.html"], "beebob_102_text.html: is no notebook; ask bob"),
        (["zoe_109_9009_x.pdf"], '"109", whom Canvas calls "zoe", is not in the list of students'),
        (["bob.rar"], "bob.rar: is no notebook; pack it as a zip"),
        (["bob.pdf"], "bob.pdf: is no notebook; ask bob for the .ipynb file"),
        (["scan.pdf"], "scan.pdf: is no notebook; ask whoever it is of"),
        (["bob/plot.png"], "bob/plot.png: is no notebook"),
    ],
)
def test_the_line_names_one_file_and_what_to_do(
    course: Course, tmp_path: Path, names: list[str], line: str
) -> None:
    (only,) = collect(course, tmp_path, names, LISTED)
    assert line in ": ".join(only)


@pytest.mark.parametrize(
    "names",
    [
        [f"ada/{name}" for name in ("01_small.ipynb", "conftest.py", "SETUP.md", "figures/a.png", "x.pdf")],
        [MOODLE.format("Ada") + "01_small.ipynb", "Ada_7_assignsubmission_onlinetext/onlinetext.html"],
        ["lovelaceada_101_9001_01_small.ipynb", "lovelaceada_101_text.html"],
        ["lovelaceada_101_9001_01_small.ipynb", "lovelaceada_101_9002_report.pdf"],
        ["ada/01_small.ipynb", "__MACOSX/bob/._x.pdf", "bob/.DS_Store", "bob/Thumbs.db", "readme.md"],
        ["ada/01_small.ipynb", "data/x.csv", "figures/a.png", "handout/conftest.py"],
        [
            "assignment_1_export/submission_5/01_small.ipynb",
            "assignment_1_export/submission_6/x/01_small.ipynb",
            "assignment_1_export/submission_6/x.pdf",
            "assignment_1_export/submission_metadata.yml",
        ],
    ],
)
def test_beside_a_notebook_other_files_are_of_no_interest(
    course: Course, tmp_path: Path, names: list[str]
) -> None:
    assert {status for status, _, _ in collect(course, tmp_path, names)} == {"new"}


def test_in_a_folder_without_folders_a_paper_beside_a_notebook_is_of_no_interest(
    course: Course, tmp_path: Path
) -> None:
    found = collect(course, tmp_path, ["ada_01_small.ipynb", "ada_report.pdf", "adam.rar", "bob.pdf"])
    assert [(path, message.partition("; ")[2]) for _, path, message in found[1:]] == [
        ("adam.rar", "pack it as a zip, or unpack it into a folder of the student's"),
        ("bob.pdf", "ask whoever it is of for the .ipynb file"),
    ]


def test_an_instructor_s_own_pattern_tells_whose_it_is(course: Course, tmp_path: Path) -> None:
    path, rules = tmp_path / "class.zip", NamingRules(["01_small"], pattern=re.compile(PATTERN))
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("ada - 01_small.ipynb", "ada - report.pdf", "bob - report.pdf", "about.pdf"):
            archive.writestr(name, NOTEBOOK)
    lines = list(collect_archives(course, [path], rules))
    assert [(line.student, line.path, line.status) for line in lines] == [
        ("", "bob - report.pdf", "refused"),
        ("ada", "ada - 01_small.ipynb", "new"),
    ]


def test_a_pdf_in_gradescope_gets_a_line(course: Course, tmp_path: Path) -> None:
    top = "assignment_1_export/"
    names = [f"{top}submission_5/01_small.ipynb", f"{top}submission_6/x.pdf", f"{top}submission_metadata.yml"]
    assert collect(course, tmp_path, names)[1:] == [
        ("refused", f"{top}submission_6/x.pdf", "is no notebook; ask 6 for the .ipynb file")
    ]


def test_where_nobody_hands_in_a_notebook_each_gets_a_line(course: Course, tmp_path: Path) -> None:
    found = collect(course, tmp_path, ["class/ada/a.pdf", "class/bob/b.pdf", "class/eve/c.pdf"])
    assert [message for _, _, message in found] == [
        f"is no notebook; ask {who} for the .ipynb file" for who in ("ada", "bob", "eve")
    ]


def test_a_notebook_alone_is_told_where_to_go(course: Course, tmp_path: Path) -> None:
    path, rules = tmp_path / "01_small.ipynb", NamingRules(list(course.exercises))
    path.write_text(NOTEBOOK, encoding="utf-8")
    (line,) = collect_archives(course, [path], rules)
    message = "is a notebook; put it into a folder named by its student's id, collect the one above"
    assert (line.status, line.message) == ("refused", message)
    folder = tmp_path / "mail" / "ada"
    folder.mkdir(parents=True)
    path.rename(folder / path.name)
    assert [one.student for one in collect_archives(course, [tmp_path / "mail"], rules)] == ["ada"]
