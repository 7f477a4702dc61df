"""What the tests of Gradescope's package share: a course, and a container made of its package."""

import pytest

from autograder.course.course import Course
from autograder.plugins.gradescope import write_package
from autograder.tests.classroom import open_course, small
from autograder.tests.gradescope.container import Container


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Return a course to pack."""
    return open_course(tmp_path_factory.mktemp("packed") / "course")


@pytest.fixture(scope="module")
def container(own: Course, tmp_path_factory: pytest.TempPathFactory) -> Container:
    """Return a container with the package of its exercise."""
    return Container(tmp_path_factory.mktemp("autograder"), write_package(own, small(own)))
