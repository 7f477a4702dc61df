"""Grades on the machines of a Dask cluster: notebooks go there as bytes, and results come back as text."""

import gc
import logging
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from io import BytesIO
from itertools import groupby, islice
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from autograder.batch.pool import Done, ProcessPool, Task
from autograder.course.course import Course, course_files
from autograder.grading.graded import Graded
from autograder.plugins.cluster.dask_worker import (
    HOW_TO_MATCH,
    VERSIONS,
    Answer,
    ClusterError,
    Order,
    grade_there,
)
from autograder.sandbox.errors import WallError
from autograder.submission.notebook import MAX_BYTES, Notebook

if TYPE_CHECKING:
    from distributed import Client, Future

_LOG = logging.getLogger(__name__)
CONNECT_SECONDS = 10
PATIENCE_SECONDS = 60.0  # without any Dask worker
_QUEUED = 256  # submissions at the scheduler at a time: it holds them in memory


class Cluster:
    """Grades on the Dask workers of the scheduler at `address`; use it in a `with` block.

    What no Dask worker grades without a failure, another attempt at which may succeed, is graded here.
    """

    def __init__(self, course: Course, address: str, *, unsafe: bool = False) -> None:
        self._course = course
        self._client = _connected(address)
        self._unsafe = unsafe
        self._here = ProcessPool(course, 1, unsafe=unsafe)

    def map(self, tasks: Iterable[Task]) -> Iterator[Done]:
        """Grade on the Dask workers, one exercise after another."""
        left: list[Task] = []
        for exercise, group in groupby(tasks, key=lambda task: task[0].exercise):
            yield from self._graded(exercise, group, left)
        if left:
            _LOG.warning("%d submissions that no Dask worker has graded are graded here", len(left))
        yield from self._here.map(left)

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        self._here.__exit__(kind, *error)
        self._client.close()  # the scheduler drops the tasks that nobody waits for any more

    def _graded(self, exercise: str, tasks: Iterator[Task], left: list[Task]) -> Iterator[Done]:
        """Yield what the Dask workers grade, and append to `left` what needs another attempt."""
        order = Order(VERSIONS, exercise, str(self._course.root), self._unsafe, self._course.marks_only)
        # A task of its own: should the Dask worker that holds the files die, they are sent again.
        files = self._client.submit(bytes, _zipped(self._course, exercise))
        done: SimpleQueue[Future[Answer]] = SimpleQueue()
        sent: dict[Future[Answer], Task] = {}
        while True:
            for task in islice(tasks, _QUEUED - len(sent)):
                arguments = (order, files, _compressed(task[1]), task[1].problem)
                future = self._client.submit(grade_there, *arguments, pure=False)
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
                yield *task, graded
            else:
                left.append(task)

    def _next(self, done: "SimpleQueue[Future[Answer]]") -> "Future[Answer] | None":
        """Wait for a task to end; return None if no Dask worker is left to work on any."""
        while True:
            try:
                return done.get(timeout=PATIENCE_SECONDS)
            except Empty:
                with suppress(OSError):
                    if self._client.nthreads():
                        continue
                return None


def _connected(address: str) -> "Client":
    """Return a client of the scheduler at `address`, once that has a worker."""
    try:
        from distributed import Client
    except ImportError:
        raise ClusterError(
            "grading on a cluster needs Dask; install it: pip install -c constraints.txt -e '.[cluster]'"
        ) from None
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # our own errors say what goes wrong
    client = None
    with suppress(OSError, ValueError):
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    if client is None:
        gc.collect()  # now, since a failed client that is collected later can block another one for ever
        raise ClusterError(
            f"no Dask scheduler answers at {address}; start one, which says its address: dask scheduler"
        )
    try:
        client.wait_for_workers(1, timeout=PATIENCE_SECONDS)
    except TimeoutError:
        client.close()
        raise ClusterError(
            f"the Dask scheduler at {address} has no worker; start some: dask worker {address} --nthreads 1"
        ) from None
    return client


def _received(future: "Future[Answer]") -> Graded | None:
    """Return what came back, or None where Dask gave the task up."""
    try:
        kind, text = future.result(timeout=PATIENCE_SECONDS)
    except (AttributeError, ImportError, TypeError) as error:  # the worker does not know what it was sent
        raise ClusterError(
            f"a Dask worker has another autograder or none ({error}); {HOW_TO_MATCH}"
        ) from None
    except Exception:
        _LOG.debug("%s: not graded on the cluster", future.key, exc_info=True)
        return None
    if kind == "walls":
        raise WallError(text)
    if kind == "versions":
        raise ClusterError(text)
    return Graded.from_json(text)


def _compressed(notebook: Notebook) -> bytes:
    """Compress a notebook; for one over the limit, refused for its size alone, as many zeros will do."""
    small = len(notebook.content) <= MAX_BYTES
    return zlib.compress(notebook.content if small else bytes(MAX_BYTES + 1))


def _zipped(course: Course, exercise: str) -> bytes:
    """Return the files that grading an exercise needs, as a zip of the same bytes for the same files."""
    buffer = BytesIO()
    with ZipFile(buffer, "w") as archive:
        for name, content in course_files(course, [course.exercises[exercise]]).items():
            archive.writestr(ZipInfo(name), content, ZIP_DEFLATED)
    return buffer.getvalue()
