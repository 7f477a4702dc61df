"""What the engine's tests share: a small made-up course."""

import shutil
from pathlib import Path

import pytest

from autograder.course import Course, load_course

COURSE = Path(__file__).parent / "course"
collect_ignore = ["course", "hostile", "golden"]  # material, not tests


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """Return a copy of the small course, to build, grade and spoil at will."""
    root = shutil.copytree(COURSE, tmp_path / "course", ignore=shutil.ignore_patterns("__pycache__"))
    return load_course(root)
