"""A submission: the notebook that a student handed in, read once and taken as a stranger's bytes.

Reading a submission needs neither torch nor nbgrader, so that collecting submissions starts at once. In
reading order:

submission: names the student and the exercise, and says where nbgrader keeps the files
notebook: reads the bytes into plain cells, or refuses them
students: reads the list of students, with what platforms call them
headings: understands the headings of that list
readable: whether code is short and flat enough to be parsed
script: reads a notebook that was handed in as a Python script
pictures: takes pictures out of text cells that are long because of them
recognition: finds out to which exercise a notebook belongs
matching: finds the graded cells among the student's
digest: says whether grading the submission again could give another result
"""
