"""Writes grades as Canvas imports them into its gradebook.

Canvas's own importer shows how it reads such a file (instructure/canvas-lms, lib/gradebook_importer.rb):
- The first columns are Student, ID, SIS User ID, SIS Login ID and Section, in this order. All others are
  assignments, by title; Canvas offers to create those that it does not have.
- A row whose first cell contains "Points Possible" gives each assignment's points.
- Canvas looks a student up by ID first, then by SIS user id, by login, and at last by name. ID is its own
  number for a user, and of any other text there it reads the leading digits as such a number. So we put only
  student ids there that are all digits, as they are in Canvas's own downloads.
- An empty cell is no grade. Canvas shows what would change before it imports anything.
"""

from collections.abc import Iterator, Mapping

from autograder.publishing.csv_table import Row

STUDENT_COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
Scores = Mapping[str, Mapping[str, float | None]]  # by student and exercise


def rows(points: Mapping[str, float], scores: Scores) -> Iterator[Row]:
    """Yield the row of points, then one for each student; an id is the login and, if all digits, the ID."""
    yield ("    Points Possible", "", "", "", "", *points.values())
    for student, grades in scores.items():
        number = student if student.isascii() and student.isdigit() else ""
        yield (student, number, "", student, "", *(grades.get(exercise) for exercise in points))
