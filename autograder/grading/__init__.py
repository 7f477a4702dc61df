"""Grades one submission: the notebook runs in a worker, the hidden tests run here, the result is a report.

In reading order:

- marking: runs the grader in a process, and starts a new process after a failure.
- grader: turns submissions into reports.
- graded: the result of grading as JSON for other processes, and the reports on failures of the grader.
- session: runs a submission in a worker process, and replaces a worker that hangs or crashes.
- states: after which cell the tests of a question run, and which later cells change the question's names.
- outcomes: the verdicts on tests and questions. Only runs on hidden inputs count.
- explanation: explains a failed test to the student by a run on disclosed inputs, which students may see.
- carried: finds questions that may fail only because the answer to an earlier question is wrong.
- diagnosis: explains a wrong answer by a repair, a known mistake with equal results, or error messages.
- looking: selects the code on which the answer to a question depends.
- examples: finds the smallest call that returns a wrong result.
- newer_python: sends an answer to an instructor if only a newer Python can run it.
- by_hand: sends an answer to an instructor if it seems to use something that the question forbids.
"""
