"""The command line: what is typed, what is printed, and the exit code that tells programs.

In reading order:

- group: the `autograder` command, and what becomes of errors.
- plugins: finds the commands that plug-ins add.
- options: arguments that several commands have, and how a command finds its course.
- author: build, release, verify, init, new and doctor.
- grade: run, grade and demo.
- term: collect, students, extend, feedback, export, dashboard, backup and restore.
- progress: shows people how grading goes on and what came of it.
- table: shows rows to people.
"""

from autograder.cli.group import main as main
