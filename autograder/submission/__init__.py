"""A submission: the notebook that a student handed in, read once and taken as a stranger's bytes.

Reading a submission needs neither torch nor nbgrader, so that collecting submissions starts at once. In
reading order:

submission: names the student and the exercise, by cells if need be, and says where nbgrader keeps the files
notebook: reads the bytes into plain cells, or refuses them
students: reads the list of students, with what platforms call them
script: reads a notebook that was handed in as a script or a document
matching: finds the graded cells among the student's, and restores their types
store: the course's own database: attempts, reports, the audit, exports, and finished requests
digest: says whether grading the submission again could give another result
"""
