"""nbgrader's own gradebook, commands and pages, with our reading of submissions and our scores in them."""

import ast
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from traitlets.config import Config

from autograder.build import build
from autograder.course import Course, CourseError, load_course
from autograder.gradebook import autograde, generate, read_handins, register
from autograder.gradebook.settings import database, load
from autograder.grading import Graded
from autograder.handin import Entry, Handin
from autograder.marking import Marker
from autograder.report import Report, Status, Verdict
from autograder.submission import Submission
from autograder.tests.classroom import (
    ANSWER,
    CONFIG,
    WRONG_SUMS,
    Notebook,
    answered,
    cell_of,
    hand_in,
    open_course,
    small,
    solved,
    stripped,
)

pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
EINSUM = "def row_sums(x):\n    return torch.einsum('nd->n', x)"
AND_NOW = """
# %% [markdown]
# And now?

# %% [markdown] manual="now" points=1
# ### BEGIN SOLUTION
# Onwards.
# ### END SOLUTION
"""
NESTED = "[" * 100_000 + "]" * 100_000
UNREADABLE: dict[str, Callable[[Path], object]] = {
    "zero bytes": lambda path: path.write_bytes(b""),
    "not JSON": lambda path: path.write_text("no notebook"),
    "nested 100,000 deep": lambda path: path.write_text(f'{{"nbformat": 4, "cells": {NESTED}}}'),
    "nbformat 3": lambda path: path.write_text('{"nbformat": 3, "worksheets": []}'),
    "a folder": lambda path: path.mkdir(),
    "a FIFO": os.mkfifo,
    "a link": lambda path: path.symlink_to(path.parents[3] / "solutions" / "01_small" / "01_small.py"),
    "a broken link": lambda path: path.symlink_to("nowhere"),
}


def fill(course: Course) -> Course:
    """Let a class hand in all sorts of things."""
    exercise = small(course)
    hand_in(course, "solved", solved(exercise))
    hand_in(course, "released", answered(exercise))
    hand_in(course, "wrong", solved(exercise, row_sums=WRONG_SUMS), late="2026-01-01 12:00:00 UTC")
    hand_in(course, "stripped", stripped(solved(exercise)))
    hand_in(course, "forbidden", solved(exercise, row_sums=EINSUM))
    for number, spoil in enumerate(UNREADABLE.values()):
        submission = hand_in(course, f"unreadable{number}", "")
        submission.notebook.unlink()
        spoil(submission.notebook)
    return course


