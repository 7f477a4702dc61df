"""The way of a submission through `nbgrader autograde`: read strictly, made whole, graded by us, recorded."""

import glob
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbgrader.converters.base import BaseConverter
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    NbGraderPreprocessor,
    OverwriteCells,
    OverwriteKernelspec,
)

from autograder.course import load_course
from autograder.gradebook.assignment import record_exercise
from autograder.gradebook.recording import record, show
from autograder.gradebook.refusal import TIMESTAMP, refusal
from autograder.gradebook.restored import restored
from autograder.grading import Graded
from autograder.marking import Marker
from autograder.submission import Submission, fingerprint

Resources = dict[str, Any]


class SubmissionExporter(NotebookExporter):  # type: ignore[misc]
    """Reads what a stranger handed in, and knows how it is graded; nbgrader makes one for each run.

    A converter that has `marks`, by student, has been graded already; others are graded here.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.course = load_course(Path(self.parent.coursedir.root))
        self._marks: Mapping[str, Graded] = getattr(self.parent, "marks", {})
        self._marker = Marker(self.course)
        weakref.finalize(self, self._marker.close)
        self._prepare(self.parent)

    def from_filename(
        self, filename: str, resources: Resources | None = None, **kwargs: Any
    ) -> tuple[str, Resources]:
        """Convert a notebook; a submitted one is not trusted to be one."""
        submission = self.submission(resources or {})
        if Path(filename) != submission.notebook:
            converted = super().from_filename(filename, resources, **kwargs)
        else:
            node = restored(self.course.exercises[submission.exercise], submission.notebook)
            converted = self.from_notebook_node(node, resources, **kwargs)
        return cast(tuple[str, Resources], converted)

    def submission(self, resources: Resources) -> Submission:
        """Return the submission that nbgrader is at."""
        about = resources["nbgrader"]
        return Submission(self.course.root, about["student"], about["assignment"])

    def mark(self, submission: Submission) -> Graded:
        """Return the report on `submission`."""
        known = self._marks.get(submission.student)
        return self._marker.mark(submission).graded if known is None else known

    def _prepare(self, converter: BaseConverter) -> None:
        """Record the exercises in the gradebook; keep nbgrader away from all but notebooks and times."""
        coursedir = converter.coursedir
        for folder in [Path(assignment) for assignment in converter.assignments]:
            submission = Submission(self.course.root, folder.parent.name, folder.name)
            if why := refusal(submission):
                self.log.error("%s: %s", folder, why)
                del converter.assignments[str(folder)]
                continue
            others = (path for path in folder.iterdir() if path.name != TIMESTAMP)
            coursedir.ignore = [*coursedir.ignore, *(glob.escape(str(path)) for path in others)]
        names = {Path(assignment).name for assignment in converter.assignments}
        for name in () if self._marks else sorted(names):  # who has marked has recorded the exercise too
            record_exercise(self.course, self.course.exercises[name], coursedir.db_url)


class RecordGrades(NbGraderPreprocessor):  # type: ignore[misc]
    """Stands where nbgrader executes the notebook and believes it: grades by the hidden tests instead."""

    def preprocess(self, node: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Put outputs and report into the notebook, scores and comments into the gradebook."""
        exporter: SubmissionExporter = self.parent
        submission = exporter.submission(resources)
        graded = exporter.mark(submission)
        show(node, graded)
        node.metadata["autograder"] = {
            "fingerprint": fingerprint(exporter.course, submission),
            "report": graded.report.as_dict(),
        }
        record(exporter.course, submission, node, graded.report, resources["nbgrader"]["db_url"])
        return node, resources


CHECKED = (OverwriteKernelspec, OverwriteCells, CheckCellMetadata)
GRADED = (RecordGrades, AssignLatePenalties, CheckCellMetadata)
