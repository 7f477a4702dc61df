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

Outputs = Mapping[int, list[dict[str, Any]]]  # the outputs of each cell in nbformat's form, by cell number


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
    """Store the report on the notebook with this digest.

    `recorded` says whether the gradebook has the report's scores. This is true for at most one report on a
    submission.
    """
    key = {"student": submission.student, "exercise": submission.exercise}
    if recorded:
        store.execute(REPORTS.update().filter_by(**key).values(recorded=False))
    row = {
        **key,
        "digest": digest,
        "report": report.to_json(),
        "fingerprint": fingerprint,
        "outputs": zlib.compress(json.dumps(outputs).encode()),
        "recorded": recorded,
    }
    replace_rows(store, REPORTS, [row])


def parse_report(text: str | None) -> Report | None:
    """Return a stored report, or None if it is missing or has the form of an earlier version."""
    with suppress(ValueError, KeyError, TypeError):
        return Report.from_dict(json.loads(text)) if text else None
    return None


def report_columns(store: Store, submission: Submission, digest: str) -> dict[str, Any]:
    """Return `report`, `fingerprint` and `recorded` of a notebook, or {} if it was never graded."""
    row = _row(store, submission, digest)
    if row is None:
        return {}
    report = parse_report(row.report)
    return {"report": report, "fingerprint": row.fingerprint, "recorded": bool(row.recorded)}


def stored_outputs(store: Store, submission: Submission, digest: str) -> Outputs:
    """Return the outputs of a graded notebook, or {} if an earlier version graded it."""
    row = _row(store, submission, digest)
    packed = row.outputs if row is not None else None
    outputs = json.loads(zlib.decompress(packed)) if packed else {}
    return {int(number): cell_outputs for number, cell_outputs in outputs.items()}


def _row(store: Store, submission: Submission, digest: str) -> Any:
    key = {"student": submission.student, "exercise": submission.exercise, "digest": digest}
    return store.execute(REPORTS.select().filter_by(**key)).first()


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
