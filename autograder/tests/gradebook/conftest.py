"""What the gradebook's tests share: a class that has handed in all sorts of things and is graded once."""

import pytest

from autograder.course.course import Course
from autograder.sandbox.zygote import Zygote
from autograder.tests.classroom import open_course
from autograder.tests.gradebook.rows import fill
from autograder.tests.in_process import InProcess, grade_class


@pytest.fixture(scope="session")
def graded_class(tmp_path_factory: pytest.TempPathFactory, zygote: Zygote) -> Course:
    """Return a course whose class is in the gradebook, all of it graded once: to look at, not to change."""
    course = fill(open_course(tmp_path_factory.mktemp("class") / "course"))
    grade_class(course, InProcess(course, zygote))
    return course
