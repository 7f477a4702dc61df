"""The sandbox: starts the processes that run submissions, confines them and exchanges messages with them.

A grader has one zygote: a process that forks a worker for each submission. The package `autograder.worker`
contains the code that runs in these processes.

- zygote: the grader's connection to the zygote. The first worker tries forbidden actions. The results show
  which walls, such as Landlock and seccomp, are in effect (docs/walls.md).
- errors: failures of the sandbox itself.
- process: the grader's connection to a worker. It sends requests with deadlines, and reports how the process
  ended.
- launch: starts the zygote's process.
- bubblewrap: the outer wall, which is a command line that runs the zygote in separate namespaces.
"""
