"""Makes `nbgrader export` reckon late penalties anew, since people may have changed points meanwhile."""

from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.plugins import CsvExportPlugin

from autograder.course.course import load_course
from autograder.gradebook.ledger import Ledger


class SettledCsvExport(CsvExportPlugin):  # type: ignore[misc]
    """Writes nbgrader's own table of grades, as they are now."""

    def export(self, gradebook: Gradebook) -> None:
        """Settle every exercise that the gradebook has, then export."""
        course = load_course(Path(self.parent.coursedir.root))
        known = {assignment.name for assignment in gradebook.assignments}
        for name, exercise in course.exercises.items():
            if name in known:
                Ledger(course, exercise, self.parent.config).open(gradebook)
        super().export(gradebook)
