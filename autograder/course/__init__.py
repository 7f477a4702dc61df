"""Reads a course as its author writes it: course.yaml and a folder for each exercise.

This package imports neither torch nor nbgrader, so the commands that collect submissions and build notebooks
start quickly. In reading order:

- course: loads course.yaml, creates the secret for hidden inputs, and copies a part of a course
- settings: the keys of course.yaml, such as limits, due dates and the penalty for late work
- moments: reads dates, times and durations
- yaml_lines: reads YAML and gives the line of each value
- packages: the packages that a course needs, and the modules in them
- rule: the names that a question forbids, and the torch operators that it allows
- names: the pattern of valid names, the cell ids of checks, and suggestions for misspelled names
- exercise: an exercise's folder, with its questions, right answers and known mistakes
- answers: reads right and wrong answers, each in a cell of accepted.py or mistakes.py
- code: parses code without running it, and finds the names that it binds
- source: reads an exercise's source, a text file with the notebook's cells and the solutions
- kit/: conftest.py and SETUP.md, which students get with their notebook, and the notebook's given cell, which
  defines `check` and `hint`
- hints: checks the hints that students can ask for, and finds parts of answers in files that students get
- notebook: builds nbgrader's source notebook of an exercise, and the kit's files for it
- kept: lists the files that a backup must contain
- guard: prevents a failure on one submission from stopping a command for all others; writes the logs
"""
