"""Says in files to which lines are only added that a student has another id from there on."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autograder.files import append_line

_OLD, _NEW = "renamed from", "student"


def note_renamed(path: Path, old: str, new: str) -> None:
    """Add such a line, if there is such a file."""
    if path.is_file():
        time = datetime.now(UTC).isoformat(timespec="seconds")
        append_line(path, json.dumps({"time": time, _NEW: new, _OLD: old}))


def renamed(line: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the old and the new id if a line is one of these, else None."""
    return (str(line[_OLD]), str(line[_NEW])) if _OLD in line and _NEW in line else None
