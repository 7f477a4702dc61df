"""The tools of exercise authors: start a course or an exercise, verify it, and release it to students.

In reading order:

new: starts a course or an exercise, from a small working sample or from an nbgrader source notebook
from_nbgrader: turns an nbgrader source notebook into an exercise
imported_tests: makes hidden tests from the test cells of an nbgrader notebook
imported_figures: rewrites method calls on matplotlib's figures and axes in these tests
imported_files: finds the files, pictures and packages that an nbgrader notebook needs
verify: checks that right answers get full marks and known mistakes lose points; saves the result as a proof
together: verifies several exercises at once, in several processes
kernel: runs an exercise's notebook in a real kernel
release: writes source notebooks and releases, and finds answers that a release would reveal
entry: checks `builds_on` in course.yaml, and finds right answers that pass another question's tests
trials: runs hidden tests on the author's answers, with a time limit
calls: finds answers that cannot be called in the same ways as the solution
strength: counts the small changes of the solution that fail a hidden test
costs: reports wrong answers that get too many or too few points
answers: fills answers into notebooks, and writes the solutions for students
"""
