"""The exercise of a notebook is found by its name, else its folder, else its cells, else it is asked for."""

import json
import shutil
from pathlib import Path

import pytest

from autograder.course.course import Course, load_course
from autograder.submission.notebook import Notebook
from autograder.submission.submission import UnknownExerciseError, exercise_by_cells, exercise_by_name
from autograder.tests.classroom import small, solved, stripped

SHARED = "def row_sums(x):\n    return x.sum(-1)"


def with_another(course: Course, name: str) -> Course:
    """Return the course with a second exercise, which asks for `triple` instead of `double`."""
    folder = course.root / "solutions" / name
    shutil.copytree(small(course).folder, folder, ignore=shutil.ignore_patterns("accepted.py", "mistakes.py"))
    source = folder / f"{name}.py"
    (folder / "01_small.py").rename(source)
    source.write_text(source.read_text(encoding="utf-8").replace("double", "triple"), encoding="utf-8")
    with (course.root / "course.yaml").open("a", encoding="utf-8") as file:
        file.write(f"  - name: {name}\n")
    return load_course(course.root)


def defining(*codes: str) -> Notebook:
    """Return a notebook whose code cells are these."""
    cells = [{"cell_type": "code", "metadata": {}, "source": code} for code in codes]
    return Notebook(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode())


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("01_small.ipynb", "01_small"),
        ("ada 01_small (1).ipynb", "01_small"),
        ("01_small_again.ipynb", "01_small"),
        ("02_small.ipynb", "02_small"),
        ("01_small/02_small.ipynb", "02_small"),
        ("01_small/ada.ipynb", "01_small"),
        ("01_small 02_small_b.ipynb", "02_small_b"),
        ("01_small/02_small/ada.ipynb", "02_small"),
        ("x01_smaller.ipynb", None),
    ],
)
def test_the_file_s_own_name_comes_first_and_of_two_names_the_longer_one(
    course: Course, path: str, expected: str | None
) -> None:
    course = with_another(with_another(course, "02_small"), "02_small_b")
    found = exercise_by_name(course, course.root / path)
    assert (found.name if found else None) == expected


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        (["def double(x): pass", SHARED], "01_small"),
        (["class triple:\n    pass", SHARED], "02_other"),
        (["triple = torch.add"], "02_other"),
    ],
)
def test_cells_tell_the_exercise_whose_questions_they_define(
    course: Course, codes: list[str], expected: str
) -> None:
    course = with_another(course, "02_other")
    assert exercise_by_cells(course, Path("a.ipynb"), defining(*codes)).name == expected


def test_what_is_left_of_a_notebook_tells_its_exercise(course: Course) -> None:
    """Definitions, where metadata are lost, or the names of cells."""
    course = with_another(course, "02_other")
    for made in (stripped(solved(small(course))), solved(small(course), double="1 / 0", row_sums="1 / 0")):
        notebook = Notebook(json.dumps(made).encode())
        assert exercise_by_cells(course, Path("a.ipynb"), notebook).name == "01_small"


def test_cells_that_fit_two_exercises_or_none_tell_neither(course: Course) -> None:
    course = with_another(course, "02_other")
    for notebook in (defining(SHARED), Notebook(b"no notebook")):
        with pytest.raises(
            UnknownExerciseError, match=r"add --exercise with one of 01_small, 02_other"
        ) as told:
            exercise_by_cells(course, Path("\x1b[2Jada\n.ipynb"), notebook)
        assert not set("\x1b\n") & set(str(told.value))  # a name cannot steer the terminal


def test_an_exercise_that_its_author_still_writes_is_no_candidate(course: Course) -> None:
    course = with_another(course, "02_other")
    (course.root / "solutions" / "02_other" / "02_other.py").unlink()
    course = load_course(course.root)
    assert exercise_by_cells(course, Path("a.ipynb"), defining(SHARED)).name == "01_small"
