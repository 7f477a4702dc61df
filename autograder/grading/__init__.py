"""Grades one submission: the notebook runs in a worker, the hidden tests run here, the result is a report.

In reading order:

- marking: grades submissions in a marking process, which is replaced when anything in it fails.
- grader: how one submission becomes a report, and each submission of a course.
- graded: the result of grading and the outputs of cells, in a form for other processes; our failures.
- session: runs a submission in a worker, which is replaced when it hangs or dies.
- states: the cell at which each question is judged, and later cells that change names that its answer reads.
- outcomes: decides each test by its run on hidden inputs alone, and each question by its tests.
- explanation: explains a failed test to its student, by its run with disclosed inputs.
- carried: questions that fail because of a wrong earlier answer, and the right answers that replace it.
- diagnosis: names the mistake, by a repair or by a known wrong answer with the same results.
- examples: finds the smallest call whose answer is wrong.
- newer_python: holds answers for an instructor that only a newer Python can run.
- by_hand: why an instructor has to look at a question with rules, by operators that ran and names in its
  code.
"""
