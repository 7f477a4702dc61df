"""The zygote, its workers and the walls around them, on this very machine."""

import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast

import psutil
import pytest

from autograder.course.settings import Limits, Tier
from autograder.sandbox import bubblewrap
from autograder.sandbox.errors import WallError, ZygoteError
from autograder.sandbox.launch import launch_zygote
from autograder.sandbox.process import DiedError, Worker
from autograder.sandbox.zygote import Zygote, probe_walls
from autograder.tests.sandbox.processes import descendants, gone

# Zygotes that load no package start in a moment, and neither start nor end in another way.
FORK = multiprocessing.get_context("fork")
LIMITS = Limits(cell_seconds=2, call_seconds=1, memory_mb=256)
GRADER = """
from autograder.course.settings import Limits
from autograder.sandbox.zygote import Zygote
zygote = Zygote(packages=(), outer=False)
worker = zygote.fork(Limits())
reply, _ = worker.ask({"op": "cell", "number": 0, "code": "import os; print(os.getcwd())"}, [], 60)
print(reply["outputs"][0]["text"].strip(), flush=True)
worker.ask({"op": "cell", "number": 0, "code": "while True: pass"}, [], 600)
"""
LAUNCHED = f"""
import os, sys
from autograder.sandbox.launch import launch_zygote
launched = launch_zygote((), outer={bubblewrap.program() is not None})
assert "torch" not in sys.modules
print(launched.process.pid, flush=True)
os._exit(0)
"""


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    with Zygote(packages=()) as zygote:
        yield zygote


@pytest.fixture
def worker(zygote: Zygote) -> Iterator[Worker]:
    worker = zygote.fork(LIMITS)
    yield worker
    worker.close()


def run(worker: Worker, code: str, seconds: float = 10) -> str:
    """Run a cell and return what it printed, or its error."""
    reply, _ = worker.ask({"op": "cell", "number": 1, "code": code}, [], seconds)
    if reply["error"]:
        return f"{reply['error']['type']}: {reply['error']['message']}"
    return "".join(output["text"] for output in reply["outputs"])


def test_every_wall_stands(zygote: Zygote) -> None:
    assert bubblewrap.program(), "install bubblewrap: the tests are about its wall too"
    assert zygote.walls == ("process", "rlimits", "landlock", "seccomp", "namespaces")
    assert zygote.tier is Tier.FULL
    assert not zygote.unsafe
    assert zygote.reported_walls == zygote.walls


def test_a_bubblewrap_that_may_not_build_its_wall_costs_that_wall_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bubblewrap, "program", lambda: "/bin/false")
    with Zygote(packages=()) as zygote:
        assert zygote.tier is Tier.CONTAINER


def test_fewer_walls_than_demanded_are_refused_unless_told_and_then_every_report_says_so() -> None:
    with pytest.raises(WallError, match="this machine does not offer: namespaces"):
        Zygote(Tier.FULL, (), outer=False)
    with Zygote(Tier.FULL, (), outer=False, unsafe=True) as zygote:
        assert zygote.unsafe
        assert zygote.walls == ("process", "rlimits", "landlock", "seccomp")
        assert zygote.reported_walls == (*zygote.walls, "unsafe")


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import os; os._exit(7)", "the process ended itself (exit code 7)"),
        ("import ctypes; ctypes.memset(0, 1, 1)", "the process ended with a segmentation fault"),
        ("import os, time; os.closerange(3, 64); time.sleep(60)", "it closed its connection to the grader"),
    ],
)
def test_a_worker_that_dies_says_how(worker: Worker, code: str, reason: str) -> None:
    with pytest.raises(DiedError) as died:
        run(worker, code)
    assert died.value.reason == reason


