"""Gradescope's container for tests: its folders in a folder of their own, and its way to call us."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from autograder.tests.warm import run

PROGRAM = "autograder.plugins.gradescope.run"


class Container:
    """Gradescope's folders, in a folder of their own."""

    def __init__(self, root: Path, archive: Path) -> None:
        self.root = root
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(root / "source")
        self.results = root / "results" / "results.json"

    def run(self, *handed_in: tuple[str, str]) -> subprocess.CompletedProcess[str]:
        """Grade these files, given by name and content, as Gradescope does: by the package's script."""
        self._hand_in(handed_in)
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

    def run_warm(self, *handed_in: tuple[str, str]) -> subprocess.CompletedProcess[str]:
        """Grade these files by the script's last line, and by the engine that is loaded here already."""
        self._hand_in(handed_in)
        script = (self.root / "source" / "run_autograder").read_text(encoding="utf-8")
        assert f'-m {PROGRAM} ../course "$submission" "$results/results.json"' in script
        places = ["../course", str(self.root / "submission"), str(self.results)]
        command = [sys.executable, "-m", PROGRAM, *places]
        return run(command, cwd=self.root / "source" / "engine")

    def graded(self, *handed_in: tuple[str, str], warm: bool = True) -> dict[str, Any]:
        """Return the results on these files, of which there must be some."""
        done = self.run_warm(*handed_in) if warm else self.run(*handed_in)
        assert done.returncode == 0, done.stdout + done.stderr
        read: dict[str, Any] = json.loads(self.results.read_text(encoding="utf-8"))
        return read

    def _hand_in(self, files: Iterable[tuple[str, str]]) -> None:
        shutil.rmtree(self.root / "submission", ignore_errors=True)
        (self.root / "submission").mkdir()
        for name, content in files:
            (self.root / "submission" / name).write_text(content, encoding="utf-8")
