"""Grades one submission: the notebook runs in a worker, the hidden tests run here, the result is a report.

In reading order:

- marking: grades submissions in a marking process, which is replaced when anything in it fails.
- grader: how one submission becomes a report, and each submission of a course.
- graded: the result of grading and the outputs of cells, in a form for other processes; our failures.
- session: runs a submission in a worker, which is replaced when it hangs or dies.
- states: the cell at which each question is judged, and later cells that change names that its answer reads.
- outcomes: decides each test by its run on hidden inputs alone, and each question by its tests.
- explanation: explains a failed test to its student, by its run with disclosed inputs.
- carried: questions that may fail because of a wrong earlier answer, and right answers that replace it.
- diagnosis: explains a mistake: by a repair, a known mistake with equal results, or error messages.
- looking: selects the code on which the answer to a question depends.
- examples: finds the smallest call that returns a wrong result.
- newer_python: sends an answer to an instructor if only a newer Python can run it.
- by_hand: finds reasons for an instructor to look at a question with a rule: operators that ran, and names
  in the code.
"""
