"""The grader is stopped in the middle, in every way there is: nothing runs on, and nothing is lost."""

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from autograder.cli.grade import INTERRUPTED
from autograder.course.course import Course, load_course
from autograder.tests.classroom import WRONG_SUMS, answered, hand_in, open_course, small, solved
from autograder.tests.gradebook.rows import dump, files, reports
from autograder.tests.in_process import grade_class

FORK = multiprocessing.get_context("fork")  # what the grader imports is imported here already
PATIENCE = 60  # seconds, on a busy machine


def fill(course: Course) -> Course:
    """Let a class hand in right, wrong, late, broken and hostile notebooks."""
    exercise = small(course)
    for number in range(2):
        hand_in(course, f"right{number}", solved(exercise))
        hand_in(course, f"wrong{number}", solved(exercise, row_sums=WRONG_SUMS))
    hand_in(course, "late", solved(exercise), late="2026-01-01 12:00:00 UTC")
    hand_in(course, "blank", answered(exercise))
    hand_in(course, "broken", "no notebook")
    hand_in(course, "hostile", solved(exercise, double="import os\nos._exit(0)"))
    return course


def regrade(root: Path, *, force: bool) -> None:
    grade_class(load_course(root), jobs=2, force=force)


def left_behind(course: Course) -> dict[str, object]:
    """Return all that grading leaves: every row, every report, every autograded notebook."""
    return {
        "rows": dump(course.root / "gradebook.db"),
        "reports": reports(course),
        **files(course, "autograded"),
    }


def alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    return [one for one in processes if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]


def test_a_grader_killed_at_random_moments_ends_as_if_it_had_not_been(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    undisturbed = fill(open_course(tmp_path / "undisturbed"))
    begun = time.monotonic()
    regrade(undisturbed.root, force=False)
    whole = time.monotonic() - begun
    course = fill(open_course(tmp_path / "course"))
    moment = random.Random(4)
    for number in range(request.config.getoption("--kills")):
        grader = FORK.Process(target=regrade, args=(course.root,), kwargs={"force": number % 2 == 1})
        grader.start()
        grader.join(moment.uniform(0, whole))
        family = psutil.Process(grader.pid).children(recursive=True) if grader.is_alive() else []
        grader.kill()
        grader.join()
        psutil.wait_procs(family, timeout=PATIENCE)
        assert alive(family) == []
    regrade(course.root, force=False)
    assert left_behind(course) == left_behind(undisturbed)


def test_control_c_stops_cleanly_and_the_next_run_goes_on(tmp_path: Path) -> None:
    course = fill(open_course(tmp_path / "course"))
    command = [str(Path(sys.executable).with_name("autograder")), "grade", "--jobs", "2"]
    grader = subprocess.Popen(
        command, cwd=course.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    assert grader.stdout is not None
    first = grader.stdout.readline()
    family = psutil.Process(grader.pid).children(recursive=True)
    os.killpg(grader.pid, signal.SIGINT)  # as a terminal does, to all of them
    out, err = grader.communicate(timeout=PATIENCE)
    assert grader.returncode == INTERRUPTED, out + err
    assert "the same command grades the rest" in err
    assert "Traceback" not in err
    psutil.wait_procs(family, timeout=PATIENCE)
    assert alive(family) == []
    student = first.split()[1].rstrip(":")
    done = grade_class(course)
    assert {line.student: line.graded for line in done.lines}[student] is False
    assert {line.status for line in done.lines} == {"graded", "unreadable"}
