__all__ = [
    "BEGIN",
    "END",
    "FILE",
    "GRADED",
    "HOW_TO_CHECK",
    "NAME",
    "Cell",
    "Course",
    "CourseError",
    "Exercise",
    "Heldout",
    "Limits",
    "Mistake",
    "NotebookJson",
    "Role",
    "SourceError",
    "Tier",
    "Variant",
    "build_notebook",
    "check_id",
    "checked_question",
    "copy_course",
    "course_files",
    "defined_names",
    "find_course",
    "fingerprint",
    "left_by_programs",
    "load_course",
    "notebook_of",
    "own_files",
    "read_source",
    "reference_errors",
    "to_json",
]

from .copy import copy_course as copy_course
from .copy import course_files as course_files
from .course import FILE as FILE
from .course import Course as Course
from .course import CourseError as CourseError
from .course import find_course as find_course
from .course import load_course as load_course
from .exercise import Exercise as Exercise
from .exercise import Heldout as Heldout
from .exercise import Mistake as Mistake
from .exercise import Variant as Variant
from .folder import left_by_programs as left_by_programs
from .folder import own_files as own_files
from .limits import Limits as Limits
from .limits import Tier as Tier
from .names import NAME as NAME
from .names import check_id as check_id
from .names import checked_question as checked_question
from .notebook import HOW_TO_CHECK as HOW_TO_CHECK
from .notebook import NotebookJson as NotebookJson
from .notebook import build_notebook as build_notebook
from .notebook import notebook_of as notebook_of
from .notebook import to_json as to_json
from .reference import reference_errors as reference_errors
from .source import BEGIN as BEGIN
from .source import END as END
from .source import GRADED as GRADED
from .source import Cell as Cell
from .source import Role as Role
from .source import SourceError as SourceError
from .source import defined_names as defined_names
from .source import fingerprint as fingerprint
from .source import read_source as read_source
