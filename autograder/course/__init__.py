"""Reads a course as its author writes it: course.yaml and a folder for each exercise.

Reading a course needs neither torch nor nbgrader, so that collecting submissions and building notebooks start
at once. In reading order:

course: loads course.yaml, gives exercises and settings, keeps the secret, and copies a part of a course
settings: what course.yaml may contain: limits, due dates, attempts, what late work costs
moments: reads moments and spans of time, with time zones by name
yaml_lines: reads YAML and remembers the line of each value
packages: the packages that a course needs, and the modules in them
rule: what a question asks its answers to do without, and groups of torch's operators for such rules
names: which names exercises may have, what a question's check is called, and which name may be meant
exercise: an exercise's folder, with its other right answers, its known mistakes, and what builds on what
answers: right and wrong answers, each in a cell of accepted.py or mistakes.py
code: reads Python code without running it: whether it can be parsed quickly, and which names it binds
source: the exercise itself, a notebook as text with solutions and figures, and its cells
kit/: by which students check their own notebook: the given cell, what runs all checks, and how to set up
hints: the hints that students can ask for, and parts of answers in what students get
notebook: makes nbgrader's source notebook of an exercise, and the files beside it
kept: names the files that a course keeps, those that commands make again, and why one cannot be written
guard: keeps what fails on one submission from stopping a command for all others
"""
