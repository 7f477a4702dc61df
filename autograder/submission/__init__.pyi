__all__ = [
    "MAX_BYTES",
    "MAX_CELL",
    "MAX_CELLS",
    "Notebook",
    "NotebookCell",
    "RestoredCell",
    "Student",
    "Students",
    "StudentsError",
    "Submission",
    "UnknownExerciseError",
    "UnreadableError",
    "cells_of",
    "defines",
    "digest_of",
    "engine",
    "exercise_by_cells",
    "exercise_by_name",
    "find_submissions",
    "grading_modules",
    "is_student",
    "parse_notebook",
    "read_notebook",
    "read_students",
    "restore",
    "rules",
    "seems_to_define",
]

from .digest import digest_of as digest_of
from .digest import engine as engine
from .digest import grading_modules as grading_modules
from .digest import rules as rules
from .matching import RestoredCell as RestoredCell
from .matching import defines as defines
from .matching import restore as restore
from .matching import seems_to_define as seems_to_define
from .notebook import MAX_BYTES as MAX_BYTES
from .notebook import MAX_CELL as MAX_CELL
from .notebook import MAX_CELLS as MAX_CELLS
from .notebook import Notebook as Notebook
from .notebook import NotebookCell as NotebookCell
from .notebook import UnreadableError as UnreadableError
from .notebook import cells_of as cells_of
from .notebook import parse_notebook as parse_notebook
from .notebook import read_notebook as read_notebook
from .recognition import UnknownExerciseError as UnknownExerciseError
from .recognition import exercise_by_cells as exercise_by_cells
from .recognition import exercise_by_name as exercise_by_name
from .students import Student as Student
from .students import Students as Students
from .students import StudentsError as StudentsError
from .students import read_students as read_students
from .submission import Submission as Submission
from .submission import find_submissions as find_submissions
from .submission import is_student as is_student
