"""Feedback as Canvas takes it back: a zip of notebooks and scripts with scores and comments.

Canvas (instructure/canvas-lms, `infer_comment_context_from_filename` in app/models/abstract_assignment.rb)
splits a file's name at each "_". The first two parts that are all digits are the user's id and the upload's,
or, for an anonymous assignment, the parts after "anon". It passes over an upload that is not of the student's
newest attempt, and a name whose last part begins with "link". The file becomes an attachment to a comment,
under the name of the file that was handed in: no program would open a page in HTML under that name.
"""

import json
import re

import jupytext
import nbformat
from nbformat.v4 import new_markdown_cell, new_notebook

from autograder.collecting.attempts import Arrival, arrival_of
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.publishing.export import Packed, UnknownError, canvas_ids, canvas_number, pack_feedback
from autograder.report.report import GradebookEntry, GradebookSubmission
from autograder.report.text import number
from autograder.submission.submission import Submission

FORMS = (".ipynb", ".py")
_ANONYMOUS = re.compile(r"anon_[A-Za-z0-9]+")


def pack_for_canvas(course: Course, exercise: Exercise, *, changed: bool = False) -> Packed:
    """Write build/exports/EXERCISE-feedback-canvas.zip."""
    listed = canvas_ids(course)

    def file_of(graded: GradebookSubmission) -> tuple[str, bytes]:
        submission = Submission(course.root, graded.student, exercise.name)
        return _canvas_file(submission, graded, canvas_number(graded.student, listed))

    return pack_feedback(course, exercise, "canvas", file_of, changed=changed)


def _canvas_file(submission: Submission, graded: GradebookSubmission, listed: str) -> tuple[str, bytes]:
    """Return the name and the content of one student's file."""
    arrival = arrival_of(submission)
    if arrival.upload is None:
        raise UnknownError("did not come from a Canvas archive; collect that archive again")
    if arrival.form and arrival.form not in FORMS:
        raise UnknownError(f"handed in a {arrival.form} file, whose name Canvas would give to the feedback")
    form, person = arrival.form or FORMS[0], _canvas_person(submission, arrival, listed)
    content = feedback_file(submission.exercise, graded, form).encode()
    return f"{person}_{arrival.upload}_feedback{form}", content


def _canvas_person(submission: Submission, arrival: Arrival, listed: str) -> str:
    """Return what stands before the upload's number: whatever is no number, then the user's number."""
    if hidden := next((t for t in (arrival.number, submission.student) if _ANONYMOUS.fullmatch(t)), ""):
        return hidden
    user = arrival.number or listed
    if not user.isdigit():
        raise UnknownError("has no Canvas user id; write it into students.csv, in the column canvas")
    return f"id-{submission.student.replace('_', '-')}_{user}"


def feedback_file(exercise: str, graded: GradebookSubmission, form: str) -> str:
    """Return scores and comments, question by question, in a file with the suffix `form`."""
    texts = feedback_texts(exercise, graded)
    cells = [new_markdown_cell(text, id=f"feedback-{place}") for place, text in enumerate(texts)]
    node = new_notebook(cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})
    if form == ".py":
        return str(jupytext.writes(node, fmt="py:percent"))
    return json.dumps(nbformat.from_dict(node), indent=1) + "\n"


def feedback_texts(exercise: str, graded: GradebookSubmission) -> list[str]:
    """Return what is said of the whole and of each question, in Markdown that can be read as it is."""
    return [_heading(exercise, graded), *map(_question, graded.entries)]


def _heading(exercise: str, graded: GradebookSubmission) -> str:
    lines = [f"# Feedback on {exercise}: {graded.points_in_words} points"]
    if graded.penalty:
        rule = f" ({graded.late_rule})" if graded.late_rule else ""
        lines.append(f"{number(graded.penalty)} points are taken off for being late{rule}.")
    if any(entry.needs_person or entry.score is None for entry in graded.entries):
        lines.append("This is not final: an instructor will look at some of the answers.")
    return "\n\n".join(lines)


def _question(entry: GradebookEntry) -> str:
    score = "not graded yet" if entry.score is None else f"{number(entry.score)}"
    lines = [f"## {entry.question}: {score} of {number(entry.max_score)}"]
    if entry.comment:
        lines.append("\n".join(f"    {line}" for line in entry.comment.splitlines()))  # as it is, no Markdown
    if entry.remark:
        lines.append(entry.remark)
    return "\n\n".join(lines)
