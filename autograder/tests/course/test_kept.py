"""What lies in a course's folder is kept or made again; a test of the whole term finds anything else."""

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
