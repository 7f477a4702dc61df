"""A submission: the notebook that a student submitted. It is read once, as untrusted bytes.

Reading a submission imports neither torch nor nbgrader, so that collecting submissions starts quickly. In
reading order:

submission: determines the student and the exercise of a submission, and the paths of its files
notebook: reads the bytes of a notebook into cells, or refuses them
students: reads the list of students: their ids here and on platforms, their names and their groups
script: reads a notebook that was submitted as a script or a document
matching: finds the graded cells among the student's cells, and restores the cells' types
digest: computes digests of everything that affects a grade
"""
