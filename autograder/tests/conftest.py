"""What the engine's tests share: a small made-up course, and texts that are compared with golden ones."""

import gc
import os
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest
from sqlalchemy import Engine, event

from autograder.course.course import Course
from autograder.sandbox.zygote import Zygote
from autograder.tests.classroom import CONFIG, copy_small_course
from autograder.tests.nursery import ALONE, Nursery

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

    from autograder.tests.browser import Listener

HERE = Path(__file__).parent
SECONDS_TO_DRAW = 30
PATIENCE = 600.0  # seconds by the clock that tests leave a worker to use up the seconds that it may compute
collect_ignore = ["small_course", "hostile/files", "golden"]  # material, not tests
collect_ignore_glob = ["subjects/*/solutions"]
Family = Callable[[], set[psutil.Process]]
# The lanes of tests: `make test` leaves out the SLOW files, `make test-slow` runs only them, and `make quick`
# leaves out both lists. A file that is not listed belongs to `make quick` and `make test`. Each list begins
# with the file that takes longest: it starts first, so that no process waits for another one at the end.
SLOW = [
    "term",
    "hostile/test_hostile_tiers.py",
    "plugins/test_cluster.py",
    "grading/test_true_sentences.py",
    "authoring/test_jupyter.py",
    "authoring/test_held_out.py",
    "publishing/test_feedback_browser.py",
    "gradebook/test_hub.py",
    "watching",
    "batch/test_interruption.py",
    "batch/test_pool.py",
    "grading/test_scratch_cells.py",
    "grading/test_marking.py",
    "gradebook/test_formgrader_browser.py",
    "gradebook/test_question_browser.py",
    "test_wheel.py",
    "plugins/test_bench.py",
    "batch/test_busy.py",
    "test_pictures.py",
    "test_screens.py",
    "authoring/test_interrupted_proof.py",
    "authoring/test_in_kernel.py",
    "test_packages.py",
    "gradebook/test_autograde.py",
    "gradescope/test_run.py",
    "batch/test_two_graders.py",
    "gradebook/test_postgres.py",
    "plugins/test_removal.py",
]
LONG = [
    "hostile",
    "authoring/test_answers.py",
    "../../solutions/test_course.py",  # for its place alone: `make quick` does not ask for it
    "plugins/test_viva.py",
    "course/test_kit.py",
    "authoring/test_imported_courses.py",
    "subjects",
    "diagnosis/test_repairs.py",
    "grading/test_known_results.py",
    "gradebook/test_answers.py",
    "gradebook/test_grades.py",
    "sandbox/test_zygote.py",
    "authoring/test_verify.py",
    "test_demo.py",
    "test_end_to_end.py",
    "publishing/test_feedback.py",
    "gradebook/test_formgrader.py",
    "gradebook/test_written_answers.py",
    "gradebook/test_question_page.py",
    "batch/test_attempt_selection.py",
    "batch/test_explain.py",
    "batch/test_attempts.py",
    "batch/test_run.py",
    "batch/test_suite_check.py",
    "submission/test_alterations.py",
    "gradebook/test_ledger.py",
    "batch/test_odd_files.py",
    "batch/test_grade.py",
    "gradebook/test_assignment.py",
    "gradebook/test_config.py",
    "authoring/test_new_course.py",
    "authoring/test_red_check.py",
    "grading/test_states.py",
    "sandbox/test_process.py",
    "grading/test_grader.py",
    "worker/test_protocol.py",
    "authoring/test_solutions.py",
    "authoring/test_costs.py",
    "authoring/test_release.py",
    "grading/test_diagnosis.py",
    "records/test_database.py",
]
_PLACES = {(HERE / name).resolve(strict=True): place for place, name in enumerate(SLOW + LONG)}
pytest.register_assert_rewrite("autograder.tests.hostile.attacks")


def pytest_addoption(parser: pytest.Parser) -> None:
    for lane, others in (("quick", "SLOW and LONG"), ("fast", "SLOW"), ("slow", "all but SLOW")):
        text = f"leave out {others}"
        parser.addoption(f"--{lane}", action="store_const", const=lane, dest="lane", help=text)
    parser.addoption("--update-golden", action="store_true", help="write what tests see to golden/")
    parser.addoption("--stress", type=int, default=30, help="how many submissions are graded in a row")
    parser.addoption("--busy", type=int, help="beside how many busy loops the whole course is graded")
    parser.addoption("--kills", type=int, default=4, help="how often a grader is killed before it may end")


def pytest_configure() -> None:
    """Take interrupts again, also where a shell has started the tests in the background and ignores them.

    Garbage is looked for as seldom as in the command line: torch's half a million objects are none.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.set_threshold(100_000)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Use a process more than there are cores: tests wait for others a third of their time."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest."""
    items.sort(key=lambda item: _place(item.path))


def _place(path: Path) -> int:
    """Return the position of a test file in SLOW and LONG together; files without a line come last."""
    return next((_PLACES[one] for one in (path, *path.parents) if one in _PLACES), len(_PLACES))


