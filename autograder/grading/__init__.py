"""Grades one submission: its notebook runs in a worker, its hidden tests run here, a report comes out.

In reading order:

- marking: grades submissions in a marking process, which is replaced when anything in it fails.
- grader: how one submission becomes a report, and each submission of a course.
- judge: makes of a question's tests its verdict, its words and its score.
- graded: what became of a submission, in a form that goes from one process to another; failures of ours.
- session: a submission at work in a worker that is replaced when it hangs or dies.
- outcomes: runs hidden tests, and decides on each by its run with hidden inputs and nothing else.
- explanation: explains a failed test to its student, by its run with disclosed inputs.
- wording: chooses the words that lead, and leaves out those that mislead.
- examples: finds the smallest call whose answer is wrong.
- constructions: finds calls of objects that were made and given weights before.
- carried: grades questions once more that fail by an earlier one's mistake.
- diagnosis: what is wrong in an answer: by a repair of it, or by a known one that behaves alike.
- same_answer: whether two answers are the same.
- by_hand: why an instructor has to look at a question with `by_hand` rules.
"""
