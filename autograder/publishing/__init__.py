"""Publishes what is in the gradebook: feedback pages, tables of grades, and the dashboard. It only reads.

Read in this order:

regrade_requests: students' regrade requests.
graded_work: each student's work on an exercise, from which all tables and statistics are computed.
export: feedback pages, the grades as CSV tables, which of them were exported, and feedback in a zip.
statistics: sums up a whole class: how questions went, and which submissions an instructor should look at.
dashboard: the page that shows the statistics.
"""