def pytest_collection_finish() -> None:
    """Leave what is imported by now out of every later look for garbage, here and in what is forked."""
    gc.freeze()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the other lanes' files where a lane is asked for."""
    lane, place = config.getoption("lane"), _place(collection_path)
    chosen = {"quick": place == len(_PLACES), "fast": place >= len(SLOW), "slow": place < len(SLOW)}
    return True if collection_path.is_file() and not chosen.get(lane, True) else None


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name bytes by their kind: they may hold the time, and all processes must find the same names."""
    return "bytes" if isinstance(val, bytes) else None


@pytest.fixture(scope="session", autouse=True)
def trusted_suites() -> Iterator[None]:
    """Trust hidden tests without a run on the solution, which executors of tests could not grade."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("autograder.batch.grade.suite_problem", lambda *_: "")
        yield


@pytest.fixture(scope="session", autouse=True)
def nursery() -> Iterator[Nursery]:
    """Fork zygotes and marking processes, where each would import torch.

    What else runs in pytest's process only waits to read, and holds no locks.
    """
    warm = Nursery()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("autograder.sandbox.launch.launch_zygote", warm.launch)
        patch.setattr("autograder.grading.marking.may_fork", warm.is_ready)
        yield warm
    warm.close()


@pytest.fixture(scope="session", autouse=True)
def patient_graders() -> Iterator[None]:
    """Let workers on a busy machine have their seconds of processor time, however long that takes.

    A grader gives up after ten times as many seconds by the clock. Tests of this limit set it themselves.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("autograder.sandbox.process.LEAST_PATIENCE", PATIENCE)
        yield


@pytest.fixture(scope="session", autouse=True)
def databases_without_disk() -> None:
    """Let SQLite leave it to the system when to write: tests kill processes, but they cut off no power."""

    def leave_to_the_system(connection: object, _: object) -> None:
        if isinstance(connection, sqlite3.Connection):
            connection.execute("PRAGMA synchronous = OFF")

    event.listen(Engine, "connect", leave_to_the_system)


@pytest.fixture(scope="module")
def family(nursery: Nursery) -> Family:
    """Return what tells the processes below ours; whatever the nursery needs for itself runs by now."""
    nursery.is_ready()
    return lambda: set(psutil.Process().children(recursive=True))


@pytest.fixture(scope="module")
def born_alone() -> Iterator[None]:
    """Start each zygote as graders do, in tests that are about how it starts and ends."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("autograder.sandbox.launch.launch_zygote", ALONE)
        yield


@pytest.fixture(scope="module")
def listener() -> Iterator["Listener"]:
    """Return a server that no page should call."""
    from autograder.tests.browser import Listener

    with Listener() as listener:
        yield listener
        listener.shutdown()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory, listener: "Listener") -> Iterator["BrowserContext"]:
    """Return a browser in which no page calls anybody but the listener."""
    from autograder.tests.browser import opened

    with opened(tmp_path_factory.mktemp("profile"), listener) as browser:
        yield browser


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """Return a copy of the small course, to build, grade and spoil at will."""
    return copy_small_course(tmp_path / "course")


@pytest.fixture(scope="session")
def blank_gradebook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an empty gradebook of the small course, to copy; nbgrader takes seconds to make one."""
    from nbgrader.api import Gradebook

    from autograder.gradebook import configuration

    course = copy_small_course(tmp_path_factory.mktemp("blank") / "course")
    configuration(course)
    Gradebook(f"sqlite:///{course.root}/gradebook.db", course.settings.course).close()
    return course.root / "gradebook.db"


@pytest.fixture
def ready(course: Course, blank_gradebook: Path) -> Course:
    """Return a copy of the small course with nbgrader's settings and an empty gradebook."""
    shutil.copy(CONFIG, course.root)
    shutil.copy(blank_gradebook, course.root)
    return course


@pytest.fixture(scope="session")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the small exercise as students get it: a folder to copy, not to change."""
    from autograder.authoring.release import release_notebooks

    course = copy_small_course(tmp_path_factory.mktemp("released") / "course")
    release_notebooks(course, course.chosen([]))
    return course.assignments / "01_small"


@pytest.fixture(scope="session")
def zygote() -> Iterator[Zygote]:
    """Return a warm zygote behind the walls that this machine has."""
    with Zygote() as zygote:
        yield zygote


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Return a function that expects a text to be that of golden/<name>, or writes it there when asked to."""

    def compare(name: str, text: str) -> None:
        path = HERE / "golden" / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return compare


@pytest.fixture
def golden_screen(request: pytest.FixtureRequest) -> Callable[[str, Callable[[], bytes]], None]:
    """Return a function that expects what is taken to look like golden/screens/<name>, or keeps it there.

    A busy browser may rest between two steps of drawing, so the picture is taken again until it is right.
    """
    from autograder.tests.screens import TOLERATED, difference, keep

    def compare(name: str, take: Callable[[], bytes]) -> None:
        path = HERE / "golden" / "screens" / name
        if request.config.getoption("--update-golden"):
            keep(path, take())
        deadline = time.monotonic() + SECONDS_TO_DRAW
        while (changed := difference(path.read_bytes(), take())) > TOLERATED:
            assert time.monotonic() < deadline, f"{changed:.1%} of {name} looks different now"
            time.sleep(0.5)

    return compare
