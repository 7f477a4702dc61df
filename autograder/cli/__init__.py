"""The command line: what is typed, what is printed, and the exit code that tells programs.

In reading order:

- group: the `autograder` command, and what becomes of errors.
- plugins: finds the commands that plug-ins add.
- options: arguments that several commands have, and how a command finds its course.
- author: build, release, verify, strength, init, new and doctor.
- collect: takes submissions from archives and folders.
- students: shows the list of students beside what came.
- grade: run, grade and demo.
- watch: grades work as it comes in.
- backup: backup and restore.
- rename: gives a student another id.
- extend: lets a student hand in later.
- publish: feedback, export, dashboard, package and github.
- progress: shows people how grading goes on and what came of it.
- table: shows rows to people.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
