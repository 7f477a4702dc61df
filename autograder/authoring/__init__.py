"""The tools of exercise authors: start a course or an exercise, verify it, and release it to students.

In reading order:

new: starts a course or an exercise, from a small working sample or from an nbgrader source notebook
from_nbgrader: turns an nbgrader source notebook into an exercise
imported_tests: makes hidden tests from the test cells of an nbgrader notebook
imported_figures: rewrites the calls of matplotlib's figures and axes in these tests
imported_files: finds the files, pictures and packages that an nbgrader notebook needs
verify: runs the hidden tests on the author's right and wrong answers, and saves the results as proofs
together: verifies several exercises at once, in several processes
kernel: runs an exercise's notebook in a real kernel
release: writes source notebooks and releases, and finds answers that a release would reveal
entry: checks the questions that build on earlier ones, and finds answers that pass another question's tests
trials: runs hidden tests on the author's answers with a time limit, and returns the tests that fail
calls: finds answers that cannot be called in the same ways as the solution
strength: makes one change at a time in the solution, and counts the changes that fail a hidden test
costs: measures how many points each wrong answer gets, and reports answers that get too many or too few
answers: fills answers into notebooks, as students would, and writes the solutions for students
"""
