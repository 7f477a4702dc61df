"""The outer wall's command line shows a zygote what Python needs, and nothing else of the machine."""

import sys
from itertools import pairwise
from pathlib import Path

from autograder.sandbox import bubblewrap


def bound(words: list[str]) -> list[Path]:
    """Return the places that the command shows behind the wall."""
    return [Path(place) for option, place in pairwise(words) if option.startswith("--ro-bind")]


def test_the_command_itself_comes_last_and_everything_is_unshared(tmp_path: Path) -> None:
    words = bubblewrap.wrapped(["python", "-c", "pass"], [tmp_path])
    assert words[-3:] == ["python", "-c", "pass"]
    assert {"--unshare-all", "--die-with-parent", "--new-session"} <= set(words)
    assert words[words.index("--cap-drop") + 1] == "ALL"


def test_what_python_needs_and_what_is_asked_for_is_shown_and_no_home(tmp_path: Path) -> None:
    shown = bound(bubblewrap.wrapped(["true"], [tmp_path]))
    assert tmp_path in shown
    assert any(Path(sys.prefix, "lib").is_relative_to(place) for place in shown)
    assert not any(Path.home().is_relative_to(place) or Path("/").samefile(place) for place in shown)


def test_a_folder_that_is_missing_or_inside_another_is_not_bound(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    shown = bound(bubblewrap.wrapped(["true"], [inside, tmp_path, tmp_path / "missing"]))
    assert [place for place in shown if place.is_relative_to(tmp_path)] == [tmp_path]


def test_a_python_that_lies_in_the_temporary_folder_stays_visible(tmp_path: Path) -> None:
    words = bubblewrap.wrapped(["true"], [tmp_path])
    assert words.index("--tmpfs") < words.index(str(tmp_path))
