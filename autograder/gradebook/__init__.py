"""The only room that imports nbgrader: releases, the gradebook, nbgrader's own autograde and feedback.

Read in this order:

without_server: loads nbgrader without its extensions of a server.
databases: refuses gradebooks of another nbgrader, and copies databases.
config: the settings by which nbgrader's own commands and pages use our code; opens nbgrader's converters.
assignment: releases exercises, and records them in the gradebook: questions, points, released cells.
folder_check: refuses submission folders on which nbgrader would hang or fail.
rows: reads nbgrader's rows on students and submissions, or makes them.
grades: records a graded submission: scores, comments, for which answers they are, and the graded notebook.
lateness: says who may hand in until when, how late submissions are and what that costs.
attempts: says which attempt of a student counts, and what each scored.
audit: stores every change of a score in autograder.db.
ledger: settles what each submission is worth, and says what has changed and why.
book: holds one exercise's part of the gradebook open while a class is graded; copies it for a dry run.
commands: makes `nbgrader autograde` and `nbgrader export` take the same steps.
comments: the course's bank of comments, by whose names people write them.
pages: serves publishing, which only reads: submissions and feedback pages.
renaming: gives a student another id, everywhere.
backup: packs a running course into one file, and brings it back.
exchange: reads what came through nbgrader's exchange, and returns feedback through it.
formgrader: shows graders what they need beside an answer, and keeps students' scripts out.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
