"""Building writes nbgrader's source notebook and the kit, and leaves nothing else beside them."""

from collections.abc import Callable

from autograder.authoring.build import build_sources, write_source
from autograder.course.course import Course, load_course
from autograder.course.notebook import build_kit


def test_the_built_notebook_is_the_golden_one(course: Course, golden: Callable[[str, str], None]) -> None:
    built = build_sources(course, course.chosen([]))
    assert [path.relative_to(course.root).as_posix() for path in built] == [
        "build/source/01_small/01_small.ipynb",
        "build/source/01_small/conftest.py",
        "build/source/01_small/SETUP.md",
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
    _, kit, _ = build_sources(course, course.chosen([]))
    assert kit.read_text(encoding="utf-8") == build_kit(course.exercises["01_small"])


def test_what_all_exercises_share_lies_beside_each_notebook(course: Course) -> None:
    (course.root / "solutions" / "symbols.md").write_text("# Symbols\n", encoding="utf-8")
    *_, shared = build_sources(course, course.chosen([]))
    assert shared.relative_to(course.root).as_posix() == "build/source/01_small/symbols.md"
    assert shared.read_text(encoding="utf-8") == "# Symbols\n"
