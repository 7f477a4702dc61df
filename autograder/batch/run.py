"""Grades notebooks on the spot: no gradebook, a report for each, whatever state the notebook is in."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.cli.table import clean, number, show
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.source import SourceError
from autograder.grading.restarting import Marker
from autograder.report.report import QuestionReport, Report, Verdict
from autograder.submission.notebook import NotebookCell, UnreadableError, read_notebook


class UnknownExerciseError(Exception):
    """A notebook does not tell which exercise it is, and nobody has said so."""


@dataclass(frozen=True, slots=True)
class Run:
    """A notebook, by the path as it was given, and the report on it."""

    notebook: str
    report: Report
    fault: str = ""  # what broke on our side, if anything did

    def to_json(self) -> str:
        """Return the report on one line of JSON, beginning with the notebook."""
        return self.report.to_json(notebook=self.notebook)


def run(
    course: Course, notebooks: Sequence[str], exercise: str | None = None, *, unsafe: bool = False
) -> Iterator[Run]:
    """Grade each notebook as the exercise that is told, or that it is found to be.

    What is wrong use is raised at once, before any notebook is graded.
    """
    told = course.chosen([exercise])[0] if exercise else None
    tasks = [(notebook, told or guess_exercise(course, Path(notebook))) for notebook in notebooks]
    return _run(course, tasks, unsafe)


def guess_exercise(course: Course, path: Path) -> Exercise:
    """Return the exercise that the notebook's name, its folder or its cells tell, in this order."""
    by_name = _named(course, path.stem) or _named(course, path.absolute().parent.name)
    if found := by_name or _by_questions(course, path):
        return found
    known = ", ".join(course.exercises)
    raise UnknownExerciseError(
        f"{clean(str(path))}: neither its name, its folder nor its cells tell which exercise it is; "
        f"say so with --exercise (one of {known})"
    )


def show_report(run: Run) -> None:
    """Print a report for a person: questions, verdicts, scores and hints."""
    report = run.report
    rows = [
        [
            question.name,
            question.verdict,
            f"{number(question.score)} of {number(question.max_score)}",
            _hint(question),
        ]
        for question in report.questions
    ]
    score = f"{number(report.score)} of {number(report.max_score)} points"
    title = f"{run.notebook} ({report.exercise}): {report.status}, {score}"
    show(title, ("question", "verdict", "score", "hint"), rows, report.message)


def _run(course: Course, tasks: Sequence[tuple[str, Exercise]], unsafe: bool) -> Iterator[Run]:
    with Marker(course, unsafe=unsafe) as marker:
        for notebook, exercise in tasks:
            mark = marker.grade(exercise, Path(notebook))
            yield Run(notebook, mark.graded.report, mark.fault)


def _named(course: Course, text: str) -> Exercise | None:
    """Return the exercise whose name `text` is, or holds as a word: "ada 02_softmax (1)"."""
    if text in course.exercises:
        return course.exercises[text]
    found = [name for name in course.exercises if re.search(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", text)]
    return course.exercises[max(found, key=len)] if found else None


def _by_questions(course: Course, path: Path) -> Exercise | None:
    """Return the one exercise that shares most questions with the notebook's cells."""
    try:
        present = _questions(read_notebook(path))
    except UnreadableError:
        return None
    shared = {exercise: len(present & _asked(exercise)) for exercise in course.exercises.values()}
    most = max(shared.values())
    best = [exercise for exercise, count in shared.items() if count == most]
    return best[0] if most and len(best) == 1 else None


def _questions(cells: Sequence[NotebookCell]) -> set[str]:
    """Return what the cells define or are named after; they may hold anything, so text has to do."""
    code = "\n".join(cell.text for cell in cells if cell.kind == "code")
    defined = re.findall(r"^(?:async def|def|class)\s+(\w+)|^(\w+)\s*=", code, re.MULTILINE)
    return {name for pair in defined for name in pair if name} | {cell.name for cell in cells}


def _asked(exercise: Exercise) -> set[str]:
    """Return the exercise's questions; none while its author still writes it."""
    try:
        return set(exercise.points)
    except SourceError:
        return set()


def _hint(question: QuestionReport) -> str:
    return "graded by hand" if question.verdict is Verdict.UNGRADED else question.hint
