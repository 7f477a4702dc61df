"""Changes a student's id everywhere: in the database, in the folders of submissions and pages, in lists."""

from pathlib import Path

from sqlalchemy import text

from autograder.collecting.attempts import LOCK
from autograder.course.course import Course
from autograder.course.kept import EXTENSIONS, REQUESTS, STUDENTS
from autograder.errors import UsageError
from autograder.files import locked
from autograder.gradebook.config import grading_lock, open_gradebook
from autograder.records.audit import add_renaming
from autograder.records.tables import has_rows, rename_student
from autograder.submission.students import meaning, read_rows, write_rows
from autograder.submission.submission import is_student

_FOLDERS = ("submitted", "autograded", "feedback")
_STEPS = (
    "insert into student (id, first_name, last_name, email, lms_user_id) select :new, first_name, case"
    " when last_name = :old then :new else last_name end, email, lms_user_id from student where id = :old",
    "update submitted_assignment set student_id = :new where student_id = :old",
    "delete from student where id = :old",
)


def rename(course: Course, old: str, new: str) -> None:
    """Give the student `old` the id `new`; where that was stopped on the way, the same call goes on."""
    if not is_student(new):
        raise UsageError(f'"{new}" is not an id; use letters, digits and . _ @ + -')
    with grading_lock(course), locked(course.root / LOCK), open_gradebook(course) as gradebook:
        known = {student.id for student in gradebook.students} if gradebook else set()
        moves = _moves(course, old, new)
        listed = {name: _ids(course.root / name) for name in (STUDENTS, EXTENSIONS, REQUESTS)}
        in_lists = [name for name, ids in listed.items() if old in ids]
        is_known = old in known or (gradebook is not None and has_rows(gradebook.db(), old))
        if not (is_known or moves or in_lists):
            raise UsageError(f"nobody has the id {old}")
        if {old, new} <= listed[STUDENTS]:
            raise UsageError(f"{STUDENTS} has {new} already; choose an id that nobody has")
        if {old, new} <= known:
            raise UsageError(f"the gradebook has {new} already; choose an id that nobody has")
        if gradebook and is_known:
            for step in _STEPS:
                gradebook.db.execute(text(step), {"old": old, "new": new})
            add_renaming(gradebook.db(), old, new)
            rename_student(gradebook.db(), old, new)
            gradebook.db.commit()
        for path, place in moves:
            path.rename(place)
        for name in in_lists:
            _in_list(course.root / name, old, new)


def _moves(course: Course, old: str, new: str) -> list[tuple[Path, Path]]:
    """Return which folders have to move, and where to; nothing may be there."""
    if old in ("", "..") or old != Path(old).name:  # no folder of one student
        return []
    both = [(course.root / folder / old, course.root / folder / new) for folder in _FOLDERS]
    moves = [(path, place) for path, place in both if path.exists()]
    for _, place in moves:
        if place.exists():
            raise UsageError(f"{place} already exists; {new} is somebody else")
    return moves


def _ids(path: Path) -> set[str]:
    """Return the ids in a list; nothing where there is none."""
    rows = read_rows(path) if path.is_file() else []
    place = _id_place(rows)
    return {row[place].strip() for row in rows if len(row) > place}


def _in_list(path: Path, old: str, new: str) -> None:
    """Replace an id in its column of a list."""
    rows = read_rows(path)
    place = _id_place(rows)
    for row in rows:
        if len(row) > place and row[place].strip() == old:
            row[place] = new
    write_rows(path, rows)


def _id_place(rows: list[list[str]]) -> int:
    """Return in which column ids stand: without a header, in the first."""
    columns = [meaning(cell) for cell in rows[0]] if rows else []
    return next((columns.index(name) for name in ("id", "student") if name in columns), 0)
