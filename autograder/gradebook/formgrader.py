"""Protects those who look at submissions in the formgrader: it shows students' markdown without scripts.

Below each written answer it offers them the comments of the course's bank, and in its lists nobody is without
a name.
"""

from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader.apps import NbGraderAPI
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Unicode

from autograder.gradebook.comments import CommentBank, CommentsError
from autograder.gradebook.roster import Person, read_roster
from autograder.report.allowance import Allowance
from autograder.report.safe_html import load_template, render_markdown
from autograder.submission.students import StudentsError

_OFFERED = Path(__file__).parent / "offered_comments.html"
Resources = dict[str, Any]
_known_students = NbGraderAPI.get_students
# On one line it is a block of HTML, in which the renderer that follows reads no Markdown; and it looks for no
# formulas where there are no dollars and backslashes. In the browser, all of these are letters again.
_AS_HTML = str.maketrans({"\n": "&#10;", "$": "&#36;", "\\": "&#92;"})


class CleanMarkdown(NbGraderPreprocessor):  # type: ignore[misc]
    """Replaces the text of a markdown cell by its cleaned HTML."""

    course = Unicode("", help="The course's folder, which may hold comments.yaml.").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Clean all cells, and escape the student's name, which the page shows as it stands here."""
        for key in ("student", "last_name", "first_name"):
            if isinstance(resources.get(key), str):
                resources[key] = escape(resources[key])
        return super().preprocess(nb, resources)  # type: ignore[no-any-return]

    def preprocess_cell(
        self,
        cell: NotebookNode,
        resources: Resources,
        index: int,  # noqa: ARG002 - nbconvert's signature
    ) -> tuple[NotebookNode, Resources]:
        """Clean one cell; raw cells, which would be shown as HTML, become empty."""
        if cell.cell_type == "markdown":
            cleaned = render_markdown(cell, Allowance(), "mathjax")
            cell.source = f"<div>{cleaned}{self._offered(cell, resources)}</div>".translate(_AS_HTML)
        elif cell.cell_type == "raw":
            cell.source = ""
        return cell, resources

    def _offered(self, cell: NotebookNode, resources: Resources) -> str:
        """Return the bank's comments for a written answer, each with the name that stands for it."""
        about = cell.metadata.get("nbgrader", {})
        if not (self.course and about.get("solution") and about.get("grade")):
            return ""
        known, problem = dict[str, str](), ""
        try:
            exercise = str(resources.get("assignment_id", ""))
            known = CommentBank(Path(self.course)).comments(exercise, about["grade_id"])
        except CommentsError as error:
            problem = str(error)
        return load_template(_OFFERED).render(known=known, problem=problem)


def get_students(api: NbGraderAPI) -> list[dict[str, Any]]:
    """Return what nbgrader knows of each student; students.csv or the id tells names that it does not know.

    Who has handed in, but was never graded, is not in the gradebook yet, and the formgrader's lists would
    call all of these "None, None".
    """
    students: list[dict[str, Any]] = _known_students(api)
    people = dict[str, Person]()
    with suppress(StudentsError):  # which grading tells
        people = read_roster(Path(api.coursedir.root))
    for student in students:
        if student["last_name"] is None and student["first_name"] is None:
            person = people.get(student["id"], Person(student["id"]))
            student["last_name"], student["first_name"] = person.last_name or person.id, person.first_name
        student.update({name: student[name] or "" for name in ("last_name", "first_name")})
    return students


NbGraderAPI.get_students = get_students  # nbgrader has no setting for it
