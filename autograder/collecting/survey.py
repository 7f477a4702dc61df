"""Lists the files of an archive, and decides which notebooks count and for whom.

The contents are not kept, so an archive of any size takes little memory. Only notebooks whose names tell no
exercise are read here, one by one: their cells tell. A student who handed in files but no notebook gets one
refusal. What lies beside a notebook is ignored.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePosixPath

from autograder.collecting.archive import (
    EXHAUSTION,
    TOO_COSTLY,
    ArchiveEntry,
    ArchiveError,
    EntryError,
    read_entries,
)
from autograder.collecting.attribution import ArchiveContext, Attribution, NamingRules
from autograder.collecting.metadata import METADATA, GradescopeRecord, find_export, read_metadata
from autograder.collecting.names import class_folder, left_out, name_problem, notebook_stem, stem
from autograder.course.course import Course
from autograder.submission.notebook import MAX_BYTES, Notebook
from autograder.submission.students import folded
from autograder.submission.submission import UnknownExerciseError, exercise_by_cells

REFUSED = "refused"
_UNREAD = {".rar", ".7z", ".gz", ".xz", ".bz2", ".zst", ".lz", ".sit", ".sitx", ".zipx", ".ace"}
_UNREAD |= {".tbz2", ".txz"}  # not .tar.gz
_HELPERS = {".md", ".png", ".svg", ".gif", ".csv", ".tsv", ".npy", ".npz", ".pt", ".pth", ".pkl", ".json"}
_HELPERS |= {".yml", ".yaml", ".toml", ".cfg", ".ini", ".lock", ".pyc", ".log"}
_HELPING = {"conftest.py", "exercise.json", "requirements.txt", "timestamp.txt", "readme.txt"}
Whose = str | tuple[str, ...]  # students, or why nobody can tell
_ENDING = re.compile(r"\.[^./]*\Z")
# What was typed into Moodle's or Canvas's own page comes as a page under names of its own.
_TYPED = (
    (re.compile(r"_assignsubmission_onlinetext"), "_assignsubmission_file"),
    (re.compile(r"_([1-9]\d*)_(text|media|link)\.html?$"), r"_\1_1_\2.html"),
)


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
    untimed: str = ""  # the platform that gives no time


class Survey:
    """What an archive holds: its notebooks that can be attributed, of these one per student, and refusals."""

    def __init__(self, archive: Path, rules: NamingRules, course: Course | None = None) -> None:
        self._archive = archive
        self._rules = rules
        self._course = course
        self.refused: list[CollectedLine] = []
        self.kept: list[Candidate] = []  # beside a better one: attempts that do not count
        self.chosen = list(self._choose(self._recognised(list(self._candidates()))))

    def _candidates(self) -> Iterator[Candidate]:
        """Yield the notebooks whose names tell student and exercise, and refuse what is wrong."""
        entries = self._entries()
        for entry in entries:
            if entry.problem:
                self._refuse(entry.problem, entry.path)
        sound = [(number, entry) for number, entry in enumerate(entries) if not entry.problem]
        notebooks = [(number, entry) for number, entry in sound if self._is_notebook(entry)]
        numbers = {number for number, _ in notebooks}
        others = [entry for number, entry in sound if number not in numbers and not left_out(entry.path)]
        paths = [entry.path for _, entry in notebooks]
        twins = _twins(paths)
        records = self._gradescope_records([entry.name for _, entry in sound], [one.name for one in entries])
        folder = class_folder(paths or [entry.path for entry in others], self._rules.exercises)
        names = [_typed(entry.name) for _, entry in sound]
        context = self._rules.context(names, folder, records)
        came = set()
        for number, entry in notebooks:
            try:
                group = list(self._rules.attributions(entry, context))
                came |= {member.student for member in group if not member.problem}
                _refuse_twin(entry.path, twins)
            except EntryError as error:
                self._refuse(str(error), entry.path)
                continue
            for member in group:
                if member.problem:
                    self._refuse(member.problem, entry.path)
                else:
                    yield Candidate(number, entry.path, entry.when, member, member.message)
        self._refuse_others(others, context, came)

    def _refuse_others(
        self, others: Iterable[ArchiveEntry], context: ArchiveContext, came: Collection[str]
    ) -> None:
        """Refuse one file of each student of whom no notebook is in the archive."""
        told = {line.message for line in self.refused}  # of whom there is a notebook, which is refused
        found: dict[Whose, list[ArchiveEntry]] = defaultdict(list)
        for entry in others:
            if not any(part.startswith(".") for part in PurePosixPath(entry.path).parts):
                found[_whose(entry, self._rules, context, came)].append(entry)
        for whose, group in found.items():
            first = min(group, key=_is_helper)
            if isinstance(whose, str):
                if whose and whose not in told:
                    self._refuse(whose, first.path)
            elif not set(whose) <= set(came):
                more = f" (nor is any other of these {len(group)} files)" if len(group) > 1 else ""
                self._refuse(f"is not a notebook{more}; {_fix(first, whose)}", first.path)

    def _is_notebook(self, entry: ArchiveEntry) -> bool:
        """Whether an entry is a notebook, or a script that was exported from one and kept its name."""
        name = PurePosixPath(entry.inside or entry.name)
        exported = name.suffix == ".py" and any(exercise in name.stem for exercise in self._rules.exercises)
        return (notebook_stem(name.name) is not None or exported) and not left_out(entry.path)

    def _recognised(self, candidates: Sequence[Candidate]) -> Iterator[Candidate]:
        """Yield the candidates with an exercise each, and refuse where not even the cells tell it."""
        unnamed = {one.number for one in candidates if not one.attribution.exercise}
        by_cells = dict(self._exercises_by_cells(unnamed)) if unnamed else {}
        for one in candidates:
            exercise, problem = by_cells.get(one.number, ("", "could not be read; collect the archive again"))
            if one.attribution.exercise:
                yield one
            elif exercise:
                message = ", ".join(filter(None, ("known by its cells", one.message)))
                attribution = replace(one.attribution, exercise=exercise)
                yield replace(one, attribution=attribution, message=message)
            else:
                self._refuse(problem, one.path)

    def _exercises_by_cells(self, numbers: Collection[int]) -> Iterator[tuple[int, tuple[str, str]]]:
        """Yield, for the entries of these numbers, the exercise or why it is not known."""
        entries = enumerate(read_entries(self._archive))
        with suppress(ArchiveError):  # which the first reading has reported
            for number, entry in entries:
                if number in numbers:
                    yield number, self._exercise_by_cells(entry)

    def _exercise_by_cells(self, entry: ArchiveEntry) -> tuple[str, str]:
        known = ", ".join(self._rules.exercises)
        unknown = f"names no exercise, nor do its cells; name it as one of {known}, or pass --exercise"
        try:
            notebook = Notebook(entry.read_notebook())
            if self._course is None:
                return "", unknown
            return exercise_by_cells(self._course, Path(entry.path), notebook).name, ""
        except UnknownExerciseError:
            return "", unknown
        except EntryError as error:
            return "", str(error)
        except EXHAUSTION:
            return "", TOO_COSTLY

    def _choose(self, found: Iterable[Candidate]) -> Iterator[Candidate]:
        """Yield one notebook for each student and exercise, and keep the others."""
        candidates = list(found)
        twins = _twins(candidate.attribution.student for candidate in candidates)
        groups: dict[tuple[str, str], list[Candidate]] = defaultdict(list)
        for candidate in candidates:
            groups[candidate.attribution.student, candidate.attribution.exercise].append(candidate)
        for (student, exercise), group in groups.items():
            try:
                _refuse_twin(student, twins)
                if len({one.path for one in group}) < len(group):
                    raise EntryError("is in the archive several times; keep one")
                *others, best = _ranked(group)
                self.kept += [_no_later(one, best) if one.path.endswith(".py") else one for one in others]
                yield replace(best, message=", ".join(filter(None, (_choice(best, others), best.message))))
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


def _ranked(group: Sequence[Candidate]) -> list[Candidate]:
    """Return a student's notebooks for one exercise, the one that counts last, and scripts before them.

    The platform's order of uploads decides, and outside platforms the time of the files. Where these tell
    nothing, the exercise's very name does, then the place in the archive.
    """
    uploads = [one.attribution.upload or 0 for one in group]
    is_ordered = len(set(uploads)) == len(group)

    def rank(one: Candidate) -> tuple[bool, float, bool, int]:
        files_time = one.when.timestamp() if one.when and not one.attribution.platform else 0.0
        order = (one.attribution.upload or 0) if is_ordered else files_time
        return not one.path.endswith(".py"), order, one.attribution.exact, one.number

    return sorted(group, key=rank)


def _no_later(script: Candidate, notebook: Candidate) -> Candidate:
    """Return a script as one handed in no later than the notebook beside it, which counts."""
    uploads = [one.attribution.upload for one in (script, notebook)]
    upload = None if None in uploads else min(filter(None, uploads), default=None)
    attribution = replace(script.attribution, upload=upload, when=notebook.attribution.when)
    return replace(script, when=notebook.when, attribution=attribution)


def _choice(best: Candidate, others: Sequence[Candidate]) -> str:
    """Say which notebook counts, and which do not."""
    if not others:
        return ""
    paths = [one.path for one in (best, *others)]
    names = [PurePosixPath(path).name for path in paths]
    name, *rest = names if len({*names}) == len(names) else paths
    uploads = [one.attribution.upload or 0 for one in others]
    last = ", the last upload," if (best.attribution.upload or 0) > max(uploads) else ""
    return f"{name}{last} counts and not {', '.join(rest)}"


def _typed(name: str) -> str:
    """Return a name of a platform's page as it would be of a file that was uploaded."""
    for form, uploaded in _TYPED:
        name = form.sub(uploaded, name)
    return name