def test_nothing_of_the_grader_is_in_the_workers_environment(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_GRADER", "1")
    names = run(worker, "import os; print(sorted(os.environ))")
    assert "SECRET" not in names
    assert str(Path.home()) not in run(worker, "import os; print(dict(os.environ))")


def test_the_worker_holds_no_descriptor_but_its_own(worker: Worker) -> None:
    code = "import os\nfor d in range(64):\n    try: os.fstat(d); print(d)\n    except OSError: pass"
    assert len(run(worker, code).split()) <= 4


def test_a_worker_neither_lists_nor_guesses_the_folder_of_another(zygote: Zygote, worker: Worker) -> None:
    other = zygote.fork(LIMITS)
    name = Path(run(other, "import os; open('left', 'w').close(); print(os.getcwd())").strip()).name
    try:
        listed = "import os\ntry: print(os.listdir('..'))\nexcept OSError: print('refused')"
        assert run(worker, listed).strip() == ("refused" if "landlock" in zygote.walls else f"['{name}']")
        numbers = "import os\nprint(sum(os.path.exists(f'../{number}') for number in range(1 << 16)))"
        assert run(worker, numbers).strip() == "0"
        assert len(name) == 32
    finally:
        other.close()


def test_matplotlib_is_loaded_on_request_and_a_worker_can_load_it_behind_its_walls(zygote: Zygote) -> None:
    is_loaded = "import sys; print('matplotlib.pyplot' in sys.modules)"
    zygote.load_figures()  # does nothing: this course has no matplotlib
    with Zygote(packages=("matplotlib",)) as drawing:
        early = drawing.fork(LIMITS)
        drawing.load_figures()
        drawing.load_figures()
        workers = [zygote.fork(LIMITS), early, drawing.fork(LIMITS)]
        assert [run(worker, is_loaded) for worker in workers] == ["False\n", "False\n", "True\n"]
        assert run(early, "import matplotlib.pyplot as plt; print(len(plt.plot([1, 2])))") == "1\n"
        for worker in workers:
            worker.close()


def test_a_zygote_that_was_killed_is_our_failure_and_the_next_one_removes_what_it_left() -> None:
    place = "import os; open('left', 'w').close(); print(os.getcwd())"
    with Zygote(packages=(), outer=False) as alive:
        worker = alive.fork(LIMITS)
        used = Path(run(worker, place).strip()).parent
        dead = Zygote(packages=(), outer=False)
        lost = dead.fork(LIMITS)
        left = Path(run(lost, place).strip()).parent
        os.killpg(dead.process_id, signal.SIGKILL)
        for asked in (lost.close, dead.make_optimizer, lambda: dead.fork(LIMITS)):
            with pytest.raises(ZygoteError):
                asked()
        dead.close()
        assert left.is_dir()
        launched = launch_zygote((), outer=False)
        with Zygote(launched=launched) as following:
            assert following.process_id == launched.process.pid
        assert launched.process.returncode is not None
        assert not left.exists()
        assert (used / "matplotlib").is_dir()
        worker.close()


def test_a_grader_that_is_killed_leaves_no_process_and_no_folder() -> None:
    with subprocess.Popen([sys.executable, "-c", GRADER], stdout=subprocess.PIPE, text=True) as grader:
        assert grader.stdout is not None
        folder = Path(grader.stdout.readline().strip()).parent
        family = descendants(grader.pid)
        assert len(family) >= 2
        assert folder.is_dir()
        grader.kill()
    assert gone(family)
    assert not folder.exists()


def test_a_zygote_that_nobody_takes_ends_with_its_grader() -> None:
    command = [sys.executable, "-c", LAUNCHED]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    with suppress(psutil.NoSuchProcess):
        psutil.Process(int(done.stdout)).wait(timeout=60)


def test_a_grader_killed_while_the_walls_are_raised_leaves_nothing_behind() -> None:
    """Bubblewrap itself leaves a process about once in sixty."""
    moment = random.Random(1)
    sessions = [_killed_after(moment.uniform(0, 0.06)) for _ in range(12)]
    end = time.monotonic() + 60
    while (left := _in_sessions(sessions)) and time.monotonic() < end:
        time.sleep(0.1)
    assert left == []


def _killed_after(seconds: float) -> int:
    """Kill a grader that has begun a zygote, and return the zygote's session."""
    ours, theirs = FORK.Pipe()
    grader = FORK.Process(target=_begin, args=(theirs,))
    grader.start()
    session: int = ours.recv()
    time.sleep(seconds)
    grader.kill()
    grader.join()
    return session


def _begin(channel: Connection) -> None:
    launched = launch_zygote((), outer=bubblewrap.program() is not None)
    channel.send(launched.process.pid)
    time.sleep(60)


def _in_sessions(sessions: list[int]) -> list[int]:
    found = []
    for pid in psutil.pids():
        with suppress(OSError):
            if os.getsid(pid) in sessions:
                found.append(pid)
    return found


HELD = {"rlimits": True, "landlock": False, "seccomp": True, "namespaces": False}


class Forks:
    """Forks no worker, but answers in one's place with what `run` makes of the code."""

    def __init__(self, run: Callable[[str], str]) -> None:
        self.run, self.closed = run, False

    def fork_with(self, _: int, __: int) -> Worker:
        return cast(Worker, self)

    def ask(self, header: dict[str, Any], *_: object) -> tuple[dict[str, Any], Any]:
        return {"outputs": [{"text": self.run(header["code"])}]}, []

    def close(self) -> None:
        self.closed = True


def test_without_any_wall_nothing_is_refused_and_only_the_process_stands(tmp_path: Path) -> None:
    (folder := tmp_path / "scratch").mkdir()

    def run(code: str) -> str:
        return subprocess.check_output([sys.executable, "-c", code], cwd=folder, text=True)

    assert probe_walls(Forks(run).fork_with) == ("process",)


def test_walls_that_did_not_hold_are_not_named_and_after_nonsense_the_worker_is_closed() -> None:
    assert probe_walls(Forks(lambda _: json.dumps(HELD)).fork_with) == ("process", "rlimits", "seccomp")
    forks = Forks(lambda _: "nonsense")
    with pytest.raises(ValueError, match="Expecting value"):
        probe_walls(forks.fork_with)
    assert forks.closed
