"""The worker: the untrusted side of the socket, where a submission's code runs behind walls.

Nothing here imports the rest of the autograder, and this file imports nothing at all: whatever a worker has
loaded, a submission can read. The grader's side is the room `sandbox`.

- zygote: the process that imports torch once and forks a child for each submission.
- child: what a child does: raise its walls, run cells, answer calls.
- shell: runs a notebook's cells in IPython and keeps what they show.
- compiler: reads each cell once, and those of every notebook in advance.
- omission: leaves out of a cell what cannot work where notebooks are graded.
- stand_in: stands in for functions of torch that need a compiler or a GPU.
- warm_up: lets the zygote do once what is slow at first, for all its children.
- namespace: performs what hidden tests ask of a notebook's names.
- silence: drops what trusted code prints.
- operators: records which operators torch runs during a call.
- description: what the grader learns of an exception, or of a value that cannot be sent.
- bounds: how much a message may hold.
- payload: the tensors of a message in safetensors' form.
- protocol: the form of every message between grader and worker.
- walls: the inner wall, which a child raises around itself.
- landlock: the part of it that hides the file system.
- seccomp: the part of it that refuses system calls.
- syscalls: which system calls are allowed and which are refused.
- syscall_numbers: their numbers, written by a script from the kernel's headers.
- scratch: a worker's folder, which goes away whatever happens.
- quota: how many threads, files and bytes a worker may take.
"""
