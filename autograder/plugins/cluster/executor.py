"""Grades on the machines of a Dask cluster, which get the course's files and the notebooks."""

import gc
import logging
import platform
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby, islice
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from autograder.batch.pool import Done, ProcessPool, Task
from autograder.course.course import Course, course_files, load_course
from autograder.course.packages import DEFAULT, versions
from autograder.errors import AutograderError
from autograder.files import write_whole
from autograder.grading.graded import Graded
from autograder.grading.marking import MarkingProcess
from autograder.sandbox.errors import WallError
from autograder.submission.digest import engine
from autograder.submission.notebook import MAX_BYTES, Notebook

if TYPE_CHECKING:
    from distributed import Client, Future

_LOG = logging.getLogger(__name__)
CONNECT_SECONDS = 10
PATIENCE_SECONDS = 60.0  # seconds to wait for a Dask worker or for a result
_QUEUED = 256  # at most this many submissions are in the scheduler's memory
# The versions of Python, the engine and the packages. Machines with the same versions give the same grades.
VERSIONS = f"{'.'.join(platform.python_version_tuple()[:2])} {engine(tuple(versions(DEFAULT).items()))}"
HOW_TO_MATCH = (
    "on the worker, install the same versions of Python, torch and autograder (see `constraints.txt`)"
)


class ClusterError(AutograderError):
    """The cluster cannot be reached, or it has other versions of Python, torch or the autograder."""


@dataclass(frozen=True, slots=True)
class Order:
    """An exercise, the versions that a worker must have, and the course's folder on the sending machine."""

    versions: str
    exercise: str
    root: str
    unsafe: bool
    marks_only: bool = False


class Cluster:
    """Grades on the Dask workers of the scheduler at `address`; use it in a `with` block.

    Submissions that need another attempt are graded on this machine.
    """

    def __init__(self, course: Course, address: str, *, unsafe: bool = False) -> None:
        self._course = course
        self._client = _connected(address)
        self._unsafe = unsafe
        self._here = ProcessPool(course, 1, unsafe=unsafe)

    def map(self, tasks: Iterable[Task], *, marks_only: bool = False) -> Iterator[Done]:
        """Yield the graded submissions, one exercise after another."""
        left: list[Task] = []
        for exercise, group in groupby(tasks, key=lambda task: task.submission.exercise):
            yield from self._graded(exercise, group, left, marks_only)
        if left:
            _LOG.warning(
                "%d submissions failed on the Dask workers and are graded on this machine", len(left)
            )
        yield from self._here.map(left, marks_only=marks_only)

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        self._here.__exit__(kind, *error)
        self._client.close()  # the scheduler then drops the remaining tasks

    def _graded(
        self, exercise: str, tasks: Iterator[Task], left: list[Task], marks_only: bool
    ) -> Iterator[Done]:
        """Yield the results of the Dask workers, and append to `left` the tasks that need another attempt."""
        order = Order(VERSIONS, exercise, str(self._course.root), self._unsafe, marks_only)
        # The files are the result of a task. If the Dask worker that stores them dies, Dask repeats the task.
        files: Future[dict[str, bytes]] = self._client.submit(
            dict, course_files(self._course, [self._course.exercises[exercise]])
        )
        done: SimpleQueue[Future[str]] = SimpleQueue()
        sent: dict[Future[str], Task] = {}
        while True:
            for task in islice(tasks, _QUEUED - len(sent)):
                content, problem = task.notebook.content, task.notebook.problem
                if len(content) > MAX_BYTES:
                    content = bytes(MAX_BYTES + 1)  # refused for its length, too, but compresses well
                packed = zlib.compress(content)
                future = self._client.submit(
                    grade_there, order, files, packed, problem, task.asked, pure=False
                )
                sent[future] = task
                future.add_done_callback(done.put)
            if not sent:
                return
            ended = self._next(done)
            if ended is None:
                left.extend([*sent.values(), *tasks])
                return
            task = sent.pop(ended)
            if (graded := _received(ended)) is not None and not graded.again:
                yield task.submission, task.notebook, graded
            else:
                left.append(task)

    def _next(self, done: "SimpleQueue[Future[str]]") -> "Future[str] | None":
        """Wait for a task to end, and return it. Return None if all Dask workers are gone."""
        while True:
            try:
                return done.get(timeout=PATIENCE_SECONDS)
            except Empty:
                with suppress(OSError):
                    if self._client.nthreads():
                        continue
                return None


