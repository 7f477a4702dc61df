"""Writes grades as Canvas imports them into its gradebook.

Canvas's own importer shows how it reads such a file (instructure/canvas-lms, lib/gradebook_importer.rb):
- The first columns are Student, ID, SIS User ID, SIS Login ID and Section, in this order. All others are
  assignments, by title; Canvas offers to create those that it does not have.
- A row whose first cell contains "Points Possible" gives each assignment's points.
- Canvas looks a student up by ID first, then by SIS user id, by login, and at last by name. ID is its own
  number for a user, and of any other text there it reads the leading digits as such a number. So we put only
  student ids there that are all digits, as they are in Canvas's own downloads.
- An empty cell deletes the grade that Canvas has. Canvas shows what would change before it imports anything,
  and leaves alone who is not in the file.
- A title that Canvas does not know becomes a new assignment, even if all cells below it are empty.
"""

from collections.abc import Iterator, Mapping

from autograder.publishing.csv_table import Row

STUDENT_COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
Scores = Mapping[str, Mapping[str, float | None]]  # by student and exercise


def rows(points: Mapping[str, float], scores: Scores, names: Mapping[str, str]) -> Iterator[Row]:
    """Yield the row of points, then one for each student, who is known by any id that Canvas has."""
    yield ("    Points Possible", "", "", "", "", *points.values())
    for student, grades in scores.items():
        number = student if student.isascii() and student.isdigit() else ""
        marks = (grades.get(exercise) for exercise in points)
        yield (names[student], number, student, student, "", *marks)
