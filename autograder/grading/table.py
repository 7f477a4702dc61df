"""The known wrong answers to one question with their failed tests, computed once and kept on disk."""

import fcntl
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from autograder.course.exercise import Exercise
from autograder.course.source import SourceError
from autograder.files import write_whole
from autograder.grading.known import Known, read, written
from autograder.grading.misconceptions import Catalogue
from autograder.grading.namespaces import uncounted
from autograder.grading.outcomes import outcomes, tests_of_own_numbers
from autograder.grading.pairs import Pairs, packed, probes
from autograder.grading.wrong_answers import WrongAnswer, WrongAnswers
from autograder.submission.digest import engine
from autograder.testing.suite import Suite

FOLDER = "build/diagnosis"  # of all tables of a course


@dataclass(frozen=True)
class Table:
    """What is known about one question."""

    answers: tuple[Known, ...]  # with one thing wrong, in the catalogue's order
    own_numbers: frozenset[int]  # tests in which the numbers of a right answer depend on its seed
    fitting: frozenset[str]  # the catalogue's rules that change a right answer
    load_pairs: Callable[[], Pairs]

    @cached_property
    def pairs(self) -> Pairs:
        """Answers with two of these things wrong, which are made for the first submission that needs them."""
        return self.load_pairs()

    @cached_property
    def by_failed(self) -> dict[frozenset[int], list[Known]]:
        """The answers, by the tests that they fail."""
        found: dict[frozenset[int], list[Known]] = {}
        for one in self.answers:
            found.setdefault(one.failed, []).append(one)
        return found

    @cached_property
    def hints(self) -> dict[str, str]:
        """The hint that stands first by each name."""
        return {one.answer.names[0]: one.answer.hints[0] for one in reversed(self.answers)}

    def first_like(self, name: str) -> str:
        """Return the first name, in the catalogue's order, that no test tells apart from this one."""
        return self._first_like.get(name, name)

    @cached_property
    def _first_like(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for one in self.answers:
            first = next(other for other in self.by_failed[one.failed] if other.is_like(one))
            found.setdefault(one.answer.names[0], first.answer.names[0])
        return found


def load_table(suite: Suite, catalogue: Catalogue, question: str) -> Table:
    """Read a question's table, or compute it; only one process does, and others wait for it.

    The file's name tells all on which the table depends. A table that was just computed is read from the same
    bytes as one from disk, so nobody can tell the two apart.
    """
    exercise = suite.exercise
    folder = exercise.folder.parents[1] / FOLDER
    stem, digest = f"{exercise.name}-{question}", _digest(exercise)
    maker = _Maker(suite, catalogue, question)
    content = _kept(folder, stem, f"{stem}-{digest}.table", maker.table)
    head, lines, runs = content.split(b"\n", 2)
    own_numbers, fitting, numbers = json.loads(head)
    answers = tuple(read(lines.decode(), runs, {test.number: test for test in suite.tests}))
    pairs = partial(load_pairs, folder, stem, digest, numbers, lambda: maker.pairs(answers, numbers))
    return Table(answers, frozenset(own_numbers), frozenset(fitting), pairs)


def load_pairs(
    folder: Path, stem: str, digest: str, numbers: Sequence[int], make: Callable[[], bytes]
) -> Pairs:
    """Read the pairs of a question's answers, or make them; `numbers` are those of the tests they meet."""
    name = f"{stem}.pairs"
    return Pairs(tuple(numbers), _kept(folder, name, f"{name}-{digest}", make))


def prune(folder: Path, exercises: Iterable[Exercise]) -> None:
    """Delete from the folder of all tables what none of a course's exercises reads any more.

    Where an exercise cannot be read, nobody knows what it needs, and everything stays.
    """
    read = set[str]()
    with suppress(OSError, SourceError):
        for exercise in exercises:
            digest = _digest(exercise)
            stems = [f"{exercise.name}-{question}" for question in exercise.points]
            read |= {f"{stem}.lock" for stem in stems} | {f"{stem}-{digest}.table" for stem in stems}
            read |= {f"{stem}.pairs.lock" for stem in stems} | {f"{stem}.pairs-{digest}" for stem in stems}
        for path in folder.iterdir():
            if path.name not in read:
                path.unlink(missing_ok=True)


def share_tables(root: Path, copy: Path) -> None:
    """Let a copy of a course keep its tables where the course itself has them; some take minutes to make.

    A table's name tells all on which it depends, so the copy finds those of all exercises that are as in the
    course. Where one is not, its tables come to lie beside the course's, until `prune` deletes them.
    """
    tables, link = root / FOLDER, copy / FOLDER
    tables.mkdir(parents=True, exist_ok=True)
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(tables, target_is_directory=True)


class _Maker:
    """Computes what is kept of a question; answers with two things wrong are made of those with one."""

    def __init__(self, suite: Suite, catalogue: Catalogue, question: str) -> None:
        self._suite, self._catalogue, self._question = suite, catalogue, question
        self._alone: tuple[WrongAnswer, ...] = ()  # once they are computed here, and not read from disk

    def table(self) -> bytes:
        """Return the answers with one thing wrong, and the numbers of the tests that rule pairs out."""
        wrong, tests = self._wrong(), self._suite.of(self._question)
        alone = tuple(outcomes(self._suite, self._question, wrong.single))
        self._alone = tuple(one.answer for one in alone)
        lines, runs = written(alone)
        own = tests_of_own_numbers(self._suite, self._question)
        chosen = probes(self._suite, [test for test in tests if test.number not in own], alone)
        head = [sorted(own), sorted(wrong.fitting), [test.number for test in chosen]]
        return f"{json.dumps(head)}\n{lines}\n".encode() + runs

    def pairs(self, known: Sequence[Known], numbers: Sequence[int]) -> bytes:
        """Return the pairs of these answers, with what the tests of these numbers make of them."""
        wrong, tests = self._wrong(), [self._suite.tests[number] for number in numbers]
        if not self._alone:  # what was read from disk does not tell by which rule it is made
            made = {(one.code, one.written): one for one in wrong.single}
            self._alone = tuple(made[one.answer.code, one.answer.written] for one in known)
        return packed(self._suite, wrong.composed(self._alone), tests)

    def _wrong(self) -> WrongAnswers:
        """Return a new maker of wrong answers: it holds much, and is needed once or twice."""
        return WrongAnswers(self._suite.exercise, self._catalogue, self._question)


def _kept(folder: Path, stem: str, name: str, make: Callable[[], bytes]) -> bytes:
    """Return what is kept under this name, or make it and keep it in place of others of the same stem."""
    path = folder / name
    if (content := _content(path)) is None:
        with _only_one(folder, f"{stem}.lock"), uncounted():
            if (content := _content(path)) is None:
                content = make()
                _replace(path, content, stem)
    return content


def _content(path: Path) -> bytes | None:
    """Return what `_replace` has written; None where there is nothing, or something else."""
    try:
        digest, _, content = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    return content if digest == _checksum(content) else None


def _replace(path: Path, content: bytes, stem: str) -> None:
    """Write a table in place of older ones; where that is not possible, it is computed again another time.

    In a folder that is shared an older one may be that of the course itself, and stays.
    """
    with suppress(OSError):
        write_whole(path, _checksum(content) + b"\n" + content)
        for other in () if path.parent.is_symlink() else path.parent.glob(f"{stem}-*"):
            if other != path:
                other.unlink(missing_ok=True)


def _checksum(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()


@contextmanager
def _only_one(folder: Path, name: str) -> Iterator[None]:
    """Wait until no other process holds this lock; without a folder to write in, each goes on alone."""
    with ExitStack() as stack:
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            lock = stack.enter_context((folder / name).open("ab"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _digest(exercise: Exercise) -> str:
    """Return a digest of all on which an exercise's tables depend."""
    digest = hashlib.sha256(engine().encode())
    answers = [one.path for one in (*exercise.accepted, *exercise.mistakes)]
    for path in (exercise.source, exercise.suite, *exercise.catalogue, *answers):
        digest.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]
