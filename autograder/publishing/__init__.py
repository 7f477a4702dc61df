"""Writes feedback pages, tables of grades and the dashboard from the gradebook, without changing any score.

Read the modules in this order:

- graded_work: reads the work of all students on an exercise, and the students' regrade requests.
- export: writes the grades as CSV tables and the feedback as a zip, and stores the exported values.
- audit: writes a table of the audit, which is the history of all scores.
- overview: writes a table of students and exercises, feedback pages, and an index page for each student.
- dashboard: writes statistics of the class, and lists the submissions that an instructor should look at.
"""
