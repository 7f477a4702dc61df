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
        """Grade these files, given by name and content."""
        shutil.rmtree(self.root / "submission", ignore_errors=True)
        for name, content in handed_in:
            path = self.root / "submission" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        (self.root / "submission").mkdir(exist_ok=True)
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

    def graded(self, *handed_in: tuple[str, str]) -> dict[str, Any]:
        """Return the results on these files, of which there must be some."""
        done = self.run(*handed_in)
        assert done.returncode == 0, done.stdout + done.stderr
        read: dict[str, Any] = json.loads(self.results.read_text(encoding="utf-8"))
        return read