@pytest.fixture(scope="module")
def classroom(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Return a course with a class that has handed in, but is not graded."""
    return fill(open_course(tmp_path_factory.mktemp("class") / "course"))


@pytest.fixture(scope="module")
def reports(classroom: Course) -> dict[str, Graded]:
    """Return what the grader says of each of them."""
    with Marker(classroom) as marker:
        folders = sorted(path.name for path in (classroom.root / "submitted").iterdir())
        submissions = [Submission(classroom.root, name, small(classroom).name) for name in folders]
        return {submission.student: marker.mark(submission).graded for submission in submissions}


@pytest.fixture(scope="module")
def graded(classroom: Course, reports: dict[str, Graded]) -> Course:
    """Return the course once all of them are in the gradebook."""
    register(classroom, small(classroom))
    for student, marked in reports.items():
        autograde(classroom, small(classroom).name, student, marked)
    return classroom


@pytest.fixture
def marked(reports: dict[str, Graded]) -> Graded:
    """Return the report on a submission that is right."""
    return reports["solved"]


@pytest.fixture(scope="module")
def blank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an empty gradebook; nbgrader takes seconds to make one."""
    path = tmp_path_factory.mktemp("blank") / "gradebook.db"
    Gradebook(f"sqlite:///{path}", "small").close()
    return path


@pytest.fixture
def course(course: Course, blank: Path) -> Course:
    """Return the small course with nbgrader's settings and an empty gradebook."""
    shutil.copy(CONFIG, course.root)
    shutil.copy(blank, course.root)
    return course


def handin(course: Course, student: str) -> Handin:
    return next(h for h in read_handins(course, small(course)) if h.student == student)


def entry(course: Course, student: str, question: str) -> Entry:
    return next(e for e in handin(course, student).entries if e.question == question)


def autograded(course: Course, student: str) -> dict[str, Any]:
    submission = Submission(course.root, student, small(course).name)
    notebook: dict[str, Any] = json.loads(submission.autograded.read_text(encoding="utf-8"))
    return notebook


def dump(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return every row of a gradebook that means something: without nbgrader's random ids."""
    queries = {
        "grades": """
            select a.name, s.student_id, b.name,
                g.auto_score, g.manual_score, g.extra_credit, g.needs_manual_grade
            from grade g join base_cell b on b.id = g.cell_id
            join submitted_notebook n on n.id = g.notebook_id
            join submitted_assignment s on s.id = n.assignment_id
            join assignment a on a.id = s.assignment_id""",
        "comments": """
            select s.student_id, b.name, c.auto_comment, c.manual_comment
            from comment c join base_cell b on b.id = c.cell_id
            join submitted_notebook n on n.id = c.notebook_id
            join submitted_assignment s on s.id = n.assignment_id""",
        "submissions": """
            select s.student_id, s.timestamp, n.late_submission_penalty, n.flagged
            from submitted_assignment s join submitted_notebook n on n.assignment_id = s.id""",
        "cells": "select name, cell_type, locked, source, checksum from source_cell",
        "points": "select name, max_score, cell_type from grade_cells g join base_cell b on b.id = g.id",
        "solutions": "select b.name from solution_cells s join base_cell b on b.id = s.id",
        "assignments": "select name, duedate, course_id from assignment",
        "notebooks": "select name, kernelspec from notebook",
    }
    with sqlite3.connect(path) as connection:
        rows = {
            name: sorted(connection.execute(query).fetchall(), key=repr) for name, query in queries.items()
        }
    connection.close()
    return rows


def nbgrader(course: Course, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run nbgrader's own command in the course's folder."""
    command = [str(Path(sys.executable).with_name("nbgrader")), *arguments]
    return subprocess.run(command, cwd=course.root, capture_output=True, text=True, timeout=300, check=False)


def test_only_the_gradebook_package_imports_nbgrader() -> None:
    engine = Path(__file__).parents[1]
    importing = {
        path.relative_to(engine).parts[0]
        for path in engine.rglob("*.py")
        if "tests" not in path.relative_to(engine).parts and "nbgrader" in _imports(path)
    }
    assert importing == {"gradebook"}


def _imports(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    plain = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    others = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {name.partition(".")[0] for name in (*plain, *others)}


def test_the_gradebook_knows_an_exercise_as_nbgraders_own_release_would_tell_it(tmp_path: Path) -> None:
    ours, theirs = open_course(tmp_path / "ours"), open_course(tmp_path / "theirs")
    register(ours, small(ours))
    build(theirs, [small(theirs)])
    done = nbgrader(theirs, "generate_assignment", small(theirs).name)
    assert done.returncode == 0, done.stderr
    assert dump(ours.root / "gradebook.db") == dump(theirs.root / "gradebook.db")


def test_stock_nbgrader_autograde_leaves_the_same_gradebook(graded: Course, tmp_path: Path) -> None:
    stock = fill(open_course(tmp_path / "course"))
    done = nbgrader(stock, "autograde", small(stock).name)
    assert done.returncode == 0, done.stderr
    assert dump(stock.root / "gradebook.db") == dump(graded.root / "gradebook.db")
    assert autograded(stock, "wrong") == autograded(graded, "wrong")


def test_the_formgraders_button_grades_as_we_do(graded: Course, tmp_path: Path) -> None:
    course = open_course(tmp_path / "course")
    hand_in(course, "wrong", solved(small(course), row_sums=WRONG_SUMS), late="2026-01-01 12:00:00 UTC")
    result = formgrader(course).autograde(small(course).name, "wrong")
    assert result["success"], result
    assert handin(course, "wrong") == handin(graded, "wrong")
    assert (course.root / "build" / "reports" / "01_small" / "wrong.json").is_file()


def formgrader(course: Course) -> NbGraderAPI:
    """Return what stands behind the formgrader's buttons."""
    config = load(course)
    config.merge(Config({"Exchange": {"root": str(course.root)}}))
    return NbGraderAPI(config=config)


def test_a_right_answer_gets_its_points(graded: Course) -> None:
    seen = {e.question: (e.auto_score, e.needs_person) for e in handin(graded, "solved").entries}
    assert seen == {"double": (2.0, False), "row_sums": (3.0, False), "why": (None, True)}


def test_an_untouched_release_gets_nothing_and_nobody_needs_to_look(graded: Course) -> None:
    seen = {e.question: (e.auto_score, e.needs_person) for e in handin(graded, "released").entries}
    assert seen == {"double": (0.0, False), "row_sums": (0.0, False), "why": (0.0, False)}
    assert entry(graded, "released", "why").comment == "No response."


def test_a_wrong_answer_gets_a_comment_with_the_mistakes_hint_and_the_failed_tests(graded: Course) -> None:
    mistake = next(m for m in small(graded).mistakes if m.name == "row_sums__columns")
    comment = entry(graded, "wrong", "row_sums").comment
    assert comment.startswith("Failed.")
    assert mistake.hint in comment
    assert "- failed: Each number is the sum of its own row." in comment


def test_all_metadata_stripped_scores_in_full_and_is_put_back(graded: Course) -> None:
    assert handin(graded, "stripped").score == handin(graded, "solved").score
    names = [
        c["metadata"]["nbgrader"]["grade_id"]
        for c in autograded(graded, "stripped")["cells"]
        if c["metadata"]
    ]
    assert names == ["double", "check-double", "row_sums", "check-row_sums", "why"]


def test_a_broken_rule_waits_for_a_person(graded: Course) -> None:
    seen = entry(graded, "forbidden", "row_sums")
    assert (seen.auto_score, seen.needs_person) == (0.0, True)
    assert seen.comment.startswith("Review.")


@pytest.mark.parametrize(("number", "kind"), list(enumerate(UNREADABLE)))
def test_a_file_that_is_no_notebook_gets_zeros_that_are_not_silent(
    graded: Course, number: int, kind: str
) -> None:
    student = f"unreadable{number}"
    seen = handin(graded, student).entries
    assert [(e.auto_score, e.needs_person) for e in seen] == [(0.0, True)] * 3, kind
    assert all("could not be read" in e.comment for e in seen)
    first, *rest = autograded(graded, student)["cells"]
    assert "could not be read" in "".join(first["source"])
    assert len(rest) == len(autograded(graded, "released")["cells"])


def test_the_autograded_notebook_shows_what_the_cells_showed(graded: Course) -> None:
    outputs = cell_of(autograded(graded, "solved"), "check-double")["outputs"]
    assert "".join(outputs[0]["text"]) == "double: this check passes\n"
    failed = cell_of(autograded(graded, "released"), "check-double")["outputs"]
    assert [output["ename"] for output in failed] == ["NotImplementedError"]


def test_late_submissions_are_late_in_the_gradebook(tmp_path: Path, marked: Graded) -> None:
    course = open_course(tmp_path / "course")
    text = (course.root / "course.yaml").read_text(encoding="utf-8")
    dated = text.replace("- name: 01_small\n", "- name: 01_small\n    due: 2026-01-01T10:00:00+01:00\n")
    (course.root / "course.yaml").write_text(dated, encoding="utf-8")
    course = load_course(course.root)
    hand_in(course, "ann", solved(small(course)), late="2026-01-01 10:00:00 UTC")
    record(course, "ann", marked)
    assert handin(course, "ann").seconds_late == 3600


def record(course: Course, student: str, graded: Graded) -> None:
    register(course, small(course))
    autograde(course, small(course).name, student, graded)


def test_what_a_person_gave_survives_grading_again(course: Course, marked: Graded) -> None:
    hand_in(course, "ann", solved(small(course)))
    record(course, "ann", marked)
    by_hand(course, "ann", "why", 1.5, "Say why it is linear.")
    by_hand(course, "ann", "check-double", 0.5)
    record(course, "ann", marked)
    why, double = entry(course, "ann", "why"), entry(course, "ann", "double")
    assert (why.manual_score, why.remark, why.score) == (1.5, "Say why it is linear.", 1.5)
    assert (double.auto_score, double.manual_score, double.score) == (2.0, 0.5, 0.5)
    assert double.needs_person  # as in nbgrader: somebody should see whether it still holds


def by_hand(course: Course, student: str, cell: str, score: float, remark: str = "") -> None:
    """Grade as a person does in the formgrader."""
    name = small(course).name
    with Gradebook(database(course), course.settings.course) as gradebook:
        grade = gradebook.find_grade(cell, name, name, student)
        grade.manual_score, grade.needs_manual_grade = score, False
        if remark:
            gradebook.find_comment(cell, name, name, student).manual_comment = remark
        gradebook.db.commit()


def test_a_grader_error_leaves_no_score_and_asks_for_a_person(course: Course, marked: Graded) -> None:
    hand_in(course, "ann", solved(small(course)))
    broken = marked.report.as_dict()
    broken["questions"][0].update(verdict=Verdict.GRADER_ERROR, score=None)
    report = Report.from_dict({**broken, "status": Status.GRADER_ERROR, "score": None})
    record(course, "ann", Graded(report, {}))
    seen = entry(course, "ann", "double")
    assert (seen.auto_score, seen.score, seen.needs_person) == (None, None, True)
    assert handin(course, "ann").score is None


TAMPERED: dict[str, Callable[[Notebook], object]] = {
    "points": lambda made: cell_of(made, "check-double")["metadata"]["nbgrader"].update(points=99),
    "no grade": lambda made: cell_of(made, "check-double")["metadata"]["nbgrader"].update(grade=False),
    "unlocked": lambda made: cell_of(made, "check-double")["metadata"]["nbgrader"].update(locked=False),
    "schema": lambda made: cell_of(made, "check-double")["metadata"]["nbgrader"].update(schema_version=1),
    "tags": lambda made: [
        c["metadata"].update(tags=["skip-execution", "remove-cell"]) for c in made["cells"]
    ],
    "edited check": lambda made: cell_of(made, "check-double").update(source="print('all passes')"),
    "missing check": lambda made: made["cells"].remove(cell_of(made, "check-double")),
    "unknown id": lambda made: made["cells"].append(copied(made, "double", "x = 1", "invented")),
    "copied cell": lambda made: made["cells"].append(copied(made, "double", "x = 1", "double")),
    "copied check": lambda made: made["cells"].append(copied(made, "check-double", "2.0", "check-double")),
    "kernel": lambda made: made["metadata"].update(kernelspec={"name": "sh", "argv": ["touch", "owned"]}),
    "language": lambda made: made["metadata"].update(language=["x"], nbgrader="y"),
    "forged output": lambda made: cell_of(made, "check-double").update(outputs=[{"output_type": "evil"}]),
    "metadata": lambda made: [c.update(metadata=[]) for c in made["cells"]],
    "odd ids": lambda made: [c.update(id={"a": 1}) for c in made["cells"]],
    "attachments": lambda made: made["cells"][0].update(attachments={"x.svg": {"image/svg+xml": "<svg>"}}),
}


def copied(made: Notebook, name: str, text: str, as_name: str) -> dict[str, Any]:
    """Return a copy of a cell with other text, under the name `as_name`."""
    copy: dict[str, Any] = json.loads(json.dumps(cell_of(made, name)))
    copy["metadata"]["nbgrader"]["grade_id"] = as_name
    return {**copy, "source": text}


@pytest.mark.parametrize("kind", TAMPERED)
def test_tampering_with_the_notebook_changes_no_row_of_the_gradebook(
    kind: str, course: Course, marked: Graded, graded: Course
) -> None:
    made = solved(small(course))
    TAMPERED[kind](made)
    hand_in(course, "solved", made)
    record(course, "solved", marked)
    assert handin(course, "solved") == handin(graded, "solved")
    cells = {
        c["metadata"]["nbgrader"]["grade_id"]: "".join(c["source"])
        for c in autograded(course, "solved")["cells"]
        if "nbgrader" in c["metadata"]
    }
    expected = autograded(graded, "solved")
    assert cells == {name: "".join(cell_of(expected, name)["source"]) for name in cells}
    assert set(cells) == {"double", "check-double", "row_sums", "check-row_sums", "why"}


def test_the_definition_that_wins_when_run_is_the_one_shown_as_the_answer(
    course: Course, marked: Graded
) -> None:
    made = solved(small(course))
    made["cells"].append(copied(made, "double", "def double(x):\n    return x + x", "double"))
    hand_in(course, "ann", made)
    record(course, "ann", marked)
    assert (
        "".join(cell_of(autograded(course, "ann"), "double")["source"]) == "def double(x):\n    return x + x"
    )


def test_a_missing_answer_is_put_back_with_a_word(course: Course, marked: Graded) -> None:
    made = solved(small(course))
    made["cells"].remove(cell_of(made, "double"))
    made["cells"].remove(cell_of(made, "why"))
    hand_in(course, "ann", made)
    record(course, "ann", marked)
    shown = autograded(course, "ann")
    assert "was missing from the submission" in "".join(cell_of(shown, "double")["source"])
    assert entry(course, "ann", "why").comment == "No response."


def test_text_beside_an_empty_answer_is_left_for_a_person(course: Course, marked: Graded) -> None:
    made = solved(small(course), why=next(c for c in small(course).cells if c.name == "why").released())
    made["cells"].append({"cell_type": "markdown", "metadata": {}, "source": ANSWER, "id": "mine"})
    hand_in(course, "ann", made)
    record(course, "ann", marked)
    assert entry(course, "ann", "why").needs_person


def test_other_files_of_a_submission_never_reach_nbgrader(course: Course, marked: Graded) -> None:
    submission = hand_in(course, "ann", solved(small(course)), late="2026-01-01 12:00:00 UTC")
    os.mkfifo(submission.folder / "pipe.txt")
    (submission.folder / "secret.txt").symlink_to("/etc/hostname")
    (submission.folder / "folder").mkdir()
    (submission.folder / "folder" / "helper.py").write_text("x = 1")
    record(course, "ann", marked)
    assert sorted(p.name for p in submission.autograded.parent.iterdir()) == [
        "01_small.ipynb",
        "timestamp.txt",
    ]


def edit(course: Course, old: str, new: str) -> Course:
    """Return the course with its exercise changed, as its author might."""
    source = small(course).source
    text = source.read_text(encoding="utf-8")
    assert old in text
    source.write_text(text.replace(old, new), encoding="utf-8")
    return load_course(course.root)


def test_changed_points_and_checks_reach_the_gradebook_and_keep_what_people_gave(
    course: Course, marked: Graded
) -> None:
    hand_in(course, "ann", solved(small(course)))
    record(course, "ann", marked)
    by_hand(course, "ann", "why", 1.5)
    course = edit(course, 'check="double" points=2', 'check="double" points=4')
    register(course, small(course))
    assert entry(course, "ann", "double").max_score == 4.0
    assert entry(course, "ann", "why").manual_score == 1.5


def test_a_question_that_is_added_gets_its_rows(course: Course, marked: Graded) -> None:
    hand_in(course, "ann", solved(small(course)))
    record(course, "ann", marked)
    by_hand(course, "ann", "why", 1.5)
    with small(course).source.open("a", encoding="utf-8") as source:
        source.write(AND_NOW)
    course = load_course(course.root)
    register(course, small(course))
    now = entry(course, "ann", "now")
    assert (now.score, now.max_score, now.needs_person) == (None, 1.0, True)
    assert entry(course, "ann", "why").manual_score == 1.5


def without_why(course: Course) -> Course:
    text = small(course).source.read_text(encoding="utf-8")
    small(course).source.write_text(text[: text.index("# %% [markdown] manual")], encoding="utf-8")
    return load_course(course.root)


def test_a_question_that_is_gone_leaves_the_gradebook(course: Course, marked: Graded) -> None:
    hand_in(course, "ann", solved(small(course)))
    record(course, "ann", marked)
    course = without_why(course)
    register(course, small(course))
    assert [e.question for e in handin(course, "ann").entries] == ["double", "row_sums"]
    assert all("why" not in row for rows in dump(course.root / "gradebook.db").values() for row in rows)


def test_a_question_that_people_graded_is_never_deleted(course: Course, marked: Graded) -> None:
    hand_in(course, "ann", solved(small(course)))
    record(course, "ann", marked)
    by_hand(course, "ann", "why", 1.5)
    course = without_why(course)
    with pytest.raises(CourseError, match='"why" is gone, but 1 of its grades'):
        register(course, small(course))
    assert any("why" in row for row in dump(course.root / "gradebook.db")["grades"])


def test_release_needs_no_gradebook_and_never_disturbs_one(course: Course) -> None:
    build(course, [small(course)])
    (course.root / "gradebook.db").unlink()
    generate(course, small(course), database=False)
    assert (course.assignments / "01_small" / "01_small.ipynb").is_file()
    assert not (course.root / "gradebook.db").exists()
    generate(course, small(course), database=True)
    assert dump(course.root / "gradebook.db")["assignments"] == [("01_small", None, "small")]


def test_settings_added_by_an_instructor_hold_for_both_ways(course: Course, marked: Graded) -> None:
    added = (
        "\nc.LateSubmissionPlugin.penalty_method = 'zero'\nc.CourseDirectory.db_url = 'sqlite:///other.db'\n"
    )
    (course.root / "nbgrader_config.py").write_text(
        CONFIG.read_text(encoding="utf-8") + added, encoding="utf-8"
    )
    config = load(course)
    assert config.LateSubmissionPlugin.penalty_method == "zero"
    assert database(course) == "sqlite:///other.db"
