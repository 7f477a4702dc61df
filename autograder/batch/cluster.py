"""Grades on the machines of a Dask cluster: notebooks go there as bytes, and what they came to comes back."""

import logging
import platform
import zlib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import groupby, islice
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from autograder.batch.executor import Done, InProcess, Task
from autograder.course.copy import course_files
from autograder.course.course import Course, load_course
from autograder.errors import AutograderError
from autograder.grading.graded import Graded
from autograder.grading.restarting import RestartingGrader
from autograder.sandbox.zygote import WallError
from autograder.submission.digest import engine
from autograder.submission.notebook import MAX_BYTES, Notebook

if TYPE_CHECKING:
    from distributed import Client, Future

_LOG = logging.getLogger(__name__)
_CONNECT_SECONDS = 10
_PATIENCE_SECONDS = 60.0  # without any Dask worker
_QUEUED = 256  # submissions at the scheduler at a time: it holds them in memory


class ClusterError(AutograderError):
    """There is no cluster to grade on, or one that would grade otherwise; the message says what to do."""


class Cluster:
    """Grades on the Dask workers of the scheduler at `address`; use it in a `with` block.

    What no Dask worker lives to grade is graded in this process.
    """

    def __init__(self, course: Course, address: str, *, unsafe: bool = False) -> None:
        self._course = course
        self._client = _connected(address)
        self._unsafe = unsafe
        self._in_process = InProcess(course, unsafe=unsafe)

    def map(self, tasks: Iterable[Task]) -> Iterator[Done]:
        """Grade on the Dask workers, one exercise after another."""
        left: list[Task] = []
        for exercise, group in groupby(tasks, key=lambda task: task[0].exercise):
            yield from self._graded(exercise, group, left)
        if left:
            _LOG.warning("%d submissions that no Dask worker has graded are graded here", len(left))
        yield from self._in_process.map(left)

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._in_process.__exit__(kind, error, trace)
        self._client.close()  # the scheduler drops what nobody waits for any more

    def _graded(self, exercise: str, tasks: Iterator[Task], left: list[Task]) -> Iterator[Done]:
        """Yield what the Dask workers grade; what they cannot is `left` for others."""
        order = _Order(_VERSIONS, exercise, str(self._course.root), self._unsafe)
        # A task of its own: should the Dask worker that holds the files die, they are sent again.
        files = self._client.submit(bytes, _packed(self._course, exercise))
        done: SimpleQueue[Future[_Answer]] = SimpleQueue()
        sent: dict[Future[_Answer], Task] = {}
        while True:
            for task in islice(tasks, _QUEUED - len(sent)):
                future = self._client.submit(_grade_there, order, files, _Packed.of(task[1]), pure=False)
                sent[future] = task
                future.add_done_callback(done.put)
            if not sent:
                return
            ended = self._next(done)
            if ended is None:
                left.extend([*sent.values(), *tasks])
                return
            task = sent.pop(ended)
            if (graded := _received(ended)) is not None:
                yield *task, graded
            else:
                left.append(task)

    def _next(self, done: "SimpleQueue[Future[_Answer]]") -> "Future[_Answer] | None":
        """Wait for a task to end; None where nobody is left to work on any."""
        while True:
            try:
                return done.get(timeout=_PATIENCE_SECONDS)
            except Empty:
                with suppress(OSError):
                    if self._client.nthreads():
                        continue
                return None


@dataclass(frozen=True, slots=True)
class _Packed:
    """A notebook on its way to another machine."""

    content: bytes
    problem: str

    @classmethod
    def of(cls, notebook: Notebook) -> "_Packed":
        """Pack a notebook; one that is too large is refused for its size alone, and zeros travel light."""
        content = notebook.content
        whole = content if len(content) <= MAX_BYTES else bytes(MAX_BYTES + 1)
        return cls(zlib.compress(whole), notebook.problem)

    def notebook(self) -> Notebook:
        """Return the notebook as it was read."""
        return Notebook(zlib.decompress(self.content), self.problem)


@dataclass(frozen=True, slots=True)
class _Order:
    """What to grade, by whom, and where the course lies for those who read of failures."""

    versions: str
    exercise: str
    root: str
    unsafe: bool


_Answer = tuple[str, str]  # "graded" and what it came to, or "walls" or "versions" and why it came to nothing


