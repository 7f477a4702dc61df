"""An author's work: start a course or an exercise, prove it, build its notebook, release it to students.

In reading order:

new: starts a course, or an exercise, with a small one that runs or from nbgrader's source notebook
verify: proves an exercise by its own answers, right and wrong
proving: proves exercises in several processes, also in a real kernel, and keeps the proofs
release: writes source notebooks and releases, and finds what a release would refuse or give away
entry: checks what course.yaml says of an exercise, and proves what questions may build on
trials: runs hidden tests on code that its author trusts, and says which of them fail and where
strength: measures the hidden tests on mutants of the exercise's own solution
costs: runs wrong answers, and holds authors to four principles of scores
answers: fills answers into notebooks, as students would, and writes those that they may see in the end
"""
