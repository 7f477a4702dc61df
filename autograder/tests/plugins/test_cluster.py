"""Grading on a Dask cluster: the same to the byte, whoever dies, and only behind the walls."""

import os
import shutil
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner
from distributed import Client, LocalCluster, Scheduler

from autograder.authoring.release import build_missing
from autograder.batch.pool import Done, Executor, Task
from autograder.cli import main
from autograder.course.course import Course, load_course
from autograder.plugins.cluster import executor as cluster
from autograder.plugins.cluster.executor import Cluster, ClusterError
from autograder.sandbox.errors import WallError
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import MAX_BYTES, read_notebook
from autograder.submission.submission import Submission
from autograder.tests.classroom import WRONG_SUMS, answered, hand_in, open_course, small, solved
from autograder.tests.gradebook.rows import reports
from autograder.tests.in_process import InProcess, grade_class

SLOW = "import time\ntime.sleep(0.3)\ndef double(x):\n    return 2 * x"


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    """Return a scheduler with a Dask worker, a process that keeps its files in a folder."""
    with one_worker(tmp_path_factory.mktemp("dask")) as dask:
        yield dask


@pytest.fixture
def mortal_dask(tmp_path: Path) -> Iterator[LocalCluster]:
    """Return another one for a test that kills it: a dead worker was once not there again after a minute."""
    with one_worker(tmp_path / "dask") as dask:
        yield dask


def one_worker(folder: Path) -> LocalCluster:
    return LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=":0", local_directory=str(folder)
    )


def scheduler(dask: LocalCluster) -> Scheduler:
    assert isinstance(dask.scheduler, Scheduler)
    return dask.scheduler


@pytest.fixture(scope="module")
def term(tmp_path_factory: pytest.TempPathFactory, blank_gradebook: Path) -> Course:
    """Return one course for several tests: Dask workers keep its grader, which takes seconds to start."""
    course = open_course(tmp_path_factory.mktemp("term") / "course")
    shutil.copy(blank_gradebook, course.root)
    return course


@pytest.fixture
def slow_class(term: Course) -> list[Submission]:
    """Return some submissions that take a while."""
    wrong = {"row_sums": WRONG_SUMS}
    made = [solved(small(term), double=SLOW, **(wrong if number % 2 else {})) for number in range(3)]
    return [hand_in(term, f"student{number}", notebook) for number, notebook in enumerate(made)]


class Here(InProcess):
    """Stands in the place of the marking process of this machine, and remembers what it has graded."""

    def __init__(self, course: Course, zygote: Zygote) -> None:
        super().__init__(course, zygote)
        self.tasks: list[Task] = []

    def map(self, tasks: Iterable[Task], *, marks_only: bool = False) -> Iterator[Done]:
        self.tasks = list(tasks)
        return super().map(self.tasks)

    def __exit__(self, *error: object) -> None:
        """Nothing was started here."""


@pytest.fixture
def here(term: Course, zygote: Zygote, monkeypatch: pytest.MonkeyPatch) -> Here:
    here = Here(term, zygote)
    monkeypatch.setattr(cluster, "ProcessPool", lambda *_, **__: here)
    return here


def until(true: Callable[[], bool], seconds: float = 30) -> bool:
    """Wait for something to become true."""
    end = time.monotonic() + seconds
    while not (done := true()) and time.monotonic() < end:
        time.sleep(0.05)
    return done


def kept(course: Course) -> tuple[object, ...]:
    """Return all that grading has written: reports and autograded notebooks."""
    files = (path for path in (course.root / "autograded").rglob("*") if path.is_file())
    return reports(course), {path: path.read_bytes() for path in files}


def tasks(submissions: Sequence[Submission]) -> list[Task]:
    return [Task(submission, read_notebook(submission.notebook)) for submission in submissions]


def results(executor: Executor, submissions: Sequence[Submission]) -> dict[str, str]:
    return {one.student: graded.to_json() for one, _, graded in executor.map(tasks(submissions))}


def hand_in_all_kinds(course: Course) -> None:
    """Hand in right and wrong answers, a file that is too large, and a path that is no file."""
    hand_in(course, "ann", solved(small(course)))
    hand_in(course, "ben", solved(small(course), row_sums=WRONG_SUMS))
    hand_in(course, "cleo", "no notebook")
    hand_in(course, "dan", answered(small(course), double="import os\nos._exit(0)"))
    hand_in(course, "large", bytes(MAX_BYTES + 1))
    hand_in(course, "pipe", "").notebook.unlink()
    os.mkfifo(Submission(course.root, "pipe", "01_small").notebook)


