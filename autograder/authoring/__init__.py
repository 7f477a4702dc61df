"""The tools of exercise authors: start a course or an exercise, verify it, and release it to students.

In reading order:

new: starts a course or an exercise, from a small working sample or from an nbgrader source notebook
from_nbgrader: turns an nbgrader source notebook into an exercise
imported_tests: makes hidden tests from the test cells of an nbgrader notebook
imported_figures: rewrites the calls of matplotlib's figures and axes in these tests
imported_files: finds the files, pictures and packages that an nbgrader notebook needs
verify: verifies exercises on their author's answers, right and wrong; saves the proofs
together: verifies several exercises at once, in several processes
kernel: runs an exercise's notebook in a real kernel
release: writes source notebooks and releases, and finds answers that a release would reveal
entry: checks `builds_on` in course.yaml, and finds answers that pass the tests of another question
trials: runs hidden tests on trusted code with a time limit, and returns the failed runs
calls: finds answers that cannot be called in the same ways as the solution
strength: measures how many mutants of the solution the hidden tests catch
costs: measures which share of the points each wrong answer keeps, and reports shares that break the rules
answers: fills answers into notebooks, as students would, and writes the solutions for students
"""