def _connected(address: str) -> "Client":
    """Return a client of the scheduler at `address`, as soon as the scheduler has a worker."""
    try:
        from distributed import Client
    except ImportError:
        raise ClusterError(
            "grading on a cluster needs Dask; install it: pip install -c constraints.txt -e '.[cluster]'"
        ) from None
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # ClusterError has clearer messages
    client = None
    with suppress(OSError, ValueError):
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    if client is None:
        gc.collect()  # deletes the failed client now: a later deletion could block the next client for ever
        raise ClusterError(
            f"no Dask scheduler answers at {address}; start one, and use the address that it prints: "
            "dask scheduler"
        )
    try:
        client.wait_for_workers(1, timeout=PATIENCE_SECONDS)
    except TimeoutError:
        client.close()
        raise ClusterError(
            f"the Dask scheduler at {address} has no worker; start one: dask worker {address} --nthreads 1"
        ) from None
    return client


def _received(future: "Future[str]") -> Graded | None:
    """Return a task's result, or None if the task failed."""
    try:
        return Graded.from_json(future.result(timeout=PATIENCE_SECONDS))
    except (WallError, ClusterError):
        raise
    except (AttributeError, ImportError, TypeError) as error:  # the worker cannot unpickle the task
        raise ClusterError(
            f"on a Dask worker, autograder is missing or has another version ({error}); {HOW_TO_MATCH}"
        ) from None
    except Exception:
        _LOG.debug("%s: not graded on the cluster", future.key, exc_info=True)
        return None


def grade_there(
    order: Order, files: Mapping[str, bytes], packed: bytes, problem: str, asked: Sequence[str] = ()
) -> str:
    """Grade a notebook on a Dask worker, and return the result as JSON.

    `packed` is the compressed notebook. If the file could not be read, `problem` gives the reason. If `asked`
    is not empty, only these questions are graded.
    """
    from distributed import get_worker

    dask = get_worker()
    notebook = Notebook(zlib.decompress(packed), problem)
    try:
        graded = _THREAD.submit(_grade, order, files, notebook, asked, dask.local_directory).result()
        return graded.to_json()
    except (WallError, ClusterError) as error:
        raise type(error)(f"Dask worker {dask.address}: {error}") from None


class _ExerciseGrader:
    """Grades submissions of one exercise, with the exercise's files in a temporary folder."""

    def __init__(self, order: Order, files: Mapping[str, bytes], folder: str) -> None:
        self.job = order, files
        self._root = order.root
        self._folder = TemporaryDirectory(prefix="autograder-", dir=folder, ignore_cleanup_errors=True)
        for name, content in files.items():
            write_whole(Path(self._folder.name, name), content)
        course = load_course(Path(self._folder.name))
        self._exercise = course.exercises[order.exercise]
        self._grader = MarkingProcess(course, unsafe=order.unsafe)

    def grade(self, notebook: Notebook, asked: Sequence[str]) -> Graded:
        """Grade a notebook. In messages, replace the temporary folder by the course's folder."""
        graded = self._grader.attempt(
            self._exercise, notebook, marks_only=self.job[0].marks_only, asked=asked
        )
        local = self._folder.name
        problem, traceback = (text.replace(local, self._root) for text in (graded.problem, graded.traceback))
        return replace(graded, problem=problem, traceback=traceback)

    def close(self) -> None:
        """End the grader's processes and delete the folder."""
        self._grader.close()
        self._folder.cleanup()


# A `MarkingProcess` ends with the thread that started it. Dask's threads may end at any time, so this thread
# does all the grading.
_THREAD = ThreadPoolExecutor(1, "autograder")
_GRADER: list[_ExerciseGrader] = []  # the current grader, if any; Dask deletes the folder in the end


def _grade(
    order: Order, files: Mapping[str, bytes], notebook: Notebook, asked: Sequence[str], folder: str
) -> Graded:
    if not _GRADER or _GRADER[0].job != (order, files):
        if order.versions != VERSIONS:
            problem = "a worker has other versions of autograder, torch or Python than the scheduling machine"
            raise ClusterError(f"{problem}; {HOW_TO_MATCH}")
        while _GRADER:
            _GRADER.pop().close()
        _GRADER.append(_ExerciseGrader(order, files, folder))
    return _GRADER[0].grade(notebook, asked)
