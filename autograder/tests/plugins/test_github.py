"""The workflow for runners on GitHub calls what there is, and says what its runner holds."""

import subprocess

import yaml
from click.testing import CliRunner

from autograder.cli import main
from autograder.course.course import Course
from autograder.plugins.github import write_workflow
from autograder.tests.classroom import small


def test_the_workflow_says_what_its_runner_holds(course: Course) -> None:
    path = write_workflow(course, small(course))
    text = path.read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}
    assert "has both the hidden tests and the student's code" in text
    assert "${{ secrets.COURSE_TOKEN }}" in text
    scripts = [step["run"] for step in workflow["jobs"]["grade"]["steps"] if "run" in step]
    assert scripts
    for script in scripts:
        assert "secrets" not in script  # a token comes in by the environment
        assert subprocess.run(["bash", "-n", "-c", script], check=False).returncode == 0
    said = CliRunner().invoke(main, ["--course", str(course.root), "github", "01_small"]).output
    assert "wrote build/github/01_small/autograde.yml" in said
    assert "Use the workflow for practice only" in said
