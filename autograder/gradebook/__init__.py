"""The sub-package that uses nbgrader: releases, the gradebook, its autograde and feedback.

Read in this order:

config: sets nbgrader up, opens its gradebook and converters, and refuses a gradebook of another version.
assignment: releases exercises, and records them in the gradebook: questions, points, released cells.
lateness: says who may hand in until when, how late submissions are and what that costs.
rows: reads nbgrader's rows on students and submissions, or makes them.
attempts: refuses folders on which nbgrader would fail, and describes attempts.
selection: chooses the attempt that counts.
ledger: computes what each submission is worth, and says what has changed and why.
grades: turns a report into scores and comments, and renders the graded notebook.
book: records the results of a class, and copies the state for a dry run.
comments: the course's comment bank; replaces `#name` in comments by its text.
pages: serves publishing, which only reads: submissions and feedback pages; nbgrader's own export.
renaming: gives a student another id, everywhere.
backup: packs a running course into one file, and brings it back.
exchange: returns feedback through nbgrader's exchange.
formgrader: shows instructors what they need to grade an answer, and keeps students' scripts out.
rubric: the items that graders give, and what a changed rubric does to scores and comments.
similar_answers: finds equal and nearly equal answers.
written_answers: reads all answers to a written question, and saves what graders give.
question_page: renders the page of a written question.
question_handlers: serves these pages in the formgrader.
"""

from traitlets.config import Config

from autograder.course.course import Course


def configuration(course: Course) -> Config:
    """Return the settings for nbgrader_config.py; the formgrader of the process that asks gets our hooks."""
    from autograder.gradebook import config, formgrader  # which take long to import

    formgrader.install_hooks()
    if formgrader.is_served():
        from autograder.gradebook import question_handlers

        question_handlers.install()
    return config.configuration(course)
