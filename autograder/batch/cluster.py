"""Grades on the machines of a Dask cluster: files go there as bytes, marks come back to be kept here."""

import logging
import platform
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from autograder.batch.pool import Alone, Marking
from autograder.course.copy import course_files
from autograder.course.course import Course, load_course
from autograder.errors import AutograderError
from autograder.files import write_whole
from autograder.grading.graded import Mark
from autograder.grading.restarting import RestartingGrader
from autograder.sandbox.zygote import WallError
from autograder.submission.digest import engine
from autograder.submission.notebook import MAX_BYTES
from autograder.submission.submission import Submission

if TYPE_CHECKING:
    from distributed import Client, Future

_LOG = logging.getLogger(__name__)
_CONNECT_SECONDS = 10
_PATIENCE_SECONDS = 60.0  # without any Dask worker
_AHEAD = 256  # submissions at the scheduler at a time: it holds them in memory


class ClusterError(AutograderError):
    """There is no cluster to grade on, or one that would grade otherwise; the message says what to do."""


class Cluster:
    """Grades on the Dask workers of the scheduler at an address; use it in a `with` block."""

    def __init__(self, address: str, *, unsafe: bool = False) -> None:
        self._client = _connected(address)
        self._unsafe = unsafe
        self._alone = Alone(unsafe=unsafe)

    def __call__(self, course: Course, submissions: Sequence[Submission]) -> Marking:
        """Grade in the order in which they are ready; what no Dask worker lives to grade, here."""
        left = dict.fromkeys(submissions)
        for exercise in dict.fromkeys(submission.exercise for submission in submissions):
            todo = [submission for submission in submissions if submission.exercise == exercise]
            for submission, mark in self._marked(course, exercise, todo):
                write_whole(submission.report, mark.graded.report.to_json() + "\n")
                left.pop(submission)
                yield submission, mark
        if left:
            _LOG.warning("%d submissions that no Dask worker has graded are graded here", len(left))
        yield from self._alone(course, list(left))

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._alone.__exit__(kind, error, trace)
        self._client.close()  # the scheduler drops what nobody waits for any more

    def _marked(self, course: Course, exercise: str, submissions: Sequence[Submission]) -> Marking:
        """Yield what the Dask workers grade, and leave out what they cannot."""
        order = _Order(_VERSIONS, exercise, str(course.root), self._unsafe)
        # A task of its own: should the Dask worker that holds the files die, they are sent again.
        files = self._client.submit(bytes, _packed(course, exercise))
        done: SimpleQueue[Future[_Answer]] = SimpleQueue()
        sent: dict[Future[_Answer], Submission] = {}
        waiting = iter(submissions)
        while True:
            for submission, content in _contents(islice(waiting, _AHEAD - len(sent))):
                future = self._client.submit(_mark, order, files, content, pure=False)
                sent[future] = submission
                future.add_done_callback(done.put)
            if not sent:
                return
            ended = self._next(done)
            if ended is None:
                return
            if (mark := _received(ended)) is not None:
                yield sent[ended], mark
            del sent[ended]

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
class _Order:
    """What to grade, by whom, and where the course lies for those who read of failures."""

    versions: str
    exercise: str
    root: str
    unsafe: bool


_Answer = tuple[str, str]  # "mark" and a mark, or "walls" or "versions" and why there is none


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


def _received(future: "Future[_Answer]") -> Mark | None:
    """Return the mark that came back, or None where Dask gave the task up."""
    try:
        kind, text = future.result(timeout=_PATIENCE_SECONDS)
    except (AttributeError, ImportError, TypeError) as error:  # it does not know what it was sent
        raise ClusterError(f"a Dask worker has another autograder or none ({error}); {_MEND}") from None
    except Exception:
        _LOG.debug("%s: not graded on the cluster", future.key, exc_info=True)
        return None
    if kind == "walls":
        raise WallError(text)
    if kind == "versions":
        raise ClusterError(text)
    return Mark.from_json(text)


_MEND = "install there what is installed here, the same Python, torch and autograder"


# What must be the same on two machines for them to grade alike, as it was when this process loaded it.
_VERSIONS = f"{'.'.join(platform.python_version_tuple()[:2])} {engine()}"


def _packed(course: Course, exercise: str) -> bytes:
    """Return what grading an exercise needs, as a zip of the same bytes for the same files."""
    buffer = BytesIO()
    with ZipFile(buffer, "w") as archive:
        for name, content in course_files(course, [course.exercises[exercise]]).items():
            archive.writestr(ZipInfo(name), content, ZIP_DEFLATED)
    return buffer.getvalue()


def _contents(submissions: Iterator[Submission]) -> Iterator[tuple[Submission, bytes | None]]:
    """Yield the notebooks to send; a file that cannot be opened here is left out."""
    for submission in submissions:
        with suppress(OSError):
            yield submission, _content(submission.notebook)


def _content(path: Path) -> bytes | None:
    """Return a notebook's bytes, packed; None where there is no plain file: a Dask worker refuses it so."""
    if path.is_symlink() or not path.is_file():
        return None
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    # One that is too large is refused by its size alone, and zeros travel light.
    return zlib.compress(content if len(content) <= MAX_BYTES else bytes(MAX_BYTES + 1))


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
        self._marker = RestartingGrader(course, unsafe=order.unsafe)

    def grade(self, content: bytes | None) -> Mark:
        """Grade a notebook's bytes as the file that they were."""
        path = self._root / f"{self._exercise.name}.ipynb"
        if content is not None:
            path.write_bytes(zlib.decompress(content))
        try:
            mark = self._marker.grade(self._exercise, path)
        finally:
            path.unlink(missing_ok=True)
        return replace(mark, fault=mark.fault.replace(str(self._root), self._order.root))

    def close(self) -> None:
        """End the zygote and delete the folder."""
        self._marker.close()
        self._folder.cleanup()


# One thread grades whatever Dask's threads ask for: a zygote ends with the thread that started it, and
# torch's random numbers are the process's. The one desk ends with the process, its folder with Dask's own.
_THREAD = ThreadPoolExecutor(1, "autograder")
_DESKS: list[_Desk] = []


def _mark(order: _Order, files: bytes, content: bytes | None) -> _Answer:
    """Grade one notebook; this is the task that a Dask worker runs."""
    from distributed import get_worker

    dask = get_worker()
    try:
        mark = _THREAD.submit(_grade, order, files, content, dask.local_directory).result()
    except WallError as error:
        return "walls", f"Dask worker {dask.address}: {error}"
    except ClusterError as error:
        return "versions", f"Dask worker {dask.address}: {error}"
    return "mark", mark.to_json()


def _grade(order: _Order, files: bytes, content: bytes | None, place: str) -> Mark:
    if not _DESKS or _DESKS[0].job != (order, files):
        if order.versions != _VERSIONS:
            raise ClusterError(f"has another Python, torch or autograder than here; {_MEND}")
        while _DESKS:
            _DESKS.pop().close()
        _DESKS.append(_Desk(order, files, place))
    return _DESKS[0].grade(content)
