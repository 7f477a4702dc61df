"""Makes nbgrader's own commands, autograde and export, take the same steps as ours."""

import glob
from contextlib import closing
from functools import cache, partial
from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.converters.base import BaseConverter
from nbgrader.plugins import CsvExportPlugin
from nbgrader.preprocessors import (
    NbGraderPreprocessor,
)

from autograder.course.course import load_course
from autograder.course.exercise import Exercise
from autograder.gradebook.assignment import record_exercise
from autograder.gradebook.folder_check import companions, refusal
from autograder.gradebook.grades import Release, keep_answers, take_in
from autograder.gradebook.ledger import Ledger, turn
from autograder.gradebook.rows import rows_on
from autograder.grading.graded import describe_failure
from autograder.grading.marking import MarkingProcess
from autograder.submission.notebook import Notebook, read_notebook
from autograder.submission.submission import Submission

Resources = dict[str, Any]


class SubmissionExporter(NotebookExporter):  # type: ignore[misc]
    """Reads submitted notebooks and grades them; nbgrader makes one exporter for each run.

    nbgrader converts twice: first the submitted file, which becomes a notebook with all of its graded cells,
    then that notebook, which RecordGrades replaces by the graded one.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.course = load_course(Path(self.parent.coursedir.root))
        self._release = cache(partial(Release, self.course))  # by exercise: reading one takes a while
        self._ledgers: dict[str, Ledger] = {}
        self._read: dict[Submission, Notebook] = {}
        self._grader = MarkingProcess(self.course)
        self._take_turns(self.parent)

    def from_filename(self, filename: str, resources: Resources, **kwargs: Any) -> tuple[str, Resources]:
        """Convert a notebook; a submitted file may be anything, so we read it instead of nbconvert."""
        converted: tuple[str, Resources]
        submission = self._submission(resources)
        if Path(filename) == submission.notebook:
            notebook = self._read[submission] = read_notebook(submission.notebook)
            node = self._release(self.course.exercises[submission.exercise]).restored(notebook)
            converted = self.from_notebook_node(node, resources, **kwargs)
        else:
            converted = super().from_filename(filename, resources, **kwargs)
        return converted

    def take_in(self, resources: Resources) -> NotebookNode:
        """Grade the submission that nbgrader is working on, record it and return its autograded notebook."""
        submission = self._submission(resources)
        exercise = self.course.exercises[submission.exercise]
        notebook = self._read.pop(submission)
        graded = self._grader.grade(exercise, notebook)
        if problem := describe_failure(self.course, f"{submission.exercise} {submission.student}", graded):
            self.log.error("%s: %s", submission.folder, problem)
        with Gradebook(resources["nbgrader"]["db_url"], self.course.settings.course) as gradebook:
            ledger = self._ledger(gradebook, exercise)
            rows = rows_on(gradebook, exercise, submission.student)
            node = take_in(gradebook, self._release(exercise), rows, notebook, graded)
            ledger.settle(gradebook, submission, notebook, rows, graded.report, self._release(exercise).rules)
            return node

    def _ledger(self, gradebook: Gradebook, exercise: Exercise) -> Ledger:
        """Return the exercise's ledger, which is opened when the first submission comes."""
        if exercise.name not in self._ledgers:
            self._ledgers[exercise.name] = Ledger(self.course, exercise, self.parent.config)
            keep_answers(gradebook)
            self._ledgers[exercise.name].open(gradebook)
        return self._ledgers[exercise.name]

    def _submission(self, resources: Resources) -> Submission:
        about = resources["nbgrader"]
        return Submission(self.course.root, about["student"], about["assignment"])

    def _take_turns(self, converter: BaseConverter) -> None:
        """Let nbgrader convert while nobody else grades, as our own commands do.

        nbgrader has no place of its own for this: its hooks are called for each submission, and not at all
        where one fails.
        """
        convert = converter.convert_notebooks

        def convert_in_turn() -> None:
            with turn(self.course, self.log.warning), closing(self._grader):
                self._prepare(converter)
                convert()

        converter.convert_notebooks = convert_in_turn

    def _prepare(self, converter: BaseConverter) -> None:
        """Record the exercises in the gradebook, and hide from nbgrader what it would hang or fail on."""
        coursedir = converter.coursedir
        for folder in [Path(assignment) for assignment in converter.assignments]:
            submission = Submission(self.course.root, folder.parent.name, folder.name)
            if why := refusal(submission):
                self.log.error("%s: %s", folder, why)
                del converter.assignments[str(folder)]
                continue
            others = set(folder.iterdir()) - set(companions(submission))
            coursedir.ignore = [*coursedir.ignore, *(glob.escape(str(path)) for path in sorted(others))]
        for name in sorted({Path(assignment).name for assignment in converter.assignments}):
            record_exercise(self.course, self.course.exercises[name], coursedir.db_url)


class RecordGrades(NbGraderPreprocessor):  # type: ignore[misc]
    """Takes the place of nbgrader's step that runs the notebook and trusts it: runs hidden tests instead."""

    def preprocess(self, node: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:  # noqa: ARG002 - nbconvert's signature
        """Put outputs and report into the notebook, scores and comments into the gradebook."""
        exporter: SubmissionExporter = self.parent
        return exporter.take_in(resources), resources


class SettledCsvExport(CsvExportPlugin):  # type: ignore[misc]
    """Writes nbgrader's own table of grades, as they are now."""

    def export(self, gradebook: Gradebook) -> None:
        """Settle every exercise that the gradebook has, then export."""
        course = load_course(Path(self.parent.coursedir.root))
        known = {assignment.name for assignment in gradebook.assignments}
        for name, exercise in course.exercises.items():
            if name in known:
                with turn(course):
                    Ledger(course, exercise, self.parent.config).open(gradebook)
        super().export(gradebook)
