"""Stores which grades went where, so that the next export can hold only those that changed."""

from collections.abc import Mapping
from datetime import UTC, datetime

from autograder.course.course import Course
from autograder.submission.store import EXPORTS, reading, writing

Values = Mapping[str, str | float]  # what goes out, by student: a score, or a digest of a page


class Exports:
    """What has gone out to one place, such as "tables" or "canvas", for every exercise."""

    def __init__(self, course: Course, to: str) -> None:
        self._root, self._to = course.root, to
        with reading(self._root) as store:
            rows = store.execute(EXPORTS.select().where(EXPORTS.c.to == to).order_by(EXPORTS.c.id))
            self._last = {(row.exercise, row.student): row.value for row in rows}

    def changed(self, exercise: str, values: Values) -> set[str]:
        """Return the students for whom something else goes out now than went out last."""
        return {student for student, value in values.items() if self._last.get((exercise, student)) != value}

    def note(self, exercise: str, values: Values) -> None:
        """Store that these values have gone out."""
        new = {student: values[student] for student in sorted(self.changed(exercise, values))}
        if new:
            about = {
                "time": datetime.now(UTC).isoformat(timespec="seconds"),
                "to": self._to,
                "exercise": exercise,
            }
            with writing(self._root) as store:
                store.execute(
                    EXPORTS.insert(),
                    [{**about, "student": one, "value": value} for one, value in new.items()],
                )
            self._last |= {(exercise, student): value for student, value in new.items()}
