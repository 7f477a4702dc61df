"""What several modules about publishing share."""

import pytest

from autograder.course.course import Course
from autograder.tests.publishing.hostile_class import publish_class


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Return a course with the pages of a hostile class."""
    return publish_class(tmp_path_factory.mktemp("published") / "course")
