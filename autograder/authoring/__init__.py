"""The tools of exercise authors: start a course or an exercise, verify it, and release it to students.

In reading order:

new: starts a course or an exercise, from a small working sample or from an nbgrader source notebook
from_nbgrader: turns an nbgrader source notebook into an exercise
imported_tests: makes hidden tests of the test cells of such a notebook
imported_figures: rewrites what these tests ask of matplotlib's figures
imported_files: finds the files, pictures and packages that such a notebook needs
verify: verifies exercises on their own answers, right and wrong; keeps the proofs
together: verifies several exercises in several processes, which share out the mutants
kernel: runs an exercise's notebook in a real kernel
release: writes source notebooks and releases, and finds what a release would refuse or give away
entry: checks what course.yaml says of an exercise, and proves what questions may build on
trials: runs hidden tests on trusted code, and says which of them fail and where
calls: finds answers that cannot be called as the solution is
strength: measures the hidden tests on mutants of the exercise's own solution
costs: measures which share of the points wrong answers keep, and checks the rules for it
answers: fills answers into notebooks, as students would, and writes the solutions for students
"""
