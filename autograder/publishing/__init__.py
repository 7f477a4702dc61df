"""Publishes what is in the gradebook: feedback pages, tables of grades, and the dashboard. It only reads.

Read in this order:

graded_work: each student's work on an exercise, which all tables use, and the students' regrade requests.
export: the grades as CSV tables, a record of exported values, and feedback in a zip.
audit: the audit as a table, with a row for each question whose score changed.
overview: a table of students and exercises, feedback pages, and an index of them for each student.
dashboard: statistics of the class by question, and the submissions that an instructor should look at.
"""
