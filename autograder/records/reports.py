"""Stores how attempts were graded: the report on each, and what its cells showed."""

import json
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from autograder.records.database import Store, reading
from autograder.records.tables import REPORTS, replace_rows
from autograder.report.report import Report
from autograder.submission.submission import Submission

Outputs = Mapping[int, list[dict[str, Any]]]  # what each cell showed, by its number, as a notebook has it


@dataclass(frozen=True, slots=True)
class StoredReport:
    """How a notebook was graded last."""

    report: Report
    fingerprint: str  # a digest of the notebook and of everything that affects its grade
    recorded: bool  # whether the gradebook has the scores of this report


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
    """Store how the notebook with this digest was graded; one report of a submission is `recorded`."""
    whose = {"student": submission.student, "exercise": submission.exercise}
    if recorded:
        others = REPORTS.update().where(*(REPORTS.c[name] == value for name, value in whose.items()))
        store.execute(others.values(recorded=False))
    packed = zlib.compress(json.dumps(outputs).encode())
    about = {"fingerprint": fingerprint, "outputs": packed, "recorded": recorded}
    replace_rows(store, REPORTS, [{**whose, "digest": digest, "report": report.to_json(), **about}])


def stored_reports(
    store: Store, exercise: str, student: str | None = None
) -> dict[tuple[str, str], StoredReport]:
    """Return the reports on the notebooks of an exercise, or of one student, by student and digest."""
    columns = [column for column in REPORTS.columns if column.name != "outputs"]
    query = REPORTS.select().with_only_columns(*columns).where(REPORTS.c.exercise == exercise)
    if student is not None:
        query = query.where(REPORTS.c.student == student)
    found = {}
    for row in store.execute(query):
        with suppress(ValueError, KeyError, TypeError):  # of a version with another form of reports
            report = Report.from_dict(json.loads(row.report))
            found[row.student, row.digest] = StoredReport(report, row.fingerprint, row.recorded)
    return found


def stored_outputs(store: Store, submission: Submission, digest: str) -> Outputs:
    """Return what the cells of a graded notebook showed; nothing for one that an earlier version graded."""
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
    found = stored_reports(store, exercise, student)
    return {student: stored.report for (student, _), stored in found.items() if stored.recorded}
