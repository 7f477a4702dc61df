"""What was read of a source is kept for the next command, as long as it is the same source."""

from pathlib import Path

import pytest

from autograder.course.course import Course
from autograder.course.source import FOLDER, Cell, Role, SourceError, keep, read_kept, read_source
from autograder.tests.classroom import small


@pytest.fixture
def path(course: Course) -> Path:
    """Return a source that this process has not read yet."""
    source = small(course).source
    with source.open("a", encoding="utf-8") as file:
        file.write(f"# {course.root}\n")
    return source


def test_the_next_command_finds_the_same_cells(course: Course, path: Path) -> None:
    cells = read_source(path)
    kept = read_kept(path, path.read_text(encoding="utf-8"))
    assert kept is not None
    assert tuple(Cell(Role(role), *values) for role, *values in kept) == cells


def test_a_changed_source_is_read_anew_and_takes_the_place_of_the_old_one(course: Course, path: Path) -> None:
    read_source(path)
    (old,) = (course.root / FOLDER).iterdir()
    path.write_text(path.read_text(encoding="utf-8").replace("points=2", "points=7"), encoding="utf-8")
    assert 7.0 in {cell.points for cell in read_source(path)}
    (new,) = (course.root / FOLDER).iterdir()
    assert new != old


@pytest.mark.parametrize("text", ["", "[[", "{}"])
def test_what_is_not_whole_is_read_anew(course: Course, path: Path, text: str) -> None:
    read_source(path)
    (kept,) = (course.root / FOLDER).iterdir()
    kept.write_text(text, encoding="utf-8")
    assert read_kept(path, path.read_text(encoding="utf-8")) is None


def test_a_wrong_source_is_never_kept_and_names_its_own_place(
    course: Course, path: Path, tmp_path: Path
) -> None:
    read_source(path)
    before = list((course.root / FOLDER).iterdir())
    wrong = path.read_text(encoding="utf-8").replace('check="double"', 'check="other"')
    other = tmp_path / "copy.py"
    for place in (path, other):
        place.write_text(wrong, encoding="utf-8")
        with pytest.raises(SourceError, match=str(place)):
            read_source(place)
    assert list((course.root / FOLDER).iterdir()) == before


def test_outside_a_course_nothing_is_written(tmp_path: Path) -> None:
    for path in (tmp_path / "solutions/one/one.py", Path("one.py")):
        keep(path, "text", [])
        assert read_kept(path, "text") is None
    assert list(tmp_path.iterdir()) == []
