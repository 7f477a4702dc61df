"""Adds to nbgrader's formgrader what it has no settings for: names in its lists, and who saves a score."""

import os
import sys
from contextlib import suppress
from functools import wraps
from getpass import getuser
from pathlib import Path
from typing import Any

from nbgrader.apps import NbGraderAPI

from autograder.gradebook.audit import recording
from autograder.gradebook.roster import Person, read_roster
from autograder.submission.students import StudentsError

_known_students = NbGraderAPI.get_students


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


def record_saves() -> None:
    """Let the formgrader's server keep who saves a score and when; other programs have no handlers."""
    handlers = sys.modules.get("nbgrader.server_extensions.formgrader.apihandlers")
    save = None if handlers is None else handlers.GradeHandler.put
    if save is None or hasattr(save, "recorded"):
        return

    @wraps(save)
    def put(handler: Any, grade_id: str) -> Any:
        with recording(handler.gradebook.db(), _grader(handler.current_user)):
            return save(handler, grade_id)

    put.recorded = True  # type: ignore[attr-defined]
    handlers.GradeHandler.put = put  # type: ignore[union-attr]


def _grader(user: Any) -> str:
    """Return the name by which JupyterHub knows a user, or else the login name: a token is nobody's."""
    name = getattr(user, "username", None)
    if not name or str(getattr(user, "name", "")).startswith("Anonymous "):
        name = os.environ.get("JUPYTERHUB_USER")
    with suppress(OSError, KeyError):  # a container may have a user without a name
        name = name or getuser()
    return str(name or f"user {os.getuid()}")


NbGraderAPI.get_students = get_students  # nbgrader has no setting for it
