"""The command line: what is typed, what is printed, and the exit code that tells programs.

In reading order:

- group: the `autograder` command, and what becomes of errors.
- options: arguments that several commands have, and how a command finds its course.
- author: build, release, verify, new.
- collect: takes submissions from archives and folders.
- grade: run and grade.
- publish: feedback, export, dashboard, package.
- machine: demo and doctor.
- progress: shows grading to those who wait for it.
- table: shows rows to people.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
