"""A new exercise runs at once, and never overwrites another."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.authoring.new import create, entry
from autograder.authoring.verify import prove
from autograder.course.course import Course, CourseError, load_course
from autograder.sandbox.zygote import Zygote

NAME = "10_rotary"
ROOT = Path(__file__).parents[3]


def test_a_new_exercise_has_all_its_parts_and_is_proved_at_once(course: Course, zygote: Zygote) -> None:
    """Beside this repository's catalogue, which asks for more than a course without one."""
    folder, path = course.root / "solutions" / NAME, course.root / "course.yaml"
    assert create(course, NAME) == [
        folder / "10_rotary.py",
        folder / "test_hidden.py",
        folder / "accepted" / "by_multiplying.py",
        folder / "mistakes" / "half__rounds_down.py",
    ]
    text = path.read_text(encoding="utf-8").replace("mutants_fail: 0.8\n", "")
    path.write_text(f"{text}{entry(NAME)}\n", encoding="utf-8")
    shutil.copytree(ROOT / "solutions" / "misconceptions", course.root / "solutions" / "misconceptions")
    course = load_course(course.root)
    exercise = course.exercises[NAME]
    assert (exercise.points, exercise.written) == ({"half": 2}, {"fixed_points": 2})
    (proof,) = prove(course, [exercise], zygote)
    assert (proof.findings, proof.accepted, proof.mistakes) == ((), 1, 1)


def test_a_new_exercise_has_the_style_that_the_course_checks(course: Course) -> None:
    """For `make check` looks at untouched files, too; a long name must not change how they are laid out."""
    for path in ("pyproject.toml", "solutions/ruff.toml"):
        shutil.copy(ROOT / path, course.root / path)
    (course.root / "autograder").symlink_to(
        ROOT / "autograder"
    )  # by which Ruff tells the engine's imports from others
    names = (NAME, "9", "11_a_topic_with_quite_a_long_name_that_says_it_all")
    folders = [create(course, name)[0].parent for name in names]
    ruff = [sys.executable, "-m", "ruff"]
    for words in (["format", "--check", "--diff"], ["check"]):
        done = subprocess.run([*ruff, *words, "--no-cache", *folders], cwd=course.root, capture_output=True)
        assert done.returncode == 0, done.stdout.decode()


@pytest.mark.parametrize("name", ["../outside", "with space", "", "_hidden", "a/b"])
def test_a_name_that_is_no_folders_is_refused(name: str, course: Course) -> None:
    before = set(course.root.parent.rglob("*"))
    with pytest.raises(CourseError, match="is not a name for an exercise; use letters, digits"):
        create(course, name)
    assert set(course.root.parent.rglob("*")) == before


def test_an_exercise_that_is_there_is_left_alone(course: Course) -> None:
    source: Path = course.exercises["01_small"].source
    before = source.read_bytes()
    with pytest.raises(CourseError, match="01_small: already exists; choose another name"):
        create(course, "01_small")
    assert source.read_bytes() == before
