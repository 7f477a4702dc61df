"""Changes a student's id in the databases, the names of folders, and the CSV files that instructors edit."""

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
    """Change the id of a student from `old` to `new`. To complete an interrupted call, repeat it."""
    if not is_student(new):
        raise UsageError(f'"{new}" is not an id; use letters, digits and . _ @ + -')
    with grading_lock(course), locked(course.root / LOCK), open_gradebook(course) as gradebook:
        ids = {student.id for student in gradebook.students} if gradebook else set()
        moves = _moves(course, old, new)
        listed = {name: _ids(course.root / name) for name in (STUDENTS, EXTENSIONS, REQUESTS)}
        in_lists = [name for name, ids in listed.items() if old in ids]
        is_recorded = old in ids or (gradebook is not None and has_rows(gradebook.db(), old))
        if not (is_recorded or moves or in_lists):
            raise UsageError(f"nobody has the id {old}")
        if {old, new} <= listed[STUDENTS]:
            raise UsageError(f"{STUDENTS} has {new} already; choose an id that nobody has")
        if {old, new} <= ids:
            raise UsageError(f"the gradebook has {new} already; choose an id that nobody has")
        if gradebook and is_recorded:
            for step in _STEPS:
                gradebook.db.execute(text(step), {"old": old, "new": new})
            add_renaming(gradebook.db(), old, new)
            rename_student(gradebook.db(), old, new)
            gradebook.db.commit()
        for path, target in moves:
            path.rename(target)
        for name in in_lists:
            _replace_in_list(course.root / name, old, new)


def _moves(course: Course, old: str, new: str) -> list[tuple[Path, Path]]:
    """Return the old and new paths of the student's folders. Raise UsageError if a new path exists."""
    if old in ("", "..") or old != Path(old).name:  # not the name of a folder
        return []
    pairs = [(course.root / folder / old, course.root / folder / new) for folder in _FOLDERS]
    moves = [(path, target) for path, target in pairs if path.exists()]
    for _, target in moves:
        if target.exists():
            raise UsageError(f"{target} already exists; choose an id that nobody has")
    return moves


def _ids(path: Path) -> set[str]:
    rows = read_rows(path) if path.is_file() else []
    column = _id_column(rows)
    return {row[column].strip() for row in rows if len(row) > column}


def _replace_in_list(path: Path, old: str, new: str) -> None:
    rows = read_rows(path)
    column = _id_column(rows)
    for row in rows:
        if len(row) > column and row[column].strip() == old:
            row[column] = new
    write_rows(path, rows)


def _id_column(rows: list[list[str]]) -> int:
    columns = [meaning(cell) for cell in rows[0]] if rows else []
    return next((columns.index(name) for name in ("id", "student") if name in columns), 0)
