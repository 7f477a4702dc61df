"""Building writes nbgrader's source notebook and the kit, and leaves nothing else beside them."""

from collections.abc import Callable

from autograder.authoring.release import build_sources, release_notebooks, write_source
from autograder.course.course import Course, load_course
from autograder.course.kit import student_files


def test_the_built_notebook_is_the_golden_one(course: Course, golden: Callable[[str, str], None]) -> None:
    built = build_sources(course, course.chosen([]))
    assert [path.relative_to(course.root).as_posix() for path in built] == [
        "build/source/01_small/01_small.ipynb",
        "build/source/01_small/conftest.py",
        "build/source/01_small/SETUP.md",
        "build/source/01_small/exercise.json",
    ]
    golden("notebook/01_small.ipynb", built[0].read_text(encoding="utf-8"))


def test_two_builds_are_the_same_to_the_byte(course: Course) -> None:
    first = [path.read_bytes() for path in build_sources(course, course.chosen([]))]
    again = [path.read_bytes() for path in build_sources(load_course(course.root), course.chosen([]))]
    assert first == again
    assert b"\r" not in b"".join(first)


def test_what_lay_in_the_folder_is_gone(course: Course) -> None:
    """Whatever lies there nbgrader would release."""
    folder = course.build / "source" / "01_small"
    folder.mkdir(parents=True)
    (folder / "answers.txt").write_text("return torch.mul(x, 2)", encoding="utf-8")
    written = write_source(course.exercises["01_small"], folder)
    assert sorted(folder.iterdir()) == sorted(written)


def test_the_kit_lies_beside_the_notebook(course: Course) -> None:
    _, *kit = build_sources(course, course.chosen([]))
    beside = {path.name: path.read_text(encoding="utf-8") for path in kit}
    assert beside == student_files(course.exercises["01_small"])


def test_what_all_exercises_share_lies_beside_each_notebook(course: Course) -> None:
    (course.root / "solutions" / "symbols.md").write_text("# Symbols\n", encoding="utf-8")
    *_, shared = build_sources(course, course.chosen([]))
    assert shared.relative_to(course.root).as_posix() == "build/source/01_small/symbols.md"
    assert shared.read_text(encoding="utf-8") == "# Symbols\n"


def test_what_students_are_to_have_lies_beside_the_notebook_to_the_byte(course: Course) -> None:
    handout = course.exercises["01_small"].folder / "handout"
    handout.mkdir()
    (handout / "model.bin").write_bytes(b"\x00\r\n\xff")
    (handout / ".DS_Store").write_bytes(b"what macOS leaves")
    released = release_notebooks(course, course.chosen([]))
    names = ["01_small.ipynb", "SETUP.md", "conftest.py", "exercise.json", "model.bin"]
    assert [path.name for path in released] == names
    assert released[-1].read_bytes() == b"\x00\r\n\xff"