def _fix(entry: ArchiveEntry, whose: Sequence[str]) -> str:
    if _suffix(entry) in _UNREAD:
        return "pack it as a zip, or unpack it into a folder of the student's"
    if _suffix(entry) == ".py":
        return "if it is one as a script, give it the name of its exercise"
    return f"ask {', '.join(whose)} for the .ipynb file"


def _whose(entry: ArchiveEntry, rules: NamingRules, context: ArchiveContext, came: Collection[str]) -> Whose:
    """Return whose a file is that is no notebook, as far as its name tells, or why nobody can tell.

    Where nothing shows that it was handed in, the text is empty.
    """
    name = _typed(entry.name)
    own = name.removeprefix(context.class_folder)
    upload = bool(rules.platform_name(own) or context.record(name))
    if not (upload or rules.students) and _is_helper(entry):
        return ""  # the folder may belong to no student
    try:
        return _attributed(entry, name, rules, context)
    except EntryError as error:
        if upload:
            return str(error)
    if "/" in own or entry.inside or rules.pattern is not None or _is_helper(entry):
        return ""
    if rules.students is not None:
        with suppress(EntryError):
            person = PurePosixPath(stem(own)).stem
            return _attributed(entry, f"{context.class_folder}{person}/{own}", rules, context)
    beside = any(re.match(rf"{re.escape(student)}(?![^\W_])", own, re.IGNORECASE) for student in came)
    return "" if beside else (f"whoever handed in {own}",)


def _attributed(entry: ArchiveEntry, name: str, rules: NamingRules, context: ArchiveContext) -> Whose:
    """Return whose a file would be as a notebook of this name, for which an instructor's pattern is made."""
    entry = replace(entry, name=name)
    if rules.pattern is not None:
        last = f"{_ENDING.sub('', entry.inside or entry.name)}.ipynb"
        entry = replace(entry, inside=last) if entry.inside else replace(entry, name=last)
    members = list(rules.attributions(entry, context))
    students = tuple(member.student for member in members if not member.problem)
    return students or "; ".join(member.problem for member in members)


def _is_helper(entry: ArchiveEntry) -> bool:
    last = PurePosixPath(entry.path).name.lower()
    return _suffix(entry) in _HELPERS or last in _HELPING


def _suffix(entry: ArchiveEntry) -> str:
    return PurePosixPath(entry.path).suffix.lower()
