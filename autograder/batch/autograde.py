"""Makes `nbgrader autograde` and the formgrader's button grade in the same way as `autograder grade`."""

from collections import defaultdict
from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter

from autograder.batch.explain import explain, unexplained_in
from autograder.batch.grade import grade_submissions
from autograder.batch.pool import ProcessPool
from autograder.course.course import load_course
from autograder.gradebook.config import NbGraderException
from autograder.records.database import gradebook_url


class ClassExporter(NotebookExporter):  # type: ignore[misc]
    """Grades the submissions that nbgrader has listed, and empties the list.

    nbgrader creates this exporter before it processes the list. So nbgrader has nothing left to process.
    Otherwise it would run the students' code.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        submissions, self.parent.assignments = self.parent.assignments, {}
        course, log = load_course(Path(self.parent.coursedir.root)), self.parent.log
        url = self.parent.config.CourseDirectory.get("db_url")
        if url and url != gradebook_url(course.root):
            log.error("set the path of the gradebook in nbgrader_config.py: c.CourseDirectory.db_url = ...")
            raise NbGraderException
        students = defaultdict[str, list[str]](list)
        for folder in sorted(submissions):
            students[Path(folder).name].append(Path(folder).parent.name)
        for name, ids in students.items():
            exercises = [course.exercises[name]]
            with ProcessPool(course, 1) as pool:
                summary = grade_submissions(course, exercises, ids, executor=pool, force=self.parent.force)
                for _ in explain(course, unexplained_in(course, exercises, summary), pool):
                    pass
            for line in summary.failures:
                log.error("%s %s: %s: %s", line.exercise, line.student, line.status, line.message)
            for problem in summary.stopped:
                log.error("%s", problem)
            if summary.exit_code:
                raise NbGraderException("some submissions could not be graded; see the messages above")
