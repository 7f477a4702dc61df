"""Keeps beside each attempt what it came to when it was graded last."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from autograder.collecting.attempts import Attempt, adopt
from autograder.collecting.entry import EntryError
from autograder.collecting.placing import LOCK
from autograder.files import locked, write_whole
from autograder.report.report import Report, Status
from autograder.submission.digest import digest_of
from autograder.submission.notebook import Notebook
from autograder.submission.submission import Submission

_FILE = "graded.json"


@dataclass(frozen=True, slots=True)
class GradedAttempt:
    """What an attempt came to when it was graded last, and a digest of what it was graded by."""

    report: Report
    fingerprint: str


def keep_graded(submission: Submission, notebook: Notebook, fingerprinted: Mapping[str, Any]) -> None:
    """Keep a notebook that was graded as an attempt, if it is none yet, and its fingerprinted report."""
    with suppress(EntryError), locked(submission.root / LOCK):
        text = json.dumps(fingerprinted)
        for attempt in adopt(submission):
            if attempt.digest == notebook.digest:
                write_whole(attempt.folder / _FILE, text)


def graded_attempt(attempt: Attempt) -> GradedAttempt | None:
    """Return what an attempt came to, or None if it was never graded."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        kept = json.loads((attempt.folder / _FILE).read_text(encoding="utf-8"))
        return GradedAttempt(Report.from_dict(kept["report"]), str(kept["fingerprint"]))
    return None


def current_report(attempt: Attempt, rules: str, notebook: Notebook) -> Report | None:
    """Return what an attempt comes to, if that is known and grading again would give the same."""
    graded = graded_attempt(attempt)
    if graded is None or graded.fingerprint != digest_of(rules, notebook):
        return None
    return None if graded.report.status is Status.GRADER_ERROR else graded.report
