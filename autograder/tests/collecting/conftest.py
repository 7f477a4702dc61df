"""What the tests of collecting share."""

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def archive(tmp_path: Path) -> Callable[[bytes], Path]:
    def write(content: bytes) -> Path:
        path = tmp_path / "archive"
        path.write_bytes(content)
        return path

    return write
