"""The worker: a confined process that runs the code of a submission and answers the grader's requests.

Nothing here imports the rest of the autograder, and this file imports nothing at all: a submission can read
everything that its worker has loaded. The package `autograder.sandbox` starts workers and talks to them.

- zygote: the process that imports the course's packages once and forks a child for each submission.
- shell: runs a notebook's cells in IPython and stores their outputs.
- omission: drops those statements of a cell that cannot work where notebooks are graded.
- stand_in: replaces functions of torch that need a compiler or a GPU.
- namespace: answers the requests of hidden tests and of the search for repairs.
- remote_function: lets a cell call functions of a hidden test, which stay in the grader's process.
- core: the parts of torch's core that a worker uses, read before the first cell runs.
- operators: records which operators torch runs during a call.
- description: describes an exception, or a value that cannot be sent, to the grader.
- protocol: the form of every message between grader and worker, and the limits on its size.
- coding: turns values into messages and back. A table has a row for each kind of value.
- values: this table, with the rows for the types of Python.
- arrays, tables, figures: the table's rows for torch and numpy, for pandas, and for matplotlib.
- walls: lets a worker confine itself with Landlock, seccomp and limits.
- seccomp: the filter of system calls; syscalls.toml lists the allowed ones.
- scratch: a worker's temporary folder, which is always removed, and the limits on its contents.
"""
