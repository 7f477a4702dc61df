"""The command line: arguments, output and exit codes.

In reading order:

- group: the `autograder` command and its subcommands; turns errors into messages and exit codes.
- options: arguments and options that several commands share; finds the course's folder, and prints lines.
- author: build, release, verify, init, new and doctor.
- grade: run, grade and demo.
- term: collect, students, extend, feedback, export, dashboard, backup and restore.
- output: prints tables, and the progress and results of grading.
"""

from autograder.cli.group import main as main
