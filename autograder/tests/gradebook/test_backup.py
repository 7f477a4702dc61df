"""A running course goes into one file and comes back whole; nothing that is there is lost on the way."""

import struct
import zipfile
from pathlib import Path

import pytest
from sqlalchemy import Table

from autograder.course.course import Course
from autograder.errors import UsageError
from autograder.gradebook.backup import back_up, restore
from autograder.gradebook.lateness import extend
from autograder.publishing.export import write_tables
from autograder.publishing.graded_work import RegradeRequests
from autograder.records.database import reading
from autograder.records.tables import ATTEMPTS, AUDIT, EXPORTS, REPORTS, REQUESTS
from autograder.tests.batch.test_attempts import grade, hand_in, regraded
from autograder.tests.classroom import CONFIG, SECRET, copy_small_course, small
from autograder.tests.gradebook.rows import by_hand, dump, ruled

KEPT = (
    *("submitted", "attempts", "autograded"),
    *("regrade_requests.csv", "extensions.csv", "students.csv", "comments.yaml"),
)
ASKED = "student,exercise,question,reason\nann,01_small,why,Read it again.\nben,01_small,why,Please.\n"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, blank_gradebook: Path) -> tuple[Course, Path]:
    """Return a course in the middle of a term, and a backup of it."""
    root = tmp_path_factory.mktemp("running") / "course"
    course = ruled(_laptop(root), "best")
    (root / "gradebook.db").write_bytes(blank_gradebook.read_bytes())
    (root / "students.csv").write_text("id,name\nann,Ann\nben,Ben\n")
    (root / "hidden_inputs.key").write_text(SECRET.hex())
    (root / "hidden_inputs.key").chmod(0o600)
    for student in ("ann", "ben"):
        for share in (1.0, 0.4):
            hand_in(course, share, -share, student)
    grade(course)
    by_hand(course, "ann", "why", 1.5)
    extend(course, "ben", "01_small", "2026-03-03 18:00 Europe/Berlin")
    (root / "comments.yaml").write_text("units: Say in which units.\n")
    (root / "regrade_requests.csv").write_text(ASKED)
    requests = RegradeRequests(course)
    requests.finish(requests.of("ann", "01_small", {}))
    write_tables(course, [small(course)])
    back_up(course, root.parent / "backup.zip")
    return course, root.parent / "backup.zip"


def _laptop(root: Path) -> Course:
    """Return a course as it comes out of git: without submissions, grades and secret."""
    course = copy_small_course(root)
    (root / "hidden_inputs.key").unlink()
    (root / "nbgrader_config.py").write_bytes(CONFIG.read_bytes())
    return course


def places(root: Path) -> list[tuple[str, Path]]:
    paths = [path for name in KEPT for path in (root / name, *(root / name).rglob("*")) if path.is_file()]
    return [(path.relative_to(root).as_posix(), path) for path in paths]


def rows(course: Course, *tables: Table) -> list[object]:
    with reading(course.root) as store:
        return [list(store.execute(table.select())) for table in tables]


def state(root: Path) -> dict[str, bytes]:
    return {name: path.read_bytes() for name, path in places(root)}


def test_on_a_new_laptop_everything_comes_back_and_grading_goes_on(
    running: tuple[Course, Path], tmp_path: Path
) -> None:
    course, file = running
    laptop = ruled(_laptop(tmp_path / "laptop"), "best")
    written = restore(laptop, file)
    assert state(laptop.root) == state(course.root)
    assert {name for name, path in places(laptop.root) if path.stat().st_mode & 0o77} == {
        name for name, path in places(course.root) if path.stat().st_mode & 0o77
    }
    assert written == len(state(course.root)) + 2
    assert dump(laptop.root / "gradebook.db") == dump(course.root / "gradebook.db")
    everything = (ATTEMPTS, REPORTS, AUDIT, EXPORTS, REQUESTS)
    assert rows(laptop, *everything) == rows(course, *everything)
    assert (laptop.root / "hidden_inputs.key").read_text() == SECRET.hex()
    assert (laptop.root / "hidden_inputs.key").stat().st_mode & 0o777 == 0o600
    assert regraded(laptop) == []
    assert file.stat().st_mode & 0o777 == 0o600
    write_tables(laptop, [small(laptop)], changed=True)
    assert rows(laptop, EXPORTS) == rows(course, EXPORTS)
    assert [one.student for one in RegradeRequests(laptop).rows.values()] == ["ben"]
    back_up(laptop, tmp_path / "again.zip")
    with pytest.raises(UsageError, match="already exists"):
        back_up(laptop, tmp_path / "again.zip")


