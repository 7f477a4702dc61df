"""A class goes by commands from a platform's archive through nbgrader's gradebook to pages and tables."""

import csv
import json
import zipfile
from pathlib import Path

from click.testing import CliRunner

from autograder.cli import main
from autograder.course.course import Course
from autograder.records.audit import audit_lines
from autograder.submission.submission import Submission
from autograder.tests.classroom import WRONG_SUMS, small, solved
from autograder.tests.gradebook.rows import by_hand, formgrader_page

ANSWERS: dict[str, dict[str, str]] = {"101": {}, "102": {"row_sums": WRONG_SUMS}, "103": {"double": "def ("}}


def test_a_class_is_collected_graded_and_published(ready: Course, tmp_path: Path) -> None:
    def do(*words: str) -> str:
        done = CliRunner().invoke(main, ["--course", str(ready.root), *words])
        assert done.exit_code == 0, done.output
        return done.output

    with zipfile.ZipFile(tmp_path / "canvas.zip", "w") as archive:
        for number, (student, answers) in enumerate(ANSWERS.items()):
            made = json.dumps(solved(small(ready), **answers))
            archive.writestr(f"familygiven_{student}_900{number}_01_small.ipynb", made)
    do("collect", str(tmp_path / "canvas.zip"))
    do("grade")
    by_hand(ready, "101", "why", 2.0, "Well put.")
    for command in ("feedback", "export", "dashboard"):
        do(command)
    scores = {"101": "7", "102": "2", "103": "3"}
    with (ready.build / "exports" / "exercises.csv").open(encoding="utf-8-sig", newline="") as file:
        assert {row["student"]: row["score"] for row in csv.DictReader(file)} == scores
    page = Submission(ready.root, "102", "01_small").feedback.read_text(encoding="utf-8")
    assert "2 of 5 points so far" in page
    assert "Well put." in Submission(ready.root, "101", "01_small").feedback.read_text(encoding="utf-8")
    assert "The dimension that you name is the one that disappears." in (
        ready.build / "dashboard.html"
    ).read_text(encoding="utf-8")
    assert "Both are linear" in formgrader_page(ready, "102")  # the model answer
    assert {line["student"]: line["score"] for line in audit_lines(ready)} == {"101": 5, "102": 2, "103": 3}
