"""An exercise's files are what its author wrote, not what programs leave beside it."""

from pathlib import Path

from autograder.course.course import Course
from autograder.course.exercise import own_files

LEFTOVERS = (
    ".ipynb_checkpoints/01_small-checkpoint.py",
    "handout/.ipynb_checkpoints/table-checkpoint.py",
    "._accepted.py",
    "__pycache__/mistakes.cpython-311.pyc",
    ".#mistakes.py",
    ".DS_Store",
)


def leave(folder: Path) -> None:
    """Leave in an exercise's folder what JupyterLab, Python, editors and macOS do."""
    for name in LEFTOVERS:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"\x00 no Python")


def test_files_are_listed_in_order_without_what_programs_leave(course: Course) -> None:
    exercise = course.exercises["01_small"]
    before = exercise.files
    leave(exercise.folder)
    assert exercise.files == before
    assert [variant.name for variant in exercise.accepted] == ["by_addition"]
    assert [path.relative_to(exercise.folder).as_posix() for path in before] == [
        "01_small.py",
        "accepted.py",
        "mistakes.py",
        "test_hidden.py",
    ]


def test_a_hidden_folder_around_everything_hides_nothing(tmp_path: Path) -> None:
    """A course may lie in a hidden folder: only names below the folder that is listed count."""
    folder = tmp_path / ".work" / "__pycache__"
    folder.mkdir(parents=True)
    (folder / "a.py").touch()
    assert own_files(folder) == (folder / "a.py",)
