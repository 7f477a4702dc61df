"""A gradebook on PostgreSQL: collecting, grading and the formgrader work; what needs a file says so.

Debian's server (package postgresql) is started on a socket of its own, by a user without privileges.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import NullPool, create_engine, inspect, text

from autograder.batch.grade import grade_submissions
from autograder.course.course import Course
from autograder.errors import UsageError
from autograder.gradebook.backup import back_up
from autograder.gradebook.book import copied_state
from autograder.gradebook.lateness import extend
from autograder.gradebook.pages import read_graders, update_scores
from autograder.gradebook.renaming import rename
from autograder.publishing.export import write_tables
from autograder.records.audit import audit_lines
from autograder.tests.batch.test_attempts import ByTheirWord, hand_in
from autograder.tests.classroom import open_course, small
from autograder.tests.gradebook.rows import Formgrader, gradebook_submission, ruled
from autograder.tests.gradebook.stock import IGNORED_WARNINGS, nbgrader

pytestmark = IGNORED_WARNINGS
USER = "postgres" if os.geteuid() == 0 else None  # the server refuses to be run by root


def run(program: str, *words: str) -> None:
    """Run one of the server's programs, which Debian keeps in a folder for each version."""
    (*_, folder) = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    subprocess.run([folder / program, *words], check=True, user=USER, cwd="/", stdout=subprocess.DEVNULL)


@pytest.fixture
def url() -> Iterator[str]:
    """Start a server, return the address of an empty database, and stop the server."""
    folder = tempfile.mkdtemp(prefix="pg-")  # a socket's path must be short
    if USER is not None:
        shutil.chown(folder, USER)
    try:
        run("initdb", "-D", f"{folder}/data", "-U", "course", "--auth=trust", "--no-sync")
        options = f"-k {folder} -c listen_addresses= -c fsync=off"
        run("pg_ctl", "-D", f"{folder}/data", "-o", options, "-l", f"{folder}/log", "-w", "start")
        try:
            yield f"postgresql+psycopg://course@/postgres?host={folder}"
        finally:
            run("pg_ctl", "-D", f"{folder}/data", "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder)


@pytest.fixture
def course(tmp_path: Path, url: str) -> Course:
    """Return a course whose gradebook is on the server."""
    course = open_course(tmp_path / "course")
    config = course.root / "nbgrader_config.py"
    config.write_text(f"{config.read_text()}\nc.CourseDirectory.db_url = {url!r}\n", encoding="utf-8")
    return ruled(course, "best", "percent: 10")


def test_a_course_with_a_database_server_goes_through_a_term(course: Course, url: str) -> None:
    for share, hours in ((0.4, -1), (1.0, -2)):  # before there is a gradebook
        hand_in(course, share, hours)
    hand_in(course, 0.6, 5, "ben")
    asked = ByTheirWord()
    summary = grade_submissions(course, [small(course)], executor=asked)
    assert {line.student: line.score for line in summary.lines} == {"ann": 5.0, "ben": 3.0}
    again = ByTheirWord()
    grade_submissions(course, [small(course)], executor=again)
    assert (sorted(asked.asked), again.asked) == (["0.4", "0.6", "1"], [])
    desk = Formgrader(course)
    desk.grade("ann", "why", 1.5, by="uma")
    desk.gradebook.close()
    assert gradebook_submission(course, "ann").score == 6.5
    assert read_graders(course, [small(course)]) == {("uma", "01_small"): 1}
    extend(course, "ben", "01_small", "2026-03-03 18:00 Europe/Berlin")
    (change,) = update_scores(course, small(course))
    assert (change.student, change.before, change.after) == ("ben", 2.3, 3.0)
    write_tables(course, [small(course)])
    rename(course, "ben", "ben2")
    lines = [(line["student"], line["why"], line["by"]) for line in audit_lines(course)]
    assert lines == [
        ("ann", "new", None), ("ben2", "new", None), ("ann", "by hand", "uma"),
        ("ben2", "dates or late policy", None), ("ben2", "renamed from ben", None),
    ]  # fmt: skip
    assert [path.name for path in course.root.glob("*.db")] == []
    for refused in (lambda: back_up(course, course.root / "backup.zip"), copied_state(course).__enter__):
        with pytest.raises(UsageError, match="on a database server"):
            refused()
    engine = create_engine(url, poolclass=NullPool)
    tables = set(inspect(engine).get_table_names())
    nbgrader(course, "db", "upgrade")
    with engine.connect() as connection:
        assert connection.execute(text("select count(*) from alembic_version")).scalar() == 1
    assert set(inspect(engine).get_table_names()) == tables >= {"grade", "autograder_attempt"}
