"""The only room that imports nbgrader: releases, the gradebook, nbgrader's own autograde and feedback.

Read in this order:

without_server: loads nbgrader without its extensions of a server.
migration: brings gradebooks of an older nbgrader up to date.
config: the settings by which nbgrader's own commands and pages use our code.
conversion: opens nbgrader's converters, and turns what fails in them into one error, with details in a log.
assignment: records an exercise in the gradebook: questions, points, released cells.
release: releases through nbgrader's generate_assignment, and registers exercises.
folder_check: refuses submission folders on which nbgrader would hang or fail.
autograded: makes the notebook that nbgrader sees of a submitted and the released one.
answers: keeps with each grade which answer it was given for.
rows: finds nbgrader's rows on a submission, or makes them.
grades: records a graded submission: scores, comments, and the notebook as it was graded.
lists: writes the lists that people keep, too, in the form in which they are.
extensions: keeps who may hand in later.
graded_attempts: keeps what each attempt came to.
counting: says which attempt of a student counts.
history: tells students of their attempts.
lateness: says how late submissions are and what that costs.
changes: says how scores differ from those before, and why.
audit: keeps every change of a score in a file to which lines are only added.
ledger: settles what each submission is worth, once its points are recorded.
opened: what grading a class and previewing it have in common.
book: holds one exercise's part of the gradebook open while the submissions of a class go into it.
preview: says what grading would change, and writes nothing.
roster: knows who is in the class, and their names.
autograde: makes `nbgrader autograde` take the same steps.
reading: reads what each submission has scored, by tests and by people.
saved_pictures: the pictures of cells that grading does not run.
early: takes out of a report what early pages do not tell.
feedback: puts our page in the place of the one that nbgrader would write.
pages: serves publishing, which only reads: submissions and feedback pages.
renamed: says in files to which lines are only added that a student has another id.
renaming: gives a student another id, everywhere.
backup: packs a running course into one file, and brings it back.
export_plugin: makes `nbgrader export` reckon late penalties anew.
exchange: reads what came through nbgrader's exchange, and returns feedback through it.
comments: the course's bank of comments, by whose names people write them.
doubts: finds names in extensions.csv and comments.yaml that stand for nobody and nothing.
hand_grading: shows graders what they need beside an answer, and keeps students' scripts out.
formgrader: adds names and who saves a score to nbgrader's formgrader.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
