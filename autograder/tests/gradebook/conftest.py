"""What the gradebook's tests share: a class that has handed in all sorts of things and is graded once."""

import pytest

from autograder.course.course import Course
from autograder.gradebook.book import ExerciseGradebook
from autograder.grading.grader import CourseGrader
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import read_notebook
from autograder.submission.submission import find_submissions, is_student
from autograder.tests.classroom import open_course, small
from autograder.tests.gradebook.rows import fill


@pytest.fixture(scope="session")
def graded_class(tmp_path_factory: pytest.TempPathFactory, zygote: Zygote) -> Course:
    """Return a course whose class is in the gradebook, all of it graded once: to look at, not to change."""
    course = fill(open_course(tmp_path_factory.mktemp("class") / "course"))
    exercise = small(course)
    grader = CourseGrader(course, zygote)
    with ExerciseGradebook(course, exercise) as book:
        for submission in find_submissions(course, exercise):
            if is_student(submission.student):
                notebook = read_notebook(submission.notebook)
                book.take_in(submission, notebook, grader.grade(exercise, notebook))
    return course
