"""The worker: a confined process that runs the code of a submission and answers the grader's requests.

A submission can read everything that its worker has loaded. Therefore nothing here imports the rest of the
autograder, and this file imports nothing at all. The package `autograder.sandbox` starts workers and talks to
them.

- zygote: the process that imports the course's packages once and forks a child for each submission.
- shell: runs a notebook's cells in IPython and stores their outputs.
- omission: leaves out statements that cannot work where notebooks are graded, such as a download.
- stand_in: replaces functions of torch that need a compiler or a GPU.
- namespace: replies to requests, for example to call a function of the notebook.
- remote_function: lets student code call functions of a hidden test, which stay in the grader's process.
- core: keeps references to classes and functions of torch, so that a submission cannot replace them.
- operators: records which operators torch runs during a call.
- description: describes an exception, or a value that cannot be sent, to the grader.
- protocol: the form of every message between grader and worker, and the limits on its size.
- coding: turns values into messages and back, with a table that has a row for each kind of value.
- values: fills this table, and contains the rows for Python's own types.
- arrays, tables, figures: the rows for torch and numpy, for pandas, and for matplotlib.
- walls: lets a worker confine itself with Landlock, seccomp and limits.
- seccomp: the filter of system calls; syscalls.toml lists the allowed ones.
- scratch: a worker's temporary folder, which is always removed, and the limits on its contents.
"""
