"""Gradescope's container for tests: its folders in a folder of their own, and its way to call us."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any


class Container:
    """Gradescope's folders, in a folder of their own."""

    def __init__(self, root: Path, archive: Path) -> None:
        self.root = root
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(root / "source")
        self.results = root / "results" / "results.json"

    def run(self, *handed_in: tuple[str, str]) -> subprocess.CompletedProcess[str]:
        """Grade these files, given by name and content, by the package's own script and engine."""
        shutil.rmtree(self.root / "submission", ignore_errors=True)
        (self.root / "submission").mkdir()
        for name, content in handed_in:
            (self.root / "submission" / name).write_text(content, encoding="utf-8")
        places = {
            f"AUTOGRADER_{name.upper()}": str(self.root / name)
            for name in ("source", "submission", "results")
        }
        return subprocess.run(
            ["bash", str(self.root / "source" / "run_autograder")],
            env={**os.environ, **places, "AUTOGRADER_PYTHON": sys.executable},
            cwd=self.root,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    def read(self) -> dict[str, Any]:
        """Return the results that were written last."""
        read: dict[str, Any] = json.loads(self.results.read_text(encoding="utf-8"))
        return read
