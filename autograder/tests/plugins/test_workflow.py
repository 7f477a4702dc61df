"""The workflow with its steps run in order, as GitHub runs them: a step without `shell` by `bash -e`.

Only what would need the network has a stand-in: GitHub itself, and pip.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from autograder.course.course import Course
from autograder.plugins.github import write_workflow
from autograder.tests.classroom import WRONG_SUMS, small, solved

ROOT = Path(__file__).parents[3]
TOKEN = "github_pat_secret"
KNOWN = {"secrets.COURSE_TOKEN": TOKEN, "github.repository_owner": "uni"}
PIP = """#!/bin/bash -e
# Stands in the place of Python: notes what pip would install, and gives the command of what it has installed.
if [ "$1 $2" != "-m pip" ]; then exec {python} "$@"; fi
printf '%s\\n' "${{*:3}}" >> {log}
for word in "$@"; do if [ "$before" = --constraint ]; then test -f "$word"; fi; before=$word; done
if [ -d "$before" ]; then
    test -f "$before/pyproject.toml"
    printf '#!/bin/bash\\nexec {python} -m autograder "$@"\\n' > {bin}/autograder
    chmod +x {bin}/autograder
fi
"""


@dataclass(frozen=True)
class Runner:
    """A machine that runs the steps of a workflow on a repository of a student."""

    steps: list[dict[str, Any]]
    home: Path

    def run(self, notebook: dict[str, Any]) -> tuple[Path, list[int]]:
        """Run the steps beside a notebook; return the folder, and the exit code of each step."""
        work = self.home / "work"
        work.mkdir()
        (work / "01_small.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
        codes: list[int] = []
        for number, step in enumerate(self.steps):
            if "run" in step and not any(codes):  # a step that has failed ends the job
                script = self.home / f"{number}.sh"
                script.write_text(step["run"], encoding="utf-8")
                own = {name: _filled(text) for name, text in step.get("env", {}).items()}
                codes.append(self._do("bash", "-e", str(script), folder=work, env=own))
        return work, codes

    def publish(self, course: Course) -> None:
        """Put the course where GitHub would have it."""
        for name in ("pyproject.toml", "constraints.txt"):
            shutil.copy(ROOT / name, course.root)
        shutil.copy(ROOT / ".gitignore", course.root)
        self._git("-C", str(course.root), "init", "--quiet")
        self._git("-C", str(course.root), "add", ".")
        self._git("-C", str(course.root), "commit", "--quiet", "--message", "Work")
        self._git(
            "clone", "--quiet", "--bare", str(course.root), str(self.home / "github" / "uni" / "course")
        )

    def _git(self, *words: str) -> None:
        assert self._do("git", *words, folder=self.home, env={}) == 0

    def _do(self, *words: str, folder: Path, env: dict[str, str]) -> int:
        own = {
            "PATH": f"{self.home / 'bin'}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "HOME": str(self.home),
            "CI": "true",
            "RUNNER_TEMP": str(self.home / "temp"),
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"url.file://{self.home / 'github'}/.insteadOf",
            "GIT_CONFIG_VALUE_0": f"https://x-access-token:{TOKEN}@github.com/",
            **{
                f"GIT_{who}_{what}": "x@uni.edu"
                for who in ("AUTHOR", "COMMITTER")
                for what in ("NAME", "EMAIL")
            },
        }
        done = subprocess.run(words, cwd=folder, env=own | env, capture_output=True, text=True, check=False)
        with (self.home / "said.txt").open("a", encoding="utf-8") as said:
            said.write(done.stdout + done.stderr)
        return done.returncode


def _filled(text: str) -> str:
    return re.sub(r"\$\{\{ *([\w.]+) *\}\}", lambda found: KNOWN[found[1]], text)


@pytest.fixture
def workflow(course: Course) -> dict[Any, Any]:
    read: dict[Any, Any] = yaml.safe_load(write_workflow(course, small(course)).read_text(encoding="utf-8"))
    return read


@pytest.fixture
def runner(course: Course, workflow: dict[Any, Any], tmp_path: Path) -> Runner:
    runner = Runner(workflow["jobs"]["grade"]["steps"], tmp_path / "runner")
    for name in ("bin", "temp", "github/uni"):
        (runner.home / name).mkdir(parents=True)
    stand_in = PIP.format(python=sys.executable, log=runner.home / "pip.txt", bin=runner.home / "bin")
    (runner.home / "bin" / "python").write_text(stand_in, encoding="utf-8")
    (runner.home / "bin" / "python").chmod(0o755)
    (course.root / "hidden_inputs.key").unlink()  # it is not in git
    runner.publish(course)
    return runner


def test_a_wrong_answer_fails_no_step_and_is_told_in_the_report_and_the_result(
    course: Course, runner: Runner
) -> None:
    work, codes = runner.run(solved(small(course), row_sums=WRONG_SUMS))
    assert codes == [0, 0], (runner.home / "said.txt").read_text(encoding="utf-8")
    result = json.loads((work / "result.json").read_text(encoding="utf-8"))
    assert (result["score"], result["max-score"]) == (200, 500)
    assert [(test["test-name"], test["passed"]) for test in result["tests"]] == [
        ("double", True),
        ("row_sums", False),
    ]
    report = json.loads((work / "report.json").read_text(encoding="utf-8"))
    assert [question["verdict"] for question in report["questions"]] == ["passed", "failed", "ungraded"]
    installed = (runner.home / "pip.txt").read_text(encoding="utf-8").splitlines()
    (line,) = installed
    assert line.split()[-3:-1] == ["torch", "matplotlib"]
    kept = [path for path in runner.home.glob("temp/**/*") if path.is_file()]
    assert [path for path in kept if TOKEN.encode() in path.read_bytes()] == []
