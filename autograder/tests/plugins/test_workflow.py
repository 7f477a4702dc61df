"""The workflow with its steps run in order, as GitHub runs them: a step without `shell` by `bash -e`.

Only what would need the network has a stand-in: GitHub itself, and pip.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

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


class Runner:
    """A machine of GitHub's, with the course in a repository and a student's notebook in a folder."""

    def __init__(self, home: Path) -> None:
        self.home, self.work = home, home / "work"
        for name in ("bin", "temp", "github/uni", "work"):
            (home / name).mkdir(parents=True)
        stand_in = PIP.format(python=sys.executable, log=home / "pip.txt", bin=home / "bin")
        (home / "bin" / "python").write_text(stand_in, encoding="utf-8")
        (home / "bin" / "python").chmod(0o755)

    def publish(self, course: Course) -> None:
        """Put the course where GitHub would have it."""
        for name in ("pyproject.toml", "constraints.txt", ".gitignore"):
            shutil.copy(ROOT / name, course.root)
        there = str(self.home / "github" / "uni" / "course")
        for words in (
            ("init",),
            ("add", "."),
            ("commit", "--message", "Work"),
            ("clone", "--bare", ".", there),
        ):
            assert self.do("git", *words, folder=course.root) == 0

    def run(self, steps: list[dict[str, Any]]) -> list[int]:
        """Run the steps, and return the exit code of each."""
        codes: list[int] = []
        for step in steps:
            if "run" in step and not any(codes):  # a step that has failed ends the job
                own = {name: _filled(text) for name, text in step.get("env", {}).items()}
                codes.append(self.do("bash", "-e", "-c", step["run"], folder=self.work, **own))
        return codes

    def do(self, *words: str, folder: Path, **own: str) -> int:
        """Run a command, and return its exit code."""
        people = product(("AUTHOR", "COMMITTER"), ("NAME", "EMAIL"))
        environment = {
            "PATH": f"{self.home / 'bin'}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "HOME": str(self.home),
            "CI": "true",
            "RUNNER_TEMP": str(self.home / "temp"),
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"url.file://{self.home / 'github'}/.insteadOf",
            "GIT_CONFIG_VALUE_0": f"https://x-access-token:{TOKEN}@github.com/",
            **{f"GIT_{who}_{what}": "x@uni.edu" for who, what in people},
        }
        with (self.home / "said.txt").open("a", encoding="utf-8") as said:
            done = subprocess.run(
                words, cwd=folder, env=environment | own, stdout=said, stderr=said, check=False
            )
        return done.returncode


def _filled(text: str) -> str:
    return re.sub(r"\$\{\{ *([\w.]+) *\}\}", lambda found: KNOWN[found[1]], text)


def test_a_wrong_answer_fails_no_step_and_is_told_in_the_report_and_the_result(
    course: Course, tmp_path: Path
) -> None:
    runner = Runner(tmp_path / "runner")
    (runner.work / "01_small.ipynb").write_text(
        json.dumps(solved(small(course), row_sums=WRONG_SUMS)), "utf-8"
    )
    workflow = yaml.safe_load(write_workflow(course, small(course)).read_text(encoding="utf-8"))
    (course.root / "hidden_inputs.key").unlink()  # it is not in git
    runner.publish(course)
    codes = runner.run(workflow["jobs"]["grade"]["steps"])
    assert codes == [0, 0], (runner.home / "said.txt").read_text(encoding="utf-8")
    result = json.loads((runner.work / "result.json").read_text(encoding="utf-8"))
    assert (result["score"], result["max-score"]) == (200, 500)
    assert [(test["test-name"], test["passed"]) for test in result["tests"]] == [
        ("double", True),
        ("row_sums", False),
    ]
    report = json.loads((runner.work / "report.json").read_text(encoding="utf-8"))
    assert [question["verdict"] for question in report["questions"]] == ["passed", "failed", "ungraded"]
    (line,) = (runner.home / "pip.txt").read_text(encoding="utf-8").splitlines()
    assert line.split()[-3:-1] == ["torch", "matplotlib"]
    kept = [path for path in runner.home.glob("temp/**/*") if path.is_file()]
    assert [path for path in kept if TOKEN.encode() in path.read_bytes()] == []
