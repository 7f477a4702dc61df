"""Writes feedback pages, tables of grades and the dashboard from the gradebook, without changing any score.

In reading order:

- graded_work: reads the work of all students on an exercise, and the students' regrade requests.
- export: writes the grades as CSV tables and the feedback as a zip, and stores which values were exported.
- audit: writes the audit as a table, with a row for each question whose score changed.
- overview: writes a table of students and exercises, feedback pages, and an index page for each student.
- dashboard: writes statistics of the class, and lists the submissions that an instructor should look at.
"""
