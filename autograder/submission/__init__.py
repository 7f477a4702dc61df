"""A submission: the notebook that a student submitted. It is read once, as untrusted bytes.

These modules import neither torch nor nbgrader, so that collecting submissions starts quickly. Read them in
this order:

submission: determines the student and the exercise of a submission, and the paths of its files
notebook: reads the bytes of a notebook into cells, or refuses them
students: reads students.csv: names, groups, and ids in the course and on Canvas, Moodle and Gradescope
script: reads a notebook that was submitted as a script or a document
matching: finds the graded cells among the student's cells; repairs code and text cells of the wrong type
digest: computes digests of everything that affects a grade
"""
