"""Writes grades as Canvas imports them into its gradebook.

What Canvas does with such a file is in its own importer (instructure/canvas-lms, lib/gradebook_importer.rb):
- The first columns are Student, ID, SIS User ID, SIS Login ID and Section, in this order; all others are
  assignments, by title. An assignment that is not there yet is offered as a new one.
- A row whose first cell holds "Points Possible" gives each assignment's points.
- ID is Canvas's own number of a user, and comes first. Of anything else that begins with digits, Canvas
  would take these for somebody's number, so only ids that are all digits, as Canvas's downloads have them,
  stand there. Then follow the SIS user id, the login and, where all else fails, the name.
- An empty cell is no grade. Canvas shows what would change before it imports anything.
"""

from collections.abc import Iterator, Mapping

from autograder.publishing.csv_table import Row

_STUDENT = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
Scores = Mapping[str, Mapping[str, float | None]]  # by student and exercise


def header(points: Mapping[str, float]) -> Row:
    """Return the first row: whose columns, then those of the exercises."""
    return (*_STUDENT, *points)


def rows(points: Mapping[str, float], scores: Scores) -> Iterator[Row]:
    """Yield the row of points and a row for each student, who is known by login, or by Canvas's number."""
    yield ("    Points Possible", "", "", "", "", *points.values())
    for student, grades in scores.items():
        number = student if student.isascii() and student.isdigit() else ""
        yield (student, number, "", student, "", *(grades.get(exercise) for exercise in points))
