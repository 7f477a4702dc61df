"""Grades many notebooks: a class into the gradebook, or a few without one.

Read in this order:

grade: grades submissions into the gradebook, with a line on each.
suite_check: runs the hidden tests on the solution first.
explain: adds explanations to the reports of a class that has its marks.
pool: the interface of whatever grades many submissions, and what grades them in several processes.
run: grades notebooks without a gradebook.
autograde: lets nbgrader's own command and the formgrader's button grade in the same way.
"""
