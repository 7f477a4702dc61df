"""The desks at which attacks are graded."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from autograder.sandbox.zygote import Zygote
from autograder.tests.classroom import open_course
from autograder.tests.hostile.attacks import Desk, Host


@contextmanager
def opened_desk(folders: pytest.TempPathFactory, *, outer: bool) -> Iterator[Desk]:
    host = Host(folders.mktemp("host"))
    with Zygote(outer=outer) as zygote:
        yield Desk(open_course(folders.mktemp("desk") / "course"), zygote, host)
    host.close()


@pytest.fixture(scope="module")
def desk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """Return a desk behind the strongest walls of this machine."""
    request.getfixturevalue("born_alone")
    with opened_desk(tmp_path_factory, outer=True) as desk:
        yield desk


@pytest.fixture(scope="module")
def container_desk(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Desk]:
    """Return a desk behind the walls that need no namespaces."""
    request.getfixturevalue("born_alone")
    with opened_desk(tmp_path_factory, outer=False) as desk:
        yield desk
