"""The only room that imports nbgrader: releases, the gradebook, nbgrader's own autograde and feedback.

Read in this order:

config: the settings by which nbgrader's own commands and pages use our code.
conversion: opens nbgrader's converters, and turns what fails in them into one error, with details in a log.
assignment: records an exercise in the gradebook: questions, points, released cells.
release: releases through nbgrader's generate_assignment, and registers exercises.
folder_check: refuses submission folders on which nbgrader would hang or fail.
autograded: makes the notebook that nbgrader sees of a submitted and the released one.
answers: keeps with each grade which answer it was given for.
grades: records a graded submission: scores, comments, and the notebook as it was graded.
extensions: keeps who may hand in later.
lateness: says how late submissions are and what that costs.
changes: says how scores differ from those before, and why.
audit: keeps every change of a score in a file to which lines are only added.
ledger: settles what each submission is worth, once its points are recorded.
book: holds one exercise's part of the gradebook open while the submissions of a class go into it.
preview: says what grading would change, and writes nothing.
roster: knows who is in the class, and their names.
autograde: makes `nbgrader autograde` take the same steps.
reading: reads what each submission has scored, by tests and by people.
saved_pictures: the pictures of cells that grading does not run.
feedback: puts our page in the place of the one that nbgrader would write.
pages: serves publishing, which only reads: submissions and feedback pages.
export_plugin: makes `nbgrader export` reckon late penalties anew.
exchange: returns feedback to those who handed in through nbgrader's exchange.
formgrader: keeps students' scripts out of the formgrader's pages.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
