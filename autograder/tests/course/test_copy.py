"""A course of some exercises holds their files and settings, and nothing of the others."""

import shutil
from pathlib import Path

import pytest

from autograder.course.course import Course, copy_course, course_files, course_secret, load_course

SETTINGS = """\
course: small
title: Small steps
limits: {memory_mb: 1024}
exercises:
  - name: 01_small
    due: 2026-03-01T18:00:00+01:00
    forbid: {row_sums: [einsum]}
  - name: 02_other
"""


@pytest.fixture
def two(course: Course) -> Course:
    """Return a course with a second exercise."""
    shutil.copytree(course.exercises["01_small"].folder, course.root / "solutions" / "02_other")
    (course.root / "solutions/02_other/01_small.py").rename(course.root / "solutions/02_other/02_other.py")
    (course.root / "course.yaml").write_text(SETTINGS, encoding="utf-8")
    return load_course(course.root)


def test_the_files_of_an_exercise_come_with_its_settings_alone(two: Course) -> None:
    files = course_files(two, two.chosen(["01_small"]))
    assert files.pop("course.yaml").decode() == (
        "course: small\ntitle: Small steps\nlimits:\n  memory_mb: 1024\nexercises:\n"
        "- name: 01_small\n  due: '2026-03-01T18:00:00+01:00'\n  forbid:\n    row_sums:\n    - einsum\n"
    )
    assert bytes.fromhex(files.pop("hidden_inputs.key").decode()) == course_secret(two)
    assert files == {
        path.relative_to(two.root).as_posix(): path.read_bytes() for path in two.exercises["01_small"].files
    }


def test_a_copy_is_a_course_that_grades_alike_with_nbgrader_s_settings_if_there_are_any(
    two: Course, tmp_path: Path
) -> None:
    (two.root / "solutions/notation.md").write_text("Every release holds this page.\n", encoding="utf-8")
    copied, config = copy_course(two, two.chosen([]), tmp_path / "copy"), "nbgrader_config.py"
    assert copied.settings == two.settings
    assert [one.points for one in copied.exercises.values()] == [one.points for one in two.exercises.values()]
    assert (copied.root / "solutions/notation.md").is_file()
    assert not (copied.root / config).exists()
    (two.root / config).write_text("c = get_config()\n", encoding="utf-8")
    copied = copy_course(two, two.chosen([]), tmp_path / "with")
    assert (copied.root / config).read_text(encoding="utf-8") == "c = get_config()\n"
