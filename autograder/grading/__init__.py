"""Grades one submission: the notebook runs in a worker, the hidden tests run here, the result is a report.

In reading order:

- marking: grades submissions in a marking process, which is replaced when anything in it fails.
- grader: how one submission becomes a report, and each submission of a course.
- graded: the result of grading, and what cells have shown, to be sent between processes; our failures.
- session: a submission at work in a worker that is replaced when it hangs or dies.
- states: at which cell each question is judged, and which later cells change what its answer reads.
- outcomes: decides on each test by its run with hidden inputs alone, and so on each question.
- explanation: explains a failed test to its student, by its run with disclosed inputs.
- carried: which questions fail because of a wrong earlier answer, and the right ones in its place.
- diagnosis: names the mistake, by a repair or by a known answer that behaves alike.
- examples: finds the smallest call whose answer is wrong.
- newer_python: holds answers for an instructor that only a newer Python can run.
- by_hand: why an instructor has to look at a question with rules, by what ran and what its code uses.
"""
