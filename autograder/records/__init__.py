"""The course's record: our tables in nbgrader's own database, and the only code that opens it.

Read in this order:

tables: the tables: attempts, reports, the audit, exports, finished requests, graded answers, given items.
database: finds the database of a course, makes a new one with nbgrader, and opens it to read or to write.
former: takes over the autograder.db of an earlier version, once.
reports: stores the reports on attempts and the outputs of their cells.
audit: adds a line for each change of a score.
"""