def test_walls_that_do_not_stand_there_stop_everything(course: Course, dask: LocalCluster) -> None:
    text = (course.root / "course.yaml").read_text(encoding="utf-8")
    (course.root / "course.yaml").write_text(text.replace("walls: bare", "walls: full"), encoding="utf-8")
    course = load_course(course.root)
    submission = hand_in(course, "ann", solved(small(course)))
    with Client(dask.scheduler_address, set_as_default=False) as client:
        client.run(exec, "import os; os.environ['PATH'] = ''")  # no bubblewrap is found
        try:
            with Cluster(course, dask.scheduler_address) as executor, pytest.raises(WallError) as caught:
                results(executor, [submission])
            with Cluster(course, dask.scheduler_address, unsafe=True) as executor:
                ((_, _, graded),) = executor.map(tasks([submission]))
        finally:
            client.run(exec, f"import os; os.environ['PATH'] = {os.environ['PATH']!r}")
    assert str(caught.value).startswith("Dask worker tcp://")
    assert "course.yaml demands `walls: full`, but this machine does not offer: namespaces" in str(
        caught.value
    )
    assert "unsafe" in graded.report.sandbox


def test_a_dask_worker_of_another_version_is_refused_by_its_address(
    course: Course, dask: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = hand_in(course, "ann", solved(small(course)))
    monkeypatch.setattr(cluster, "VERSIONS", "3.10 another engine")
    with (
        Cluster(course, dask.scheduler_address) as executor,
        pytest.raises(
            ClusterError,
            match=r"^Dask worker tcp://\S+: a worker has other versions of autograder, torch or Python than",
        ),
    ):
        results(executor, [submission])


def test_the_command_comes_to_what_is_graded_here(term: Course, dask: LocalCluster, zygote: Zygote) -> None:
    hand_in_all_kinds(term)
    build_missing(term, [small(term)])
    grade_class(term, InProcess(term, zygote))
    here, words = kept(term), ["cluster", dask.scheduler_address, "01_small", "--force"]
    done = CliRunner().invoke(main, ["--course", str(term.root), *words])
    assert done.exit_code == 0, done.output
    assert kept(term) == here
    assert len(reports(term)) == 6


@pytest.mark.parametrize(("failures", "graded_here"), [(3, False), (0, True)])
def test_a_dask_worker_that_dies_costs_no_result(
    term: Course,
    slow_class: list[Submission],
    mortal_dask: LocalCluster,
    here: Here,
    zygote: Zygote,
    monkeypatch: pytest.MonkeyPatch,
    failures: int,
    graded_here: bool,
) -> None:
    """Dask starts it again, and then sends it the course's files and all that may fail once more."""
    monkeypatch.setattr(scheduler(mortal_dask), "allowed_failures", failures)
    assert until(lambda: bool(scheduler(mortal_dask).workers))
    with Cluster(term, mortal_dask.scheduler_address) as executor:
        there = executor.map(tasks(slow_class))
        first, _, graded = next(there)
        gone = kill_a_busy_one(mortal_dask)
        seen = {first.student: graded.to_json(), **{one.student: done.to_json() for one, _, done in there}}
    assert bool(here.tasks) is graded_here
    assert not psutil.wait_procs(gone, timeout=30)[1]
    assert seen == results(InProcess(term, zygote), slow_class)


def kill_a_busy_one(dask: LocalCluster) -> list[psutil.Process]:
    """Kill a Dask worker that is grading, and return it and all that it had started."""
    busy = [state.address for state in scheduler(dask).workers.values() if state.processing]
    pid = next(nanny.pid for nanny in dask.workers.values() if nanny.worker_address in busy)
    gone = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    assert len(gone) > 1  # it has a marking process
    os.kill(pid, signal.SIGKILL)
    return gone


def test_who_stops_leaves_no_task_to_the_cluster_and_a_cluster_that_ends_nothing_at_all(
    term: Course, slow_class: list[Submission], mortal_dask: LocalCluster
) -> None:
    with pytest.raises(KeyboardInterrupt), Cluster(term, mortal_dask.scheduler_address) as executor:
        stop_at_the_first(executor.map(tasks(slow_class)), mortal_dask)
    assert until(lambda: not scheduler(mortal_dask).tasks)
    begun = [psutil.Process(nanny.pid) for nanny in mortal_dask.workers.values()]
    begun += [child for process in begun for child in process.children(recursive=True)]
    folder = Path(next(iter(mortal_dask.workers.values())).local_directory)
    assert len(begun) > 2
    assert list(folder.rglob("autograder-*"))
    mortal_dask.close()
    assert not psutil.wait_procs(begun, timeout=30)[1]
    assert not list(folder.rglob("autograder-*"))


def stop_at_the_first(done: Iterator[Done], dask: LocalCluster) -> None:
    for _ in done:
        assert len(scheduler(dask).tasks) > 2
        raise KeyboardInterrupt


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nowhere"])
def test_an_address_where_nobody_answers_is_reported_in_one_line(
    course: Course, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    with pytest.raises(ClusterError, match=f"^no Dask scheduler answers at {address}; start one"):
        Cluster(course, address)
