"""Keeps the traceback of a failure of ours in build/autograder.log, and says so in one line."""

from autograder.course.course import Course, log_of
from autograder.grading.graded import Graded
from autograder.report.text import clean_text, terminal_line

_LOG = "autograder"


def describe_failure(course: Course, submission: str, graded: Graded) -> str:
    """Return what failed on our side while `submission` was graded, and where to read on, or nothing."""
    if not graded.traceback:
        return graded.problem
    with log_of(course, _LOG) as log:
        problem, details = terminal_line(graded.problem), clean_text(graded.traceback).rstrip()
        log.error("%s: %s\n%s", submission, problem, details)
    return f"{graded.problem}; {course.build / _LOG}.log says more"
