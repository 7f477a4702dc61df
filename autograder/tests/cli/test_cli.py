"""The command line: what is typed, what is printed, and the exit code that tells programs."""

import errno
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from autograder.authoring.verify import Proof
from autograder.batch import run as running
from autograder.batch.grade import Summary
from autograder.cli import main
from autograder.course.course import Course
from autograder.doctor import Check
from autograder.errors import OUR_FAILURE
from autograder.sandbox.errors import WallError
from autograder.tests.classroom import hand_in


def call(course: Course, *words: str) -> Result:
    return CliRunner().invoke(main, ["--course", str(course.root), *words])


@pytest.fixture
def notebook(course: Course) -> Path:
    """Return a file that is named as the small exercise and is not a notebook."""
    path = course.root / "01_small.ipynb"
    path.write_text("no notebook", encoding="utf-8")
    return path


def test_run_prints_one_report_a_line(course: Course, notebook: Path) -> None:
    done = call(course, "run", "--json", str(notebook), str(notebook))
    assert done.exit_code == 0
    first, second = map(json.loads, done.stdout.splitlines())
    assert first == second
    assert first["notebook"] == str(notebook)
    assert first["status"] == "unreadable"


def test_an_exercise_that_is_graded_lies_where_the_formgrader_looks_for_it(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.batch.grade.grade_submissions", lambda *_, **__: Summary(()))
    source = course.build / "source" / "01_small" / "01_small.ipynb"
    for words in (["grade"], ["grade", "--dry-run"]):
        call(course, *words)
        assert not source.exists(), "nobody has handed in anything, or nothing should be written"
        hand_in(course, "ann", "no notebook")
    (course.root / "students.csv").write_text("zoe\n", encoding="utf-8")
    assert call(course, "grade", "--student", "ann", "--student", "zoe").exit_code == 0  # one came, one may
    assert source.is_file()


@pytest.mark.parametrize(
    ("student", "hint"),
    [
        ("Ann", '; did you mean "ann"?'),
        ("eev", '; did you mean "eve"?'),
        ("Adams, Eve", '; did you mean "eve"?'),
        ("xyz", ""),
    ],
)
def test_grading_somebody_who_neither_came_nor_is_listed_is_wrong_use(
    course: Course, student: str, hint: str
) -> None:
    (course.root / "students.csv").write_text("eve,Eve Adams\nzoe\n", encoding="utf-8")
    hand_in(course, "ann", "no notebook")
    done = call(course, "grade", "--student", "ann", "--student", student)
    assert (done.exit_code, done.stderr) == (2, f'nobody has the id "{student}"{hint}\n')


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "01_small.ipynb", "--exercise", "02_big"], 'has no exercise "02_big"; use one of 01_small'),
        (["run", "homework.ipynb"], "homework.ipynb: there is no such file"),
        (["run"], "Missing argument 'NOTEBOOK...'"),
        (["verify", "02_big"], 'has no exercise "02_big"'),
        (["fly"], "No such command 'fly'"),
        (["release", "--solutions"], "01_small: has no due date; add `due` to the exercise in course.yaml"),
        (["release", "--early"], "--early needs --solutions"),
    ],
)
def test_wrong_use_exits_with_2_and_says_what_is_right(
    course: Course, words: list[str], message: str
) -> None:
    done = call(course, *words)
    assert done.exit_code == 2
    assert message in done.stderr
    assert not done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ["grade", "--student", "\x1b[2Jann"],
        ["extend", "\x1b]0;title\x07ann", "01_small", "2030-03-01 18:00 Europe/Berlin"],
        ["grade", "\x1b[2J01"],
        ["fly\x1b[2J"],
    ],
)
def test_no_error_message_steers_a_terminal(course: Course, words: list[str]) -> None:
    done = call(course, *words)
    assert done.exit_code == 2
    assert done.stderr.replace("\n", "").isprintable()


