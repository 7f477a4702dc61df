"""The command line: arguments, output and exit codes.

In reading order:

- group: the `autograder` command with those of plug-ins, and how errors become messages and exit codes.
- options: what commands share: arguments, how they find their course and say what they wrote.
- author: build, release, verify, init, new and doctor.
- grade: run, grade and demo.
- term: collect, students, extend, feedback, export, dashboard, backup and restore.
- output: prints tables, and the progress and the result of grading.
"""

from autograder.cli.group import main as main
