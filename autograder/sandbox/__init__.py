"""The sandbox: the grader's side of a submission's process, and the outer wall around all of them.

A grader holds one zygote, which forks a worker for each submission. The untrusted side is the room `worker`.

- zygote: the process that forks workers, started behind the walls that a course demands. It tries forbidden
  actions to find out which walls stand.
- errors: failures on our side.
- process: one worker: requests with a deadline, and how its process ended.
- launch: starts the zygote's process, when it is needed or ahead of time.
- bubblewrap: the outer wall, as a command line.
"""
