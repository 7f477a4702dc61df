"""Grades one submission: the notebook runs in a worker, the hidden tests run here, the result is a report.

In reading order:

- marking: grades submissions in a marking process, which is replaced when anything in it fails.
- grader: how one submission becomes a report, and each submission of a course.
- judge: turns the results of a question's tests into its verdict, hint and score.
- graded: the result of grading, in a form that can be sent between processes; the grader's own failures.
- session: a submission at work in a worker that is replaced when it hangs or dies.
- outcomes: runs hidden tests, and decides on each by its run with hidden inputs and nothing else.
- explanation: explains a failed test to its student, by its run with disclosed inputs.
- wording: chooses what students read, and leaves out hints that would mislead.
- examples: finds the smallest call whose answer is wrong.
- constructions: finds calls of objects that were made and given weights before.
- carried: grades questions again that fail because of a wrong earlier answer.
- diagnosis: names the mistake, by a repair or by a known answer that behaves alike.
- same_answer: whether two answers are the same.
- by_hand: why an instructor has to look at a question with `by_hand` rules.
"""
