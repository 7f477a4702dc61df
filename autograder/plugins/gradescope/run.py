"""Grades one submission in Gradescope's container and writes the results in Gradescope's format.

https://gradescope-autograders.readthedocs.io/en/latest/specs/ defines the format. Students see an entry for
each question, with the same words as on our feedback page. Only instructors see the printed output. If the
grader itself fails, no results are written: Gradescope then reports a failure instead of 0 points.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autograder.collecting.names import left_out
from autograder.course.course import load_course
from autograder.course.exercise import Exercise
from autograder.errors import OUR_FAILURE
from autograder.files import write_whole
from autograder.grading.marking import MarkingProcess
from autograder.report.question_view import badge_and_meaning
from autograder.report.report import QuestionReport, Report, Status, Verdict, describe_unreadable
from autograder.report.text import clean_text, number
from autograder.submission.notebook import read_notebook


def main(arguments: list[str]) -> int:
    """Grade a submission. The arguments: the course's folder, the submission's folder, the results file."""
    folder, submission, target = map(Path, arguments)
    target.unlink(missing_ok=True)
    course = load_course(folder.absolute())
    (exercise,) = course.exercises.values()
    with MarkingProcess(course) as grader:
        graded = grader.grade(exercise, read_notebook(find_notebook(submission, exercise)))
    report = graded.report
    sys.stdout.write(f"{report.status}: {number(report.score)} of {number(report.max_score)} points\n")
    sys.stdout.write(f"walls: {' '.join(report.sandbox)}\n")
    if report.status is Status.GRADER_ERROR:
        sys.stdout.write(f"the grader failed: {clean_text(graded.problem)}\n{clean_text(graded.traceback)}")
        return OUR_FAILURE
    write_whole(target, json.dumps(results(report), indent=1) + "\n")
    return 0


def find_notebook(submission: Path, exercise: Exercise) -> Path:
    """Return the path of the submission's notebook, or of a script that was exported from it.

    If no file has the exercise's name, take the submission's only notebook. If the submission has several
    notebooks or none, return the path at which the notebook should be. Reading a file at this path fails with
    a message for the student.
    """
    notebooks = sorted(submission.rglob("*.ipynb"), key=lambda path: (len(path.parts), path))
    candidates = [path for path in notebooks if not left_out(str(path.relative_to(submission)))]
    named = [path for path in candidates if path.stem == exercise.name]
    named = named or sorted(submission.rglob(f"{exercise.name}.py"))
    only = candidates if len(candidates) == 1 else []
    return (named or only or [submission / f"{exercise.name}.ipynb"])[0]


def results(report: Report) -> dict[str, Any]:
    """Return the results in Gradescope's format. Each item of `tests` is a question of the exercise."""
    graded_questions = [question for question in report.questions if question.verdict is not Verdict.UNGRADED]
    return {
        "output": clean_text("\n".join(_overall(report))),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [_test(question, report) for question in graded_questions],
    }


def _overall(report: Report) -> Iterator[str]:
    if report.status is Status.UNREADABLE:
        yield f"This file {describe_unreadable(report.message)}"
        yield f"Hand in the file {report.exercise}.ipynb, saved from Jupyter."
    elif report.message:
        yield report.message
    if names := ", ".join(q.name for q in report.questions if q.verdict is Verdict.UNGRADED):
        yield f"Written answers are graded manually and do not count here: {names}."


def _test(question: QuestionReport, report: Report) -> dict[str, Any]:
    shown = [] if report.status is Status.UNREADABLE else _shown(question)
    return {
        "name": question.name,
        "name_format": "text",
        "score": question.score,
        "max_score": question.max_score,
        "status": "passed" if question.verdict is Verdict.PASSED else "failed",
        "output": clean_text("\n".join(shown)),
        "output_format": "text",
        "visibility": "visible",
    }


def _shown(question: QuestionReport) -> Iterator[str]:
    """Yield lines for the student about a question: its state, the hint, and a line for each test."""
    yield ": ".join(badge_and_meaning(question, question.score))
    if question.halves_in_words:
        yield f"{question.halves_in_words}."
    if question.hint:
        yield question.hint
    for test in question.tests:
        expected = "" if test.verdict is Verdict.PASSED else "expected: "
        hint = "" if question.hint.endswith(test.hint) else f" {test.hint}"
        yield f"- {test.verdict}: {expected}{test.title}{hint}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
