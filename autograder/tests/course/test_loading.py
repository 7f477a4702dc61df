"""What is loaded is never looked through for garbage, and everything else is as before."""

import gc
import subprocess
import sys

import pytest

from autograder.course.loading import loading

FROZEN = """
import gc
from autograder.course.loading import loading

with loading():
    assert not gc.isenabled()
    kept = [[] for _ in range(10_000)]
assert gc.isenabled()
assert gc.get_freeze_count() > 10_000
"""


def test_what_was_made_meanwhile_is_left_alone() -> None:
    assert subprocess.run([sys.executable, "-c", FROZEN], check=False).returncode == 0


def test_an_error_ends_it_and_who_collects_nothing_does_not_begin_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc, "freeze", lambda: None)  # what tests have left behind is to be collected
    gc.disable()
    try:
        with pytest.raises(ImportError), loading():
            raise ImportError
        assert not gc.isenabled()
    finally:
        gc.enable()
