"""Writes grades as Moodle imports them into its gradebook.

Moodle's importer (moodle/moodle, grade/import/csv) and its manual (docs.moodle.org, "Grade import") say how
it reads such a file:
- On import you choose what each column means: map `username` to the user's username, id number or address,
  whichever the course's ids are. A single id that Moodle does not know stops the whole import.
- Fields are separated by commas, and "." is the decimal point in every language.
- "-" means no grade, and takes away one that Moodle has. An empty cell means that only for a grade item that
  already exists, not for a new one. Who is not in the file keeps their grade.
- A new grade item is out of 100, so first create items with the points in `exercises.csv`, then map to these.
"""

from collections.abc import Iterator, Mapping

from autograder.publishing.canvas import Scores
from autograder.publishing.csv_table import Row

STUDENT_COLUMNS = ("username",)
_NO_GRADE = "-"


def rows(points: Mapping[str, float], scores: Scores) -> Iterator[Row]:
    """Yield a row for each student."""
    for student, grades in scores.items():
        known = (grades.get(exercise) for exercise in points)
        yield (student, *(_NO_GRADE if score is None else score for score in known))
