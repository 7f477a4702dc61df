"""The command line: arguments, output and exit codes.

In reading order:

- group: the `autograder` command, and how errors become messages and exit codes.
- plugins: finds the commands that plug-ins add.
- options: arguments that several commands share, and how a command finds its course.
- author: build, release, verify, init, new and doctor.
- grade: run, grade and demo.
- term: collect, students, extend, feedback, export, dashboard, backup and restore.
- progress: shows the progress and the result of grading.
- table: prints tables.
"""

from autograder.cli.group import main as main
