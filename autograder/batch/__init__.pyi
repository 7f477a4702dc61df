__all__ = [
    "CONTEXT",
    "Executor",
    "ProcessPool",
    "SubmissionLine",
    "Summary",
    "grade_submissions",
    "run_notebooks",
    "submissions_of",
    "to_junit",
]

from .executor import Executor as Executor
from .grade import SubmissionLine as SubmissionLine
from .grade import Summary as Summary
from .grade import grade_submissions as grade_submissions
from .junit import to_junit as to_junit
from .pool import CONTEXT as CONTEXT
from .pool import ProcessPool as ProcessPool
from .run import run_notebooks as run_notebooks
from .submissions import submissions_of as submissions_of
