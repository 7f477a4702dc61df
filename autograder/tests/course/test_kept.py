"""What lies in a course's folder is kept or made again; a test of the whole term finds anything else."""

from fnmatch import fnmatch
from pathlib import Path

import pytest

import autograder
from autograder.course.kept import DATABASES, FILES, FOLDERS, is_kept
from autograder.tests.course.made import MADE, is_made

IN_GIT = {"assignments", "comments.yaml"}


@pytest.mark.parametrize(
    ("name", "kept", "made"),
    [
        ("gradebook.db", True, False),
        ("autograder.db", True, False),
        ("attempts/ab12.ipynb", True, False),
        ("build/exports/canvas.csv", False, True),
        ("feedback/ann/01_small/01_small.html", False, True),
        (".grading.lock", False, True),
        ("gradebook.db.2026-03-01-120000.000000", False, True),
        ("news.jsonl", False, False),
        ("solutions/01_small/01_small.py", False, False),
    ],
)
def test_a_file_is_kept_or_made_again_or_the_author_s(name: str, kept: bool, made: bool) -> None:
    assert (is_kept(name), is_made(name)) == (kept, made)


def test_git_takes_nothing_of_it_that_may_be_about_people() -> None:
    ignored = (Path(autograder.__file__).parent.parent / ".gitignore").read_text(encoding="utf-8").split()
    patterns = {name.rstrip("/*") for name in ignored}
    names = {*DATABASES, *FILES, *FOLDERS, *MADE} - IN_GIT
    assert {name for name in names if not {name, name.partition("/")[0]} & patterns} == {"gradebook.db.*"}
    assert {"gradebook.db*", "autograder.db*"} <= set(ignored)


def test_git_takes_no_list_or_archive_that_the_pages_tell_to_put_into_the_course() -> None:
    root = Path(autograder.__file__).parent
    pages = [
        (root / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in ("instructors", "platforms")
    ]
    commands = [line for page in pages for line in page.splitlines() if "bin/autograder " in line]
    named = {word for line in commands for word in line.split() if word.endswith((".csv", ".zip"))}
    assert {"times.csv", "worksheet.csv", "canvas.zip", "Grades.csv"} <= named
    for file in (root.parent / ".gitignore", root / "authoring" / "new_course" / "gitignore.template"):
        patterns = file.read_text(encoding="utf-8").split()
        assert [name for name in named if not any(fnmatch(name, pattern) for pattern in patterns)] == []
