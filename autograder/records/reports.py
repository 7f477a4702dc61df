"""Stores the report on each graded attempt, and the outputs of its cells."""

import json
import zlib
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from sqlalchemy import select

from autograder.records.database import Store, reading
from autograder.records.tables import REPORTS, replace_rows
from autograder.report.report import Report
from autograder.submission.submission import Submission

Outputs = Mapping[int, list[dict[str, Any]]]  # the outputs of each cell, by its number, in nbformat's form


def store_report(
    store: Store,
    submission: Submission,
    digest: str,
    fingerprint: str,
    report: Report,
    outputs: Outputs,
    *,
    recorded: bool = False,
) -> None:
    """Store the report on the notebook with this digest. At most one report of a submission is `recorded`."""
    whose = {"student": submission.student, "exercise": submission.exercise}
    if recorded:
        others = REPORTS.update().where(*(REPORTS.c[name] == value for name, value in whose.items()))
        store.execute(others.values(recorded=False))
    packed = zlib.compress(json.dumps(outputs).encode())
    about = {"fingerprint": fingerprint, "outputs": packed, "recorded": recorded}
    replace_rows(store, REPORTS, [{**whose, "digest": digest, "report": report.to_json(), **about}])


def parse_report(text: str | None) -> Report | None:
    """Return a stored report, or None if there is none or an earlier version wrote it in another form."""
    with suppress(ValueError, KeyError, TypeError):
        return Report.from_dict(json.loads(text)) if text else None
    return None


def report_columns(store: Store, submission: Submission, digest: str) -> dict[str, Any]:
    """Return report, fingerprint and `recorded` of a graded notebook; nothing if it was never graded."""
    whose = {"student": submission.student, "exercise": submission.exercise, "digest": digest}
    row = store.execute(REPORTS.select().filter_by(**whose)).first()
    if row is None:
        return {}
    return {
        "report": parse_report(row.report), "fingerprint": row.fingerprint, "recorded": bool(row.recorded)
    }  # fmt: skip


def stored_outputs(store: Store, submission: Submission, digest: str) -> Outputs:
    """Return the outputs of a graded notebook; none if an earlier version graded it."""
    whose = (REPORTS.c.student == submission.student) & (REPORTS.c.exercise == submission.exercise)
    query = REPORTS.select().with_only_columns(REPORTS.c.outputs).where(whose & (REPORTS.c.digest == digest))
    packed = store.execute(query).scalar()
    return {
        int(key): outputs for key, outputs in json.loads(zlib.decompress(packed) if packed else "{}").items()
    }


def read_report(submission: Submission) -> Report | None:
    """Return the report whose scores the gradebook has."""
    with reading(submission.root) as store:
        return recorded_reports(store, submission.exercise, submission.student).get(submission.student)


def recorded_reports(store: Store, exercise: str, student: str | None = None) -> dict[str, Report]:
    """Return the reports whose scores the gradebook has, by student."""
    query = select(REPORTS.c.student, REPORTS.c.report).where(
        REPORTS.c.exercise == exercise, REPORTS.c.recorded
    )
    if student is not None:
        query = query.where(REPORTS.c.student == student)
    reports = ((row.student, parse_report(row.report)) for row in store.execute(query))
    return {student: report for student, report in reports if report is not None}