def _connected(address: str) -> "Client":
    """Return a client of the scheduler at `address` that has a worker."""
    try:
        from distributed import Client
    except ImportError:
        raise ClusterError(
            "grading on a cluster needs Dask; install it: pip install -c constraints.txt -e '.[cluster]'"
        ) from None
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # what goes wrong, we say ourselves
    client = None
    with suppress(OSError, ValueError):  # no longer held, a client that has failed goes quietly
        client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    if client is None:
        raise ClusterError(
            f"no Dask scheduler answers at {address}; start one, which says its address: dask scheduler"
        )
    try:
        client.wait_for_workers(1, timeout=_PATIENCE_SECONDS)
    except TimeoutError:
        client.close()
        raise ClusterError(
            f"the Dask scheduler at {address} has no worker; start some: dask worker {address} --nthreads 1"
        ) from None
    return client


def _received(future: "Future[_Answer]") -> Graded | None:
    """Return what came back, or None where Dask gave the task up."""
    try:
        kind, text = future.result(timeout=_PATIENCE_SECONDS)
    except (AttributeError, ImportError, TypeError) as error:  # it does not know what it was sent
        raise ClusterError(f"a Dask worker has another autograder or none ({error}); {_FIX}") from None
    except Exception:
        _LOG.debug("%s: not graded on the cluster", future.key, exc_info=True)
        return None
    if kind == "walls":
        raise WallError(text)
    if kind == "versions":
        raise ClusterError(text)
    return Graded.from_json(text)


_FIX = "install there what is installed here, the same Python, torch and autograder"


# What must be the same on two machines for them to grade alike, as it was when this process loaded it.
_VERSIONS = f"{'.'.join(platform.python_version_tuple()[:2])} {engine()}"


def _packed(course: Course, exercise: str) -> bytes:
    """Return what grading an exercise needs, as a zip of the same bytes for the same files."""
    buffer = BytesIO()
    with ZipFile(buffer, "w") as archive:
        for name, content in course_files(course, [course.exercises[exercise]]).items():
            archive.writestr(ZipInfo(name), content, ZIP_DEFLATED)
    return buffer.getvalue()


class _Desk:
    """Where a Dask worker grades an exercise: a private folder with its files, and a zygote."""

    def __init__(self, order: _Order, files: bytes, place: str) -> None:
        self.job = order, files
        self._order = order
        self._folder = TemporaryDirectory(prefix="autograder-", dir=place, ignore_cleanup_errors=True)
        self._root = Path(self._folder.name)
        with ZipFile(BytesIO(files)) as archive:
            for name in archive.namelist():
                path = self._root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(archive.read(name))
        course = load_course(self._root)
        self._exercise = course.exercises[order.exercise]
        self._grader = RestartingGrader(course, unsafe=order.unsafe)

    def grade(self, notebook: Notebook) -> Graded:
        """Grade a notebook; what is said of failures names places as they are where the course lies."""
        graded = self._grader.grade(self._exercise, notebook)
        here, there = str(self._root), self._order.root
        problem, traceback = (text.replace(here, there) for text in (graded.problem, graded.traceback))
        return replace(graded, problem=problem, traceback=traceback)

    def close(self) -> None:
        """End the zygote and delete the folder."""
        self._grader.close()
        self._folder.cleanup()


# One thread grades whatever Dask's threads ask for: a zygote ends with the thread that started it, and
# torch's random numbers are the process's. The one desk ends with the process, its folder with Dask's own.
_THREAD = ThreadPoolExecutor(1, "autograder")
_DESKS: list[_Desk] = []


def _grade_there(order: _Order, files: bytes, packed: _Packed) -> _Answer:
    """Grade one notebook; this is the task that a Dask worker runs."""
    from distributed import get_worker

    dask = get_worker()
    try:
        graded = _THREAD.submit(_grade, order, files, packed.notebook(), dask.local_directory).result()
    except WallError as error:
        return "walls", f"Dask worker {dask.address}: {error}"
    except ClusterError as error:
        return "versions", f"Dask worker {dask.address}: {error}"
    return "graded", graded.to_json()


def _grade(order: _Order, files: bytes, notebook: Notebook, place: str) -> Graded:
    if not _DESKS or _DESKS[0].job != (order, files):
        if order.versions != _VERSIONS:
            raise ClusterError(f"has another Python, torch or autograder than here; {_FIX}")
        while _DESKS:
            _DESKS.pop().close()
        _DESKS.append(_Desk(order, files, place))
    return _DESKS[0].grade(notebook)
