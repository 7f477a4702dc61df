"""The one door to nbgrader: its releases, its gradebook, its own way through submissions and feedback.

Read in this order:

config: the settings by which nbgrader's own commands and pages go our way.
conversion: turns whatever fails inside nbgrader into one error, with the details in a log.
assignment: what the gradebook knows of an exercise: questions, points, released cells.
release: releases through nbgrader's generate_assignment, and registers exercises.
folder_check: what of a submission's folder cannot be given to nbgrader.
autograded: the submitted notebook made whole by the released one.
comments: the words on each question that the formgrader shows.
grades: takes a graded submission in: rows, comments, and the notebook as it was graded.
book: one exercise's part of the gradebook, held open while a class goes through it.
autograde: the same steps on the way through `nbgrader autograde`.
folders: writes a student's folder as nbgrader's converters do.
reading: what each submission has come to, by our scores and by people's.
feedback: our page in the place of the one that nbgrader would write.
pages: the gradebook as publishing sees it, which only reads: submissions and feedback pages.
formgrader: keeps scripts of strangers out of the formgrader's pages.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
