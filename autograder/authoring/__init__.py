"""An author's work: start a course or an exercise, prove it, build its notebook, release it to students.

In reading order:

new: starts a course, or an exercise, with a small one that runs or from nbgrader's source notebook
verify: proves an exercise by its own answers, right and wrong
proving: proves exercises in several processes, and keeps the proofs of those that have not changed
in_kernel: runs the solved notebook in a real kernel
handed_out: finds files that belong nowhere, what a release would refuse, and answers that it would give away
rule_words: looks up the words of rules in torch
trials: runs hidden tests on code that its author trusts, and says which of them fail and where
strength: measures the hidden tests on mutants of the exercise's own solution
disagreement: finds calls on which two right answers disagree
costs: says what wrong answers cost, and holds authors to the principles of scores
built_on: proves that a wrong earlier answer costs a later question nothing
answers: fills answers into notebooks, as students would, and writes those that they may see in the end
release: writes nbgrader's source notebooks to build/, and what students get to assignments/
"""