@pytest.mark.parametrize(
    "name", ["students.csv", "submitted/ann/x", "autograder.db", "autograder.db-journal"]
)
def test_a_course_that_has_state_is_refused_and_nothing_changes(
    running: tuple[Course, Path], tmp_path: Path, name: str
) -> None:
    _, file = running
    laptop = _laptop(tmp_path / "laptop")
    path = laptop.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("there")
    before = sorted(laptop.root.rglob("*"))
    with pytest.raises(UsageError, match=rf"{name}: already exists.* restore into a fresh checkout"):
        restore(laptop, file)
    after = [path for path in sorted(laptop.root.rglob("*")) if not path.name.endswith(".lock")]
    assert (after, path.read_text()) == (before, "there")


def spoilt(file: Path, copy: Path, name: str, change: str) -> Path:
    """Copy a backup in which students.csv has another name, or contents.json another text, or none."""
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(copy, "w") as new:
        for known in old.namelist():
            if known == "contents.json" == name:
                new.writestr(known, change) if change else None
            else:
                new.writestr(change if known == name else known, old.read(known))
    return copy


def torn(file: Path, copy: Path) -> Path:
    """Copy a backup in which a byte of students.csv is another one."""
    content = bytearray(file.read_bytes())
    with zipfile.ZipFile(file) as archive:
        header = archive.getinfo("students.csv").header_offset
    name, extra = struct.unpack("<HH", content[header + 26 : header + 30])
    content[header + 30 + name + extra + 5] ^= 1
    copy.write_bytes(content)
    return copy


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("students.csv", "submitted/../../x", "which is not part of a backup"),
        ("students.csv", "course.yaml", r"course\.yaml, which is not part of a backup"),
        (
            "students.csv",
            "audit.jsonl",
            r"before autograder\.db existed; .* can convert it; restore it with that version",
        ),
        ("students.csv", "attempts/ann/01_small/1-ab/x.ipynb", r"before autograder\.db existed"),
        ("contents.json", '{"course": "large"}', 'is a backup of the course "large"'),
        ("contents.json", "", "was not written by"),
        ("contents.json", "[]", r"its file contents\.json names no course"),
        ("contents.json", '{"course": 7}', "names no course"),
        ("contents.json", "[" * 100_000, "cannot be restored"),
        ("a byte", "", "cannot be restored"),
        ("the end", "", "cannot be restored"),
    ],
)
def test_what_is_no_whole_backup_of_this_course_changes_nothing(
    running: tuple[Course, Path], tmp_path: Path, name: str, change: str, message: str
) -> None:
    _, file = running
    laptop, bad = _laptop(tmp_path / "laptop"), tmp_path / "bad.zip"
    if name == "the end":
        bad.write_bytes(file.read_bytes()[:1000])
    elif name == "a byte":
        torn(file, bad)
    else:
        spoilt(file, bad, name, change)
    before = sorted(laptop.root.rglob("*"))
    with pytest.raises(UsageError, match=message):
        restore(laptop, bad)
    assert [path for path in sorted(laptop.root.rglob("*")) if not path.name.endswith(".lock")] == before


@pytest.mark.parametrize("link", ["submitted", "attempts"])
def test_nothing_is_restored_through_a_link(running: tuple[Course, Path], tmp_path: Path, link: str) -> None:
    _, file = running
    laptop, elsewhere = _laptop(tmp_path / "laptop"), tmp_path / "elsewhere"
    elsewhere.mkdir()
    (laptop.root / link).symlink_to(elsewhere)
    with pytest.raises(UsageError, match=f"{link}: already exists"):
        restore(laptop, file)
    assert not list(elsewhere.iterdir())
    assert not (laptop.root / "gradebook.db").exists()
