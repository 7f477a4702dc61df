"""What was read of a source is kept for the next command, as long as it is the same source."""

import json
import sys
from pathlib import Path

import pytest

from autograder.course import source
from autograder.course.course import Course
from autograder.course.source import FOLDER, SourceError, keep, read_kept, read_source
from autograder.tests.classroom import small


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    source._cells.cache_clear()


def test_the_next_command_reads_the_same_cells_without_jupytext(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = small(course).source
    cells = read_source(path)
    source._cells.cache_clear()
    monkeypatch.setitem(sys.modules, "jupytext", None)
    assert read_source(path) == cells
    assert [type(cell.role) for cell in read_source(path)] == [type(cell.role) for cell in cells]


def test_a_changed_source_is_read_anew_and_takes_the_place_of_the_old_one(course: Course) -> None:
    path = small(course).source
    read_source(path)
    (old,) = (course.root / FOLDER).iterdir()
    path.write_text(path.read_text(encoding="utf-8").replace("points=2", "points=7"), encoding="utf-8")
    assert 7.0 in {cell.points for cell in read_source(path)}
    (new,) = (course.root / FOLDER).iterdir()
    assert new != old


@pytest.mark.parametrize("text", ["", "[[", "{}"])
def test_what_is_not_whole_is_read_anew(course: Course, text: str) -> None:
    path = small(course).source
    cells = read_source(path)
    (kept,) = (course.root / FOLDER).iterdir()
    kept.write_text(text, encoding="utf-8")
    source._cells.cache_clear()
    assert read_source(path) == cells
    assert json.loads(kept.read_text(encoding="utf-8"))


def test_a_wrong_source_is_never_kept_and_names_its_own_place(course: Course, tmp_path: Path) -> None:
    path = small(course).source
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
