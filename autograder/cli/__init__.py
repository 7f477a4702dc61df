"""The command line: arguments, output and exit codes.

In reading order:

- group: the `autograder` command with those of plug-ins; turns errors into messages and exit codes.
- options: arguments and options of several commands; finds the course and prints the names of written files.
- author: build, release, verify, init, new and doctor.
- grade: run, grade and demo.
- term: collect, students, extend, feedback, export, dashboard, backup and restore.
- output: prints tables, and the progress and results of grading.
"""

from autograder.cli.group import main as main
