"""The course's secret is made once, kept from other users, and never guessed at where it is damaged."""

from multiprocessing.pool import ThreadPool
from pathlib import Path

import pytest

from autograder.course.course import KEY_FILE, Course, copy_course, course_secret
from autograder.errors import UsageError


@pytest.fixture
def fresh(course: Course) -> Course:
    """Return a course that has no secret yet."""
    (course.root / KEY_FILE).unlink()
    return course


def test_it_is_made_at_the_first_call_stays_in_a_copy_and_is_its_owner_s_alone(
    fresh: Course, tmp_path: Path
) -> None:
    secret = course_secret(fresh)
    assert len(secret) == 32
    copy = copy_course(fresh, list(fresh.exercises.values()), tmp_path / "copy")
    assert course_secret(fresh) == course_secret(copy) == secret
    assert [(place.root / KEY_FILE).stat().st_mode & 0o777 for place in (fresh, copy)] == [0o600, 0o600]
    assert [path.name for path in fresh.root.iterdir() if path.name.endswith(".part")] == []
    (fresh.root / KEY_FILE).unlink()
    assert course_secret(fresh) != secret


def test_all_who_make_it_at_the_same_time_get_the_same(fresh: Course) -> None:
    with ThreadPool(8) as pool:
        assert len(set(pool.map(course_secret, [fresh] * 32))) == 1


@pytest.mark.parametrize("content", ["", "zz", "00" * 31, "00" * 33])
def test_a_damaged_one_is_refused_with_what_to_do(course: Course, content: str) -> None:
    (course.root / KEY_FILE).write_text(content, encoding="ascii")
    with pytest.raises(UsageError, match="restore the file from your backup"):
        course_secret(course)


def test_one_that_cannot_be_made_is_refused_with_its_place(fresh: Course) -> None:
    (fresh.root / KEY_FILE).mkdir()
    with pytest.raises(UsageError, match=KEY_FILE):
        course_secret(fresh)
