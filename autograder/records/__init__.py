"""Our tables in nbgrader's own database, and the code that reads and writes them.

Read in this order:

tables: defines our tables, such as those of attempts, reports, the audit and exports.
database: finds the database of a course, makes a new one with nbgrader, and opens it to read or to write.
former: imports the data of an earlier version from its file autograder.db.
reports: stores the reports on attempts and the outputs of their cells.
audit: adds a line for each change of a score.
"""
