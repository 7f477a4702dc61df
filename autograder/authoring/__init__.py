"""An author's work: start a course or an exercise, prove it, build its notebook, release it to students.

In reading order:

from_nbgrader: turns nbgrader's source notebook into an exercise
new: starts a course, or an exercise, with a small one that runs
proof: what verifying an exercise has found
kept_proofs: keeps the proofs of exercises that have not changed
steps: knows at which step a proof is, and ends one that goes on for ever
verify: proves an exercise by its own answers, right and wrong
failures: says where and why a right answer fails a hidden test
proving: proves exercises in several processes
in_kernel: runs the solved notebook in a real kernel
handed_out: finds what a release would refuse, and answers that it would give away
rule_words: looks up the words of rules in torch
layout: finds files that belong to no exercise
touched: finds the questions that other answers can touch
trials: runs the hidden tests of a question on code that its author trusts
strength: measures the hidden tests on mutants of the exercise's own solution
disagreement: finds calls on which two right answers disagree
mutants: makes these mutants, each with one small change
equivalent: reads which mutants an author declares to be right answers
almost_nothing: makes answers that do almost nothing
costs: says what wrong answers cost, and holds authors to the principles of scores
built_on: proves that a wrong earlier answer costs a later question nothing
answers: fills answers into notebooks, as students would
build: writes nbgrader's source notebooks to build/
release: writes what students get to assignments/
solutions: writes what they may see when an exercise is over to build/solutions/
"""
