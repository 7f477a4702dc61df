"""What leaves the gradebook: feedback pages, tables of grades, and the dashboard. This room only reads it.

feedback: the page that each student gets.
export: the grades as CSV tables.
canvas, moodle: the forms of table in which these two import grades.
csv_table: a CSV file that is safe to open in a spreadsheet.
graded_work: each student's work on an exercise, as the dashboard reads it.
question_statistics: how each question went.
concerns: the submissions that a person should look at.
statistics: all of this for a whole class.
dashboard: the page that shows it.
dashboard_tables: its numbers as CSV tables.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
