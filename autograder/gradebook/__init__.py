"""The parts of the autograder that use nbgrader: releases, the gradebook, feedback and the formgrader.

Read in this order:

config: configures nbgrader, and opens its gradebook and converters.
assignment: releases exercises, and writes their questions and points into the gradebook.
lateness: computes due dates (including extensions), delays and penalties.
rows: reads and creates nbgrader's rows on students and submissions.
attempts: refuses submitted folders on which nbgrader would fail, and describes attempts.
selection: chooses the attempt that counts.
ledger: computes the score and penalty of each submission, and reports each change with its reason.
grades: writes a report's scores and comments, and renders the graded notebook.
book: records the results of a class. A dry run uses a copy of the course's state.
comments: the course's comment bank; replaces `#name` in comments by its text.
pages: reads the gradebook for publishing, and writes feedback pages and nbgrader's own export.
renaming: changes a student's id everywhere.
backup: packs a course's state into one file, and restores it.
exchange: returns feedback through nbgrader's exchange.
formgrader: shows graders the question, model answer and rubric, and cleans students' text.
rubric: the items of a rubric, and how an edited rubric changes scores and comments.
similar_answers: finds equal and nearly equal answers.
written_answers: reads all answers to a written question, and saves scores and comments.
question_page: renders the page of a written question.
question_handlers: serves the pages of written questions in the formgrader.
"""

from traitlets.config import Config

from autograder.course.course import Course


def configuration(course: Course) -> Config:
    """Return the settings for nbgrader_config.py, after adding our functions and pages to the formgrader."""
    from autograder.gradebook import config, formgrader  # slow to import

    formgrader.install_hooks()
    if formgrader.is_served():
        from autograder.gradebook import question_handlers

        question_handlers.install()
    return config.configuration(course)
