"""Grades one submission: its notebook runs in a worker, the hidden tests run here, the result is a report.

In reading order:

- marking: runs the grader in a process, and starts a new process after a failure.
- grader: turns submissions into reports.
- graded: the result of grading, as JSON for other processes.
- session: runs a submission in a worker process, and replaces a worker that hangs or crashes.
- states: the cell whose variables a question's tests use, and later cells that change these variables.
- outcomes: the verdicts on tests, and the verdict and score of a question.
- explanation: explains a failed test by a run on disclosed inputs, which students may see.
- carried: finds questions that may fail only because the answer to an earlier question is wrong.
- diagnosis: explains a wrong answer by a repair, by a known mistake with the same results, or by messages.
- looking: selects the code on which the answer to a question depends.
- examples: finds the smallest call that returns a wrong result.
- newer_python: sends an answer to an instructor if only a newer Python can run it.
- by_hand: sends an answer to an instructor if it seems to use something that the question forbids.
"""
