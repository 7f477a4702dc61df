"""Publishes what is in the gradebook: feedback pages, tables of grades, and the dashboard. It only reads.

Read in this order:

graded_work: each student's work on an exercise, from which all tables are made, and their regrade requests.
export: the grades as CSV tables, which of them were exported, and feedback in a zip.
audit: the audit as a table, a row for each question whose score changed.
overview: a table of students and exercises, feedback pages, and an index of them for each student.
dashboard: how a whole class did, question by question, and which submissions an instructor should look at.
"""
