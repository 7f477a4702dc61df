"""The bench: measures grading beside stock nbgrader and Otter, on one made-up class and one machine.

It is neither installed nor packed for Gradescope; `python -m autograder.bench EXERCISE` starts it.

- command: the command line, which writes the figures down.
- benchmark: measures everything on one exercise.
- crowd: a made-up class, whose notebooks every grader gets.
- attacked: the same class, of which every tenth tries to bring the grader down.
- ours: this grader on that class.
- asserts: our hidden tests as other graders' instructors would write them.
- stock: stock nbgrader on that class.
- otter: Otter on that class.
- stages: where our own time goes, stage by stage.
- workers: workers without walls, or that count a submission's own work.
- worker_clock: counts it, inside the worker.
- waiting: how long a student waits.
- meter: how long a command takes, and how much memory.
- figures: what was found and on which machine, as data.
- page: what was found, as tables for docs/performance.md.
"""
