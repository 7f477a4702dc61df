"""Reads the names in an archive, and settles which of its notebooks count, for whom, and which do not.

The contents are not read here, so an archive of any size takes little memory.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from autograder.collecting.archive import read_entries
from autograder.collecting.entry import ArchiveEntry, ArchiveError, EntryError
from autograder.collecting.gradescope_metadata import METADATA, GradescopeRecord, find_export, read_metadata
from autograder.collecting.names import folded, left_out, name_problem
from autograder.collecting.naming import ArchiveContext, Attribution, NamingError, NamingRules
from autograder.collecting.platforms import class_folder
from autograder.submission.notebook import MAX_BYTES

_SUFFIX = ".ipynb"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A notebook of a student's, which counts unless there is a better one."""

    number: int  # of its entry in the archive
    path: str
    when: datetime | None  # as the archive tells it
    attribution: Attribution
    message: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something in the archive that is not taken, and why; no path means the archive itself."""

    reason: str
    path: str = ""
    attribution: Attribution | None = None


@dataclass(frozen=True, slots=True)
class Survey:
    """What an archive holds."""

    chosen: Sequence[Candidate]
    refused: Sequence[Refusal]


def survey_archive(archive: Path, rules: NamingRules) -> Survey:
    """Return which notebooks of the archive count, and what is refused."""
    surveyor = _Surveyor(archive, rules)
    chosen = list(surveyor.choose(list(surveyor.candidates())))
    return Survey(chosen, surveyor.refused)


class _Surveyor:
    """Goes from all entries to the notebooks that can be attributed, and from these to one per student."""

    def __init__(self, archive: Path, rules: NamingRules) -> None:
        self._archive = archive
        self._rules = rules
        self.refused: list[Refusal] = []

    def candidates(self) -> Iterator[Candidate]:
        """Yield the notebooks whose names tell student and exercise, and refuse what is wrong."""
        entries = self._entries()
        sound = [(number, entry) for number, entry in enumerate(entries) if self._is_sound(entry)]
        notebooks = [(number, entry) for number, entry in sound if _is_notebook(entry)]
        paths = [entry.path for _, entry in notebooks]
        spellings = _spellings(paths)
        records = self._gradescope_records(
            [entry.name for _, entry in sound], [entry.name for entry in entries]
        )
        context = ArchiveContext(class_folder(paths, self._rules.exercises), records)
        for number, entry in notebooks:
            if others := spellings[folded(entry.path)] - {entry.path}:
                self._refuse(_only_in_case(min(others)), entry)
                continue
            try:
                group = list(self._rules.attributions(entry, context))
            except NamingError as error:
                self._refuse(str(error), entry)
            else:
                yield from (Candidate(number, entry.path, entry.when, member) for member in group)

    def choose(self, candidates: Sequence[Candidate]) -> Iterator[Candidate]:
        """Yield one notebook for each student and exercise; refuse all where nothing decides."""
        spellings = _spellings(candidate.attribution.student for candidate in candidates)
        groups: dict[tuple[str, str], list[Candidate]] = defaultdict(list)
        for candidate in candidates:
            groups[candidate.attribution.student, candidate.attribution.exercise].append(candidate)
        for (student, _), group in groups.items():
            others = spellings[folded(student)] - {student}
            best = _best(group)
            if others:
                self._refuse_all(_only_in_case(min(others)), group)
            elif best is None:
                self._refuse_all("is one of several notebooks for it; leave one in the archive", group)
            else:
                yield best

    def _entries(self) -> list[ArchiveEntry]:
        """Return the entries; where the archive is broken, those before that place."""
        entries: list[ArchiveEntry] = []
        try:
            # Their own `read` would keep nested archives in memory.
            entries.extend(replace(entry, read=_not_open) for entry in read_entries(self._archive))
        except ArchiveError as error:
            self.refused.append(Refusal(str(error)))
        return entries

    def _is_sound(self, entry: ArchiveEntry) -> bool:
        problem = name_problem(entry.name) or name_problem(entry.inside) or entry.problem
        if problem:
            self._refuse(problem, entry)
        return not problem

    def _gradescope_records(
        self, sound: Sequence[str], names: Sequence[str]
    ) -> Mapping[str, GradescopeRecord]:
        """Return what Gradescope's file tells, if the archive is Gradescope's.

        A submission counts as present if any file of it is there, be it one that is refused.
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
            self.refused.append(Refusal(str(error), folder + METADATA))
        return {}

    def _refuse(self, reason: str, entry: ArchiveEntry) -> None:
        self.refused.append(Refusal(reason, entry.path))

    def _refuse_all(self, reason: str, group: Sequence[Candidate]) -> None:
        self.refused.extend(Refusal(reason, candidate.path, candidate.attribution) for candidate in group)


def _spellings(names: Iterable[str]) -> Mapping[str, set[str]]:
    """Return the names by their folded form."""
    spellings: dict[str, set[str]] = defaultdict(set)
    for name in names:
        spellings[folded(name)].add(name)
    return spellings


def _best(group: Sequence[Candidate]) -> Candidate | None:
    """Return the notebook that counts: one of the exercise's very name, then the one uploaded last."""
    exact = [candidate for candidate in group if candidate.attribution.exact] or group
    if len(exact) > 1:
        numbers = [candidate.attribution.number for candidate in exact]
        if None in numbers or len(set(numbers)) < len(numbers):
            return None
    last = max(exact, key=lambda candidate: candidate.attribution.number or 0)
    return replace(last, message=f"chosen from {len(group)}") if len(group) > 1 else last


def _is_notebook(entry: ArchiveEntry) -> bool:
    return (entry.inside or entry.name).endswith(_SUFFIX) and not left_out(entry.path)


def _only_in_case(other: str) -> str:
    return f'differs from "{other}" in case or Unicode form only; rename one'


def _not_open(_: int) -> bytes:
    raise EntryError("is not open")
