"""Reads the names in an archive, and settles which of its notebooks count, for whom, and which do not.

The contents are not read here, so an archive of any size takes little memory.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from autograder.collecting.archive import read_entries
from autograder.collecting.bounds import ArchiveError
from autograder.collecting.entry import ArchiveEntry, EntryError
from autograder.collecting.gradescope_metadata import METADATA, GradescopeRecord, find_export, read_metadata
from autograder.collecting.names import class_folder, folded, left_out, name_problem
from autograder.collecting.naming import ArchiveContext, Attribution, NamingRules
from autograder.submission.notebook import MAX_BYTES

REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A notebook of a student's, which counts unless there is a better one."""

    number: int  # of its entry in the archive
    path: str
    when: datetime | None  # as the archive says
    attribution: Attribution
    message: str = ""


@dataclass(frozen=True, slots=True)
class CollectedLine:
    """What became of one thing in an archive; student and exercise are empty where nothing tells them."""

    archive: str
    path: str  # in the archive; empty where the archive itself is meant
    status: str  # a Placing, or "refused"
    message: str = ""
    student: str = ""
    exercise: str = ""


class Survey:
    """What an archive holds: its notebooks that can be attributed, of these one per student, and refusals."""

    def __init__(self, archive: Path, rules: NamingRules) -> None:
        self._archive = archive
        self._rules = rules
        self.refused: list[CollectedLine] = []
        self.chosen = list(self._choose(list(self._candidates())))

    def _candidates(self) -> Iterator[Candidate]:
        """Yield the notebooks whose names tell student and exercise, and refuse what is wrong."""
        entries = self._entries()
        for entry in entries:
            if entry.problem:
                self._refuse(entry.problem, entry.path)
        sound = [(number, entry) for number, entry in enumerate(entries) if not entry.problem]
        notebooks = [(number, entry) for number, entry in sound if _is_notebook(entry)]
        paths = [entry.path for _, entry in notebooks]
        twins = _twins(paths)
        records = self._gradescope_records([entry.name for _, entry in sound], [one.name for one in entries])
        context = ArchiveContext(class_folder(paths, self._rules.exercises), records)
        for number, entry in notebooks:
            try:
                _refuse_twin(entry.path, twins)
                group = list(self._rules.attributions(entry, context))
            except EntryError as error:
                self._refuse(str(error), entry.path)
            else:
                yield from (Candidate(number, entry.path, entry.when, member) for member in group)

    def _choose(self, candidates: Sequence[Candidate]) -> Iterator[Candidate]:
        """Yield one notebook for each student and exercise; refuse all where nothing decides."""
        twins = _twins(candidate.attribution.student for candidate in candidates)
        groups: dict[tuple[str, str], list[Candidate]] = defaultdict(list)
        for candidate in candidates:
            groups[candidate.attribution.student, candidate.attribution.exercise].append(candidate)
        for (student, exercise), group in groups.items():
            try:
                _refuse_twin(student, twins)
                yield _best(group)
            except EntryError as error:
                for candidate in group:
                    self._refuse(str(error), candidate.path, student, exercise)

    def _entries(self) -> list[ArchiveEntry]:
        """Return the entries, without `read`, which would keep nested archives in memory.

        Where the archive is broken, these are the entries before that place.
        """
        entries = []
        try:
            for entry in read_entries(self._archive):
                problem = name_problem(entry.name) or name_problem(entry.inside) or entry.problem
                entries.append(ArchiveEntry(entry.name, entry.when, problem=problem, inside=entry.inside))
        except ArchiveError as error:
            self._refuse(str(error))
        return entries

    def _gradescope_records(
        self, sound: Sequence[str], names: Sequence[str]
    ) -> Mapping[str, GradescopeRecord]:
        """Return what Gradescope's file says, if the archive is Gradescope's.

        A submission counts as present if any file of it is there, even one that is refused.
        """
        root = self._archive.resolve().name if self._archive.is_dir() else ""
        folder = find_export(frozenset(sound), root)
        if folder is None:
            return {}
        try:
            for entry in read_entries(self._archive):
                if entry.name == folder + METADATA:
                    return read_metadata(entry.read(MAX_BYTES), folder, names)
        except (ArchiveError, EntryError) as error:
            self._refuse(str(error), folder + METADATA)
        return {}

    def _refuse(self, reason: str, path: str = "", student: str = "", exercise: str = "") -> None:
        self.refused.append(CollectedLine(str(self._archive), path, REFUSED, reason, student, exercise))


def _twins(names: Iterable[str]) -> Mapping[str, str]:
    """Return, for each name that some file system takes for another one of them, that other one."""
    same: dict[str, set[str]] = defaultdict(set)
    for name in names:
        same[folded(name)].add(name)
    return {name: min(group - {name}) for group in same.values() if len(group) > 1 for name in group}


def _refuse_twin(name: str, twins: Mapping[str, str]) -> None:
    if name in twins:
        raise EntryError(f'differs from "{twins[name]}" in case or Unicode form only; rename one')


def _best(group: Sequence[Candidate]) -> Candidate:
    """Return the notebook that counts: one of the exercise's very name, then the one uploaded last."""
    exact = [candidate for candidate in group if candidate.attribution.exact] or group
    numbers = {candidate.attribution.number for candidate in exact}
    if len(exact) > 1 and (None in numbers or len(numbers) < len(exact)):
        raise EntryError("is one of several notebooks for it; leave one in the archive")
    last = max(exact, key=lambda candidate: candidate.attribution.number or 0)
    return replace(last, message=f"chosen from {len(group)}") if len(group) > 1 else last


def _is_notebook(entry: ArchiveEntry) -> bool:
    return (entry.inside or entry.name).endswith(".ipynb") and not left_out(entry.path)
