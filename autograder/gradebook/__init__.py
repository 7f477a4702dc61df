"""The sub-package that uses nbgrader: releases, the gradebook, its autograde and feedback.

Read in this order:

config: configures nbgrader, opens its gradebook and converters, and refuses a gradebook of another version.
assignment: releases exercises, and writes their questions, points and released cells into the gradebook.
lateness: computes due dates with extensions, delays and penalties.
rows: reads nbgrader's rows on students and submissions, or makes them.
attempts: refuses folders on which nbgrader would fail, and describes attempts in words.
selection: chooses the attempt that counts.
ledger: computes the score and penalty of each submission, and reports each change with its reason.
grades: writes a report's scores and comments, and renders the graded notebook.
book: records the results of a class. A dry run uses a copy of the course's state.
comments: the course's comment bank; replaces `#name` in comments by its text.
pages: reads the gradebook for publishing, and writes feedback pages and nbgrader's own export.
renaming: changes a student's id everywhere.
backup: packs a course's state into one file, and restores it.
exchange: returns feedback through nbgrader's exchange.
formgrader: shows graders the question, model answer, rubric and equal answers, without students' scripts.
rubric: the items that graders give, and what a changed rubric does to scores and comments.
similar_answers: finds equal and nearly equal answers.
written_answers: reads all answers to a written question, and saves what graders give.
question_page: renders the page of a written question.
question_handlers: serves these pages in the formgrader.
"""

from traitlets.config import Config

from autograder.course.course import Course


def configuration(course: Course) -> Config:
    """Return the settings for nbgrader_config.py, and install our hooks in this process's formgrader."""
    from autograder.gradebook import config, formgrader  # slow to import

    formgrader.install_hooks()
    if formgrader.is_served():
        from autograder.gradebook import question_handlers

        question_handlers.install()
    return config.configuration(course)
