"""Grades many notebooks: all submissions of a class, with a gradebook, or some notebooks without a gradebook.

Read in this order:

grade: grades the submissions of a class and stores the scores in the gradebook.
suite_check: checks that the solution passes the hidden tests, before submissions are graded.
explain: adds explanations to the reports, after all submissions have scores.
pool: grades submissions in several processes.
run: grades notebooks without a gradebook.
autograde: makes `nbgrader autograde` and the formgrader's button grade in the same way.
"""
