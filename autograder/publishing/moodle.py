"""Writes grades as Moodle imports them into its gradebook.

What Moodle does with such a file is in its own importer (moodle/moodle, grade/import/csv) and in its manual
(docs.moodle.org, "Grade import"):
- Which column says who it is, and which is which grade, is chosen on import: map `username` to the user's
  username, id number or address, whichever the ids are. One id that Moodle does not know stops the import.
- Fields are separated by commas; "." is a decimal point in every language.
- "-" is no grade, for grade items that are there and for new ones; an empty cell of a new one is not.
- A new grade item is out of 100: make items with the points in `exercises.csv` first, and map to these.
"""

from collections.abc import Iterator, Mapping

from autograder.publishing.canvas import Scores
from autograder.publishing.csv_table import Row

_NO_GRADE = "-"


def header(points: Mapping[str, float]) -> Row:
    """Return the first row: who, then the exercises."""
    return ("username", *points)


def rows(points: Mapping[str, float], scores: Scores) -> Iterator[Row]:
    """Yield a row for each student."""
    for student, grades in scores.items():
        known = (grades.get(exercise) for exercise in points)
        yield (student, *(_NO_GRADE if score is None else score for score in known))
