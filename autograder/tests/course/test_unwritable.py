"""A full or read-only disk is told in a sentence, and nothing else is taken for one."""

import errno
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError

from autograder.course.guard import unwritable
from autograder.files import write_whole, write_zip

FIX = "make room there or let this user write there, and run the command again"
COURSE = Path("/course")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENOSPC, "x"), "/course: cannot be written: No space left on device"),
        (OSError(errno.EROFS, "x", ".1.part"), "/course: cannot be written: Read-only file system"),
        (OSError(errno.EACCES, "x", b"/a"), "/a: cannot be written: Permission denied"),
        (OSError(errno.ENOSPC, "x", "/a", None, "/to"), "/to: cannot be written: No space left on device"),
        (OSError(errno.ENOSPC, "x", 3), "/course: cannot be written: No space left on device"),
        (OSError(errno.EPERM, "of no file"), ""),
        (OSError(errno.ENOENT, "x", "/a"), ""),
        (ValueError("x"), ""),
    ],
)
def test_a_sentence_has_the_place_and_the_fix(error: Exception, said: str) -> None:
    assert unwritable(error, COURSE) == (said and f"{said}; {FIX}")


def test_it_is_found_in_what_an_error_was_raised_from() -> None:
    error = ValueError("x")
    error.__cause__ = OSError(errno.ENOSPC, "x", "/a")
    assert unwritable(error, COURSE).startswith("/a: ")
    error.__cause__ = error
    assert unwritable(error, COURSE) == ""


def test_a_gradebook_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    path = tmp_path / "gradebook.db"
    sqlite3.connect(path).close()
    engine = create_engine(f"sqlite:///file:{path}?mode=ro&uri=true")
    with engine.connect() as connection, pytest.raises(OperationalError) as caught:
        connection.execute(text("create table t (x)"))
    engine.dispose()
    told = "gradebook.db: cannot be written: attempt to write a readonly database"
    assert unwritable(caught.value, COURSE) == f"/course/{told}; {FIX}"
    with sqlite3.connect(":memory:") as memory, pytest.raises(sqlite3.OperationalError) as other:
        memory.execute("select * from nothing")
    memory.close()
    assert unwritable(other.value, COURSE) == ""


@pytest.mark.parametrize("write", [lambda path: write_whole(path, "x"), lambda path: write_zip(path, [])])
def test_what_writes_files_names_the_file_and_not_its_draft(
    write: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", ".0a.part")

    monkeypatch.setattr("os.open", full)
    with pytest.raises(OSError, match="No space") as caught:
        write(tmp_path / "list.csv")
    assert caught.value.filename == str(tmp_path / "list.csv")
