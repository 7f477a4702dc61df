"""Writes what Classroom 50 reads on GitHub: result.json.

Classroom 50 (foundation50/classroom50, schemas/result-v1.schema.json) takes whole numbers only, no field that
it does not know, and at most the maximum. So scores are in hundredths of a point, cut off, never rounded up.
Who handed in what, and when, its runner tells in the environment and writes in again itself.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from autograder.course.course import Course
from autograder.report.report import QuestionReport, Report, Status, Verdict, standing
from autograder.report.text import clean_text

_PARTS = 100  # of a point
_TINY = 1e-6  # by which a sum of binary fractions may fall short
_SUBMISSION = {"submission": "SUBMISSION_TAG", "commit": "COMMIT_URL", "release": "RELEASE_URL"}


def to_result(course: Course, report: Report, environment: Mapping[str, str]) -> str:
    """Return result.json; outside Classroom 50 the fields on the submission name what is here instead."""
    tests = [_test(q, report) for q in report.questions if q.verdict is not Verdict.UNGRADED]
    known = {field: environment.get(name, "") for field, name in _SUBMISSION.items()}
    commit = known["commit"] or "unknown"
    result: dict[str, Any] = {
        "schema": "classroom50/result/v1",
        "classroom": environment.get("CLASSROOM") or course.settings.course,
        "assignment": environment.get("ASSIGNMENT") or report.exercise,
        "assignment_type": environment.get("ASSIGNMENT_TYPE") or "individual",
        "owner": environment.get("OWNER") or environment.get("USERNAME") or "unknown",
        "submission": known["submission"] or "submit/unknown",
        "commit": commit,
        "release": known["release"] or commit,
        "review": environment.get("REVIEW_URL") or commit,
        "datetime": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "score": sum(test["score"] for test in tests),
        "max-score": sum(test["max-score"] for test in tests),
        "tests": tests,
    }
    return json.dumps(result, indent=2) + "\n"


def _test(question: QuestionReport, report: Report) -> dict[str, Any]:
    unreadable = report.status is Status.UNREADABLE
    why = f"The notebook could not be read: {report.message}" if unreadable else question.hint
    stands = standing(question.verdict, question.score, question.max_score)
    most = int(question.max_score * _PARTS + _TINY)
    return {
        "test-name": question.name,
        "passed": question.verdict is Verdict.PASSED,
        "score": min(max(int((question.score or 0.0) * _PARTS + _TINY), 0), most),
        "max-score": most,
        "details": clean_text(f"{stands}. {why}".strip()),
    }
