"""Hidden suites are collected from their own files, however many there are."""

import shutil
from pathlib import Path

from autograder.course import Course
from autograder.exercise import Exercise
from autograder.suite import Suite


def test_a_second_suite_of_the_same_file_name_is_its_own(course: Course, tmp_path: Path) -> None:
    first = course.exercises["01_small"]
    copy = Exercise(shutil.copytree(first.folder, tmp_path / "02_copy"))
    copy.folder.joinpath("01_small.py").rename(copy.source)
    text = first.suite.read_text(encoding="utf-8")
    copy.suite.write_text(text.replace('"""', '"""In the copy: '), encoding="utf-8")
    titles = [[test.title for test in Suite(exercise).tests] for exercise in (first, copy)]
    assert all(not title.startswith("In the copy: ") for title in titles[0])
    assert all(title.startswith("In the copy: ") for title in titles[1])
