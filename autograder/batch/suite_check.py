"""Checks that an exercise's solution passes the hidden tests, before submissions are graded.

If pytest cannot collect the tests, or if the solution fails a test, the scores of all submissions would be
wrong.
"""

import ast
import re
from pathlib import Path

from autograder.batch.pool import Executor, Task
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.notebook import build_notebook, to_json
from autograder.course.source import SourceError, parsed, read_text
from autograder.files import write_whole
from autograder.grading.graded import Graded
from autograder.report.report import QuestionReport, Verdict
from autograder.submission.digest import rules
from autograder.submission.notebook import Notebook
from autograder.submission.submission import Submission

_SOUND = (Verdict.PASSED, Verdict.REVIEW, Verdict.UNGRADED)
_PREFIX = f"{SourceError.__name__}: "


def suite_problem(course: Course, exercise: Exercise, executor: Executor) -> str:
    """Return a message of one line if the hidden tests cannot grade an exercise, or "" if they can.

    If the solution passes, the result is stored in a file in build/. The solution is graded again only after
    the exercise, its tests or the grader's code have changed.
    """
    try:
        current = rules(course, exercise)
    except SourceError as error:
        return _first_line(str(error))
    stored = course.build / "suites" / f"{exercise.name}.txt"
    if stored.is_file() and stored.read_text(encoding="utf-8") == current:
        return ""
    solution = Notebook(to_json(build_notebook(exercise)).encode())
    ((_, _, graded),) = executor.map(
        [Task(Submission(course.root, "solution", exercise.name), solution)], marks_only=True
    )
    if problem := describe_problem(exercise, graded):
        return problem
    write_whole(stored, current)
    return ""


def describe_problem(exercise: Exercise, graded: Graded) -> str:
    """Return the reason why the solution does not get full marks, with file and line, or "" if it does."""
    broken = [question for question in graded.report.questions if question.verdict not in _SOUND]
    if not broken:
        return ""
    if graded.problem.startswith(_PREFIX):
        return _first_line(graded.problem.removeprefix(_PREFIX))
    if place := _raised(exercise.suite, graded.warnings):
        return place
    return _failed_test(exercise, broken[0], graded)


def _first_line(text: str) -> str:
    first, *others = text.splitlines()
    return f"{first} (and {len(others)} more)" if others else first


def _raised(suite: Path, warnings: tuple[str, ...]) -> str:
    """Return a message on the first error in the file of hidden tests, with its line number, or ""."""
    for warning in warnings:
        lines = re.findall(rf'File "{re.escape(str(suite))}", line (\d+)', warning)
        if lines:
            error = next((line for line in warning.splitlines()[1:] if line[:1].strip()), "")
            return f"{suite}:{lines[-1]}: a hidden test fails on the solution: {error}"
    return ""


def _failed_test(exercise: Exercise, question: QuestionReport, graded: Graded) -> str:
    titles = [test.title for test in question.tests if test.verdict not in _SOUND]
    if not titles:
        return f"{exercise.suite}: the solution of {question.name} was not graded: {graded.problem}"
    line = _line_of(exercise.suite, titles[0])
    return f'{exercise.suite}{line}: the solution of {question.name} does not pass the test "{titles[0]}"'


def _line_of(suite: Path, title: str) -> str:
    """Return ":" and the line number of the test with this title, or ""."""
    for node in ast.walk(parsed(suite, read_text(suite))):
        if isinstance(node, ast.FunctionDef) and (ast.get_docstring(node) or "").startswith(title):
            return f":{node.lineno}"
    return ""
