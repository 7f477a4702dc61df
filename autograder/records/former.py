"""Imports the data of an earlier version from autograder.db into our tables in nbgrader's database.

All data is copied in the transaction that creates our tables. Then autograder.db is renamed and stays as a
backup. Data of versions that did not use autograder.db is refused.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, MetaData, NullPool, Table, create_engine, inspect, text

from autograder.course.kept import BEFORE_STORE, FORMER, STORE
from autograder.course.names import checked_question
from autograder.errors import UsageError
from autograder.records.tables import ATTEMPTS, AUDIT, EXPORTS, REPORTS, REQUESTS

ASIDE = f"{STORE}.bak"
_Row = dict[str, Any]
_SCORES = """select grade.id, auto_score, student_id as student, assignment.name as exercise,
    base_cell.name as cell
    from grade join base_cell on base_cell.id = grade.cell_id
    join submitted_notebook on submitted_notebook.id = grade.notebook_id
    join submitted_assignment on submitted_assignment.id = submitted_notebook.assignment_id
    join assignment on assignment.id = submitted_assignment.assignment_id"""
_SAVES = "select time, grader, score, extra_credit, grade_id from autograder_save order by id"


def exists(root: Path) -> bool:
    """Whether the course has an autograder.db."""
    return (root / STORE).is_file()


def refuse_older(root: Path) -> None:
    """Raise UsageError if the course in `root` has files of a version that did not use autograder.db."""
    if not exists(root) and (old := next((path for name in FORMER for path in root.glob(name)), None)):
        fix = "check out that commit, run `autograder requests` in this course, and return to this version"
        raise UsageError(f"{old}: {BEFORE_STORE}; {fix}")


def put_aside(root: Path) -> None:
    """Rename autograder.db after its data has been copied."""
    if exists(root):
        (root / STORE).rename(root / ASIDE)


def take_over(root: Path, connection: Connection) -> None:
    """Copy all rows of autograder.db, and the table of scores saved in the formgrader, into our tables."""
    present = set(inspect(connection).get_table_names())
    scores = {row["id"]: row for row in (_all(connection, _SCORES) if "grade" in present else [])}
    saves = _all(connection, _SAVES) if "autograder_save" in present else []
    saves = [scores[save["grade_id"]] | save for save in saves if save["grade_id"] in scores]
    old = _read(root / STORE) if exists(root) else {}
    audit = list(_audit(old.get("audit", []), saves, list(scores.values())))
    last = {(line["student"], line["exercise"]): line["digests"] or {} for line in audit}
    for row in old.get("report", []):
        row["recorded"] = last.get((row["student"], row["exercise"]), {}).get("notebook") == row["digest"]
    new = {
        ATTEMPTS: _attempts(old.get("attempt", [])),
        REPORTS: old.get("report", []),
        AUDIT: audit,
        EXPORTS: old.get("export", []),
        REQUESTS: old.get("request", []),
    }
    for table, rows in new.items():
        if rows:
            connection.execute(table.insert(), [_of(table, row) for row in rows])
    if "autograder_save" in present:
        connection.execute(text("drop table autograder_save"))


def _all(connection: Connection, query: str) -> list[_Row]:
    return [dict(row._mapping) for row in connection.execute(text(query))]


def _read(path: Path) -> dict[str, list[_Row]]:
    engine, tables = create_engine(f"sqlite:///{path.absolute()}", poolclass=NullPool), MetaData()
    tables.reflect(engine)
    with engine.connect() as connection:
        queries = {name: table.select().order_by(text("rowid")) for name, table in tables.tables.items()}
        return {name: [row._asdict() for row in connection.execute(query)] for name, query in queries.items()}


def _of(table: Table, row: _Row) -> _Row:
    """Return a row's values for the columns of `table`, without `id`, which the database assigns."""
    return {column.name: row.get(column.name) for column in table.columns if column.name != "id"}


def _attempts(rows: list[_Row]) -> list[_Row]:
    """Return the latest row of each attempt, with the earliest time at which `watch` accepted the attempt."""
    attempts: dict[tuple[str, ...], _Row] = {}
    for row in rows:
        key = row["student"], row["exercise"], row["digest"]
        earlier = attempts.pop(key, row)
        times = filter(None, (earlier["told"], row["told"]))
        is_shown = earlier["shown"] or row["shown"]
        attempts[key] = {**row, "told": min(times, default=None), "shown": is_shown}
    return list(attempts.values())


def _audit(lines: list[_Row], saves: list[_Row], scores: list[_Row]) -> Iterator[_Row]:
    """Yield the audit's lines. If a grader saved a score, the line also gets the name of the question.

    If a saved score has no line, a new line is added. Lines whose scores never reached the gradebook are left
    out.
    """
    unwritten = {(save["time"], save["grader"], save["student"], save["exercise"]): save for save in saves}
    last: dict[tuple[str, str], _Row] = {}
    for line in lines:
        if line["pending"] and not _is_in_gradebook(line, scores):
            continue
        key = line["time"], line["by"], line["student"], line["exercise"]
        save = unwritten.pop(key, None) if line["by"] else None
        last[line["student"], line["exercise"]] = line
        yield {**line, "question": _question(save) if save else None}
    for save in unwritten.values():
        before = last.get((save["student"], save["exercise"]))
        if before is not None and save["time"] > before["saved"]:
            after = _after(before, save)
            last[save["student"], save["exercise"]] = after
            yield after


def _question(save: _Row) -> str:
    return checked_question(save["cell"]) or str(save["cell"])


def _after(line: _Row, save: _Row) -> _Row:
    """Return a new line on a saved score, with the penalty of `line`. The next command updates it."""
    question = _question(save)
    automatic = (line["questions"].get(question) or [None])[0]
    questions = {**line["questions"], question: [automatic, save["score"], save["extra_credit"]]}
    score = sum(map(_points, questions.values())) - (line["penalty"] or 0.0)
    return {
        **line, "time": save["time"], "by": save["grader"], "question": question, "why": "by hand",
        "before": line["score"], "questions": questions, "score": None if line["score"] is None else score,
    }  # fmt: skip


def _points(scores: list[float | None]) -> float:
    automatic, manual, extra = scores
    return (automatic or 0.0 if manual is None else manual) + (extra or 0.0)


def _is_in_gradebook(line: _Row, scores: list[_Row]) -> bool:
    """Whether the scores by tests in a pending audit line have reached the gradebook.

    The earlier version marked a line as pending, changed the gradebook, and then removed the mark. If the
    process was killed before the last step, the mark remained.
    """
    key = line["student"], line["exercise"]
    present = {
        _question(row): row["auto_score"] for row in scores if (row["student"], row["exercise"]) == key
    }
    return all(present.get(name) == automatic for name, (automatic, *_) in line["questions"].items())