def test_our_own_failure_is_one_line_and_a_file(
    course: Course, notebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a defect of ours")

    monkeypatch.setattr(running, "MarkingProcess", broken)
    done = call(course, "run", str(notebook))
    assert done.exit_code == 3
    (line,) = done.stderr.splitlines()
    found = re.fullmatch(r"autograder failed; the details are in (\S+)", line)
    assert found
    log = Path(found[1])
    assert "RuntimeError: a defect of ours" in log.read_text(encoding="utf-8")
    log.unlink()


def test_what_cannot_be_written_is_one_line_with_the_place(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object, **options: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("autograder.gradebook.backup.write_zip", full)
    done = call(course, "backup")
    assert done.exit_code == 1
    fix = "make room there or let this user write there, and run the command again"
    assert done.stderr == f"{course.root}: cannot be written: No space left on device; {fix}\n"


LOST = Proof("02_big", findings=("02_big.py: missing; write it",))
NO_ANSWERS = "accepted answers: 0; known mistakes: 0"


@pytest.mark.parametrize(
    ("second", "code", "said"),
    [
        (LOST, 1, [f"02_big: not verified ({NO_ANSWERS})", "  02_big.py: missing; write it"]),
        (
            Proof("02_big", is_reused=True),
            0,
            [f"02_big: verified earlier, unchanged since ({NO_ANSWERS})"],
        ),
    ],
)
def test_verify_tells_what_is_proved_and_what_is_not(
    course: Course, monkeypatch: pytest.MonkeyPatch, second: Proof, code: int, said: list[str]
) -> None:
    proofs = [Proof("01_small", 1, 3), second]
    monkeypatch.setattr("autograder.authoring.together.prove_together", lambda *_, **__: iter(proofs))
    done = call(course, "verify")
    assert done.exit_code == code
    verified = "01_small: verified (accepted answers: 1; known mistakes: 3)"
    assert done.stdout.splitlines() == [verified, *said]


@pytest.mark.parametrize(("ok", "code"), [(True, 0), (False, 1)])
def test_doctor_exits_by_what_it_sees(
    course: Course, monkeypatch: pytest.MonkeyPatch, ok: bool, code: int
) -> None:
    checks = [Check("python", True, "3.11"), Check("worker", ok, "seen", "" if ok else "mend it")]
    monkeypatch.setattr("autograder.doctor.examine", lambda _: checks)
    done = call(course, "doctor")
    assert done.exit_code == code
    assert done.stdout.startswith("ok      python: 3.11\n")
    assert ("not ok  worker: seen\n        mend it" in done.stdout) is not ok


def test_the_audit_is_a_table_for_people_and_lines_with_digests_for_programs(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    (course.root / "students.csv").write_text("id,name\nann,=Ann\n", encoding="utf-8")
    about = {
        "time": "2026-03-01T17:00:00+00:00",
        "by": None,
        "student": "ann",
        "question": None,
        "why": "new",
    }
    questions: dict[str, list[float | None]] = {"double": [2.0, None, None], "why": [None, None, None]}
    by_hand = {**questions, "why": [None, 1.5, 0.25]}
    saved = {"by": "uma", "question": "why", "why": "by hand", "questions": by_hand}
    lines = [
        {"exercise": "01_small", **about, "penalty": 0.7, "questions": questions},
        {"exercise": "01_small", **about, "penalty": 0.7, **saved},
        {"exercise": "01_small", **about, "penalty": 0.0, **saved},
        {"exercise": "01_small", **about, "penalty": 0.0, **saved},
        {"exercise": "00_left", **about, "penalty": 0.0, "questions": questions},
    ]
    monkeypatch.setattr("autograder.publishing.audit.audit_lines", lambda _: iter(lines))
    assert call(course, "export", "--audit").exit_code == 0
    _, *rows = (course.build / "exports" / "audit.csv").read_text(encoding="utf-8").splitlines()
    shown = [row.removeprefix("2026-03-01T17:00:00+00:00,") for row in rows]
    assert shown == [
        "autograder,ann,'=Ann,01_small,double,,2,new",
        "autograder,ann,'=Ann,01_small,late,,-0.7,new",
        "uma,ann,'=Ann,01_small,why,,1.75,by hand",
        "uma,ann,'=Ann,01_small,late,-0.7,,by hand",
        "uma,ann,'=Ann,01_small,why,1.75,1.75,by hand",
        "autograder,ann,'=Ann,00_left,double,,2,new",
    ]
    done = call(course, "export", "--audit", "--json")
    assert [json.loads(line) for line in done.stdout.splitlines()] == lines
    assert call(course, "export", "--json").exit_code == 2


def test_walls_that_do_not_stand_are_told_without_a_traceback(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: object) -> None:
        raise WallError("here is what to do")

    monkeypatch.setattr("autograder.authoring.new.create", broken)
    done = call(course, "new", "02_new")
    assert (done.exit_code, done.stderr) == (3, "here is what to do\n")


def test_a_reader_who_has_seen_enough_ends_the_command_quietly(course: Course) -> None:
    command = [sys.executable, "-m", "autograder", "--course", str(course.root), "new", "02_new"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        said = running.stderr.read()
    assert said == b""
    assert running.returncode not in (0, OUR_FAILURE)
