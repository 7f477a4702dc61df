"""Grades many notebooks: a class into the gradebook, or a few without one.

Read in this order:

grade: grades submissions into the gradebook, and yields a line on each.
suite_check: runs the hidden tests on the solution before they grade a class.
explain: adds explanations to the reports of a class that has its marks.
pool: the interface of executors, which grade many submissions, and the executor with several processes.
run: grades notebooks without a gradebook.
autograde: nbgrader's own command and the formgrader's button, which grade in the same way.
"""
