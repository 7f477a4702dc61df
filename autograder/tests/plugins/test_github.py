"""What runners on GitHub read: as Classroom 50's schema has it, and a workflow that calls what there is."""

import json
import re
import subprocess
from dataclasses import replace
from typing import Any

import yaml
from click.testing import CliRunner

from autograder.cli import main
from autograder.course.course import Course
from autograder.plugins.github import to_result, write_workflow
from autograder.report.report import QuestionReport, Report, Status, Verdict, written
from autograder.tests.classroom import small

QUESTIONS = (
    QuestionReport("double", Verdict.PASSED, 2.0, 2.0),
    QuestionReport("row_sums", Verdict.FAILED, 1.0, 3.0, "Look at dim.", "row_sums__columns"),
    QuestionReport("third", Verdict.NOT_ATTEMPTED, 0.0, 1.0),
    written("why", 2.0),
)
REPORT = Report("01_small", Status.GRADED, "", 3.0, 6.0, ("process", "seccomp"), QUESTIONS)
UNREADABLE = Report("01_small", Status.UNREADABLE, "not JSON", 0.0, 2.0, (), QUESTIONS[2:3])
ENVIRONMENT = {
    "CLASSROOM": "ml-2026",
    "ASSIGNMENT": "dots",
    "ASSIGNMENT_TYPE": "group",
    "USERNAME": "ada",
    "OWNER": "bob",
    "SUBMISSION_TAG": "submit/2026-03-01T10-00-00Z-abc1234",
    "COMMIT_URL": "https://x/c",
    "RELEASE_URL": "https://x/r",
    "REVIEW_URL": "https://x/v",
}
# By result-v1.schema.json: every field is required, and there are no others.
STRINGS = {
    "schema": "classroom50/result/v1",
    "assignment_type": "individual|group",
    "submission": "submit/.*",
    "datetime": r"\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ",
    **dict.fromkeys(("classroom", "assignment", "owner", "commit", "release", "review"), ".+"),
}


def checked(course: Course, report: Report, environment: dict[str, str]) -> dict[str, Any]:
    """Return the result, once it has been held against the schema's rules."""
    result: dict[str, Any] = json.loads(to_result(course, report, environment))
    assert set(result) == {*STRINGS, "score", "max-score", "tests"}
    assert all(re.fullmatch(pattern, result[name]) for name, pattern in STRINGS.items())
    for scored in (result, *result["tests"]):
        assert type(scored["score"]) is type(scored["max-score"]) is int
        assert 0 <= scored["score"] <= scored["max-score"]
    assert all(type(test["passed"]) is bool and test["test-name"] for test in result["tests"])
    return result


def test_a_result_is_as_classroom_50_wants_it(course: Course) -> None:
    result = checked(course, REPORT, ENVIRONMENT)
    assert (result["classroom"], result["owner"]) == ("ml-2026", "bob")
    assert (result["score"], result["max-score"]) == (300, 600)
    assert [(t["test-name"], t["passed"], t["score"]) for t in result["tests"]] == [
        ("double", True, 200),
        ("row_sums", False, 100),
        ("third", False, 0),
    ]
    unread = checked(course, UNREADABLE, {})["tests"]
    assert {test["details"].partition(": ")[2] for test in unread} == {UNREADABLE.message}


def test_the_command_reads_one_report_and_gives_no_result_after_a_failure_of_the_grader(
    course: Course,
) -> None:
    def say(text: str) -> tuple[int, str]:
        done = CliRunner().invoke(main, ["--course", str(course.root), "classroom50"], input=text)
        return done.exit_code, done.stdout

    code, text = say(REPORT.to_json(notebook="01_small.ipynb"))
    assert (code, json.loads(text)["score"]) == (0, 300)
    assert say(replace(REPORT, status=Status.GRADER_ERROR).to_json()) == (3, "")
    for odd in ("", "[]", "{}", REPORT.to_json() * 2):
        assert say(odd) == (2, "")


def test_the_workflow_says_what_its_runner_holds(course: Course) -> None:
    path = write_workflow(course, small(course))
    text = path.read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}
    assert "holds the hidden tests beside the student's code" in text
    assert "${{ secrets.COURSE_TOKEN }}" in text
    scripts = [step["run"] for step in workflow["jobs"]["grade"]["steps"] if "run" in step]
    assert scripts
    for script in scripts:
        assert "secrets" not in script  # a token comes in by the environment
        assert subprocess.run(["bash", "-n", "-c", script], check=False).returncode == 0
    said = CliRunner().invoke(main, ["--course", str(course.root), "github", "01_small"]).output
    assert "wrote build/github/01_small/autograde.yml" in said
    assert "Use it for practice only" in said
