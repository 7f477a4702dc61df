"""Grades many notebooks: a class into the gradebook, or a few on the spot.

Read in this order:

grade: grades submissions into the gradebook, with a line on each.
pool: the interface of whatever grades many submissions, and what grades them in several processes.
run: grades notebooks on the spot, without a gradebook.
junit: writes reports in the form that build servers read.
classroom: writes what Classroom 50 and GitHub Actions read.
"""
