"""Keeps in exports.jsonl which grades went where, so that the next export can hold only those that changed.

The file lies beside audit.jsonl, and lines are only added to it.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from autograder.course.course import Course
from autograder.course.kept import EXPORTS
from autograder.files import append_line, read_lines
from autograder.gradebook.renaming import renamed

Values = Mapping[str, str | float]  # what goes out, by student: a score, or a digest of a page


class Exports:
    """What has gone out to one place, such as "tables" or "canvas", for every exercise."""

    def __init__(self, course: Course, to: str) -> None:
        self._path = course.root / EXPORTS
        self._to = to
        self._last: dict[tuple[str, str], str | float] = {}
        for line in read_lines(self._path):
            self._remember(line)

    def changed(self, exercise: str, values: Values) -> set[str]:
        """Return the students for whom something else goes out now than went out last."""
        return {student for student, value in values.items() if self._last.get((exercise, student)) != value}

    def note(self, exercise: str, values: Values) -> None:
        """Keep that these values have gone out."""
        new = {student: values[student] for student in sorted(self.changed(exercise, values))}
        if new:
            time = datetime.now(UTC).isoformat(timespec="seconds")
            append_line(
                self._path, json.dumps({"time": time, "to": self._to, "exercise": exercise, "grades": new})
            )
            self._last |= {(exercise, student): value for student, value in new.items()}

    def _remember(self, line: Mapping[str, Any]) -> None:
        if (ids := renamed(line)) is not None:
            old, new = ids
            for exercise in [exercise for exercise, student in self._last if student == old]:
                self._last[exercise, new] = self._last.pop((exercise, old))
            return
        with suppress(KeyError, TypeError, AttributeError):  # a line that we have not written
            if line["to"] == self._to:
                grades = line["grades"].items()
                self._last |= {(str(line["exercise"]), str(student)): value for student, value in grades}
