"""Reads a course as its author writes it: course.yaml and a folder for each exercise.

Reading a course needs neither torch nor nbgrader, so that collecting submissions and building notebooks start
at once. In reading order:

- course: loads course.yaml, gives exercises and settings, creates the secret from which hidden inputs are
  drawn, and copies a part of a course
- settings: the keys of course.yaml: limits, due dates, attempts, the penalty for late work
- moments: reads dates, times and durations, with time zones by name
- yaml_lines: reads YAML and gives the line of each value
- packages: the packages that a course needs, and the modules in them
- rule: the names that a question forbids and the operators that it allows; named groups of torch's operators
- names: valid names of exercises and questions, cell ids of checks, and suggestions for unknown names
- exercise: an exercise's folder, with its right answers, its known mistakes, and questions that build on
  others
- answers: reads right and wrong answers, each in a cell of accepted.py or mistakes.py
- code: reads Python code without running it: whether it can be parsed quickly, and which names it binds
- source: an exercise's source, which is a notebook as text with solutions and figures, and its cells
- kit/: conftest.py and SETUP.md, which students get with their notebook, and the code of the notebook's cell
  that defines `check` and `hint`
- hints: checks the hints that students can ask for, and finds parts of answers in files that students get
- notebook: builds nbgrader's source notebook of an exercise, and the kit's files for it
- kept: lists the files of a course that a backup must contain, because no command can recreate them
- guard: prevents a failure on one submission from stopping a command for all others; writes the logs
"""
