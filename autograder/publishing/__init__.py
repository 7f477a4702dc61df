"""Publishes what the gradebook holds: feedback pages, tables of grades, and the dashboard. It only reads.

Read in this order:

feedback: the page that each student gets.
export: the grades as CSV tables.
canvas, moodle: the rows in the form that these systems import.
exported: keeps which grades have gone out, so that an export can hold only those that changed.
worksheet: fills the grading worksheet that Moodle gave.
feedback_zip: feedback as the zips that Canvas and Moodle take back.
feedback_notebook: feedback in the form of what was handed in.
csv_table: a CSV file that is safe to open in a spreadsheet.
graded_work: each student's work on an exercise, from which all statistics are computed.
regrade_requests: what students want to have looked at again.
question_statistics: how each question went.
concerns: the submissions that a person should look at.
statistics: sums up a whole class.
dashboard: the page that shows the statistics, and the same numbers as CSV tables.
"""
