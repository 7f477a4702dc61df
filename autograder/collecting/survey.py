"""Reads the names in an archive, and settles which of its notebooks count, for whom, and which do not.

The contents are not kept, so an archive of any size takes little memory. Only notebooks whose names tell no
exercise are read here, one by one: their cells tell. A student who handed in files but no notebook gets one
refusal. What lies beside a notebook is ignored.
"""

import re
from collections import Counter, defaultdict
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
_MANY = 3  # notebooks of one exercise, beside which one of another is a slip
_UNREAD = {".rar", ".7z", ".gz", ".xz", ".bz2", ".zst", ".lz", ".sit", ".sitx", ".zipx", ".ace"}
_UNREAD |= {".tar", ".tgz", ".tbz2", ".txz"}
_PAPERS = {".pdf", ".doc", ".docx", ".odt", ".rtf", ".pages", ".ppt", ".pptx", ".htm", ".html"}
_PHOTOS = {".heic", ".heif", ".jpg", ".jpeg", ".tif", ".tiff", ".webp"}
_HELPERS = {".md", ".png", ".svg", ".gif", ".csv", ".tsv", ".npy", ".npz", ".pt", ".pth", ".pkl", ".json"}
_HELPERS |= {".yml", ".yaml", ".toml", ".cfg", ".ini", ".lock", ".pyc", ".log"}
_HELPING = {"conftest.py", "exercise.json", "requirements.txt", "timestamp.txt", "readme.txt"}
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
    untimed: str = ""  # the platform that tells no time


class Survey:
    """What an archive holds: its notebooks that can be attributed, of these one per student, and refusals."""

    def __init__(self, archive: Path, rules: NamingRules, course: Course | None = None) -> None:
        self._archive = archive
        self._rules = rules
        self._course = course
        self.refused: list[CollectedLine] = []
        self.kept: list[Candidate] = []  # beside a better one: attempts that do not count
        self.chosen = _with_strays(list(self._choose(self._recognised(list(self._candidates())))))

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
                _refuse_twin(entry.path, twins)
                group = list(self._rules.attributions(entry, context))
            except EntryError as error:
                self._refuse(str(error), entry.path)
            else:
                for member in group:
                    if member.problem:
                        self._refuse(member.problem, entry.path)
                    else:
                        came.add(member.student)
                        yield Candidate(number, entry.path, entry.when, member, member.message)
        sent = (entry for _, entry in notebooks)
        for path, message in _without_notebook(sent, others, self._rules, context, came):
            self._refuse(message, path)

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
        unknown = f"tells no exercise, nor do its cells; name it as one of {known}, or say --exercise"
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
                    raise EntryError("stands several times in the archive; leave one in it")
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


def _with_strays(chosen: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates with a word on one that is not of the exercise of which all others are."""
    kinds = Counter(exercise for _, exercise in {(one.number, one.attribution.exercise) for one in chosen})
    others = next((name for name, count in kinds.items() if count >= _MANY), "")
    if len(kinds) != 2 or min(kinds.values()) > 1 or not others:
        return list(chosen)
    message = f"though all other notebooks here are of {others}"
    return [
        one
        if one.attribution.exercise == others
        else replace(one, message=", ".join(filter(None, (one.message, message))))
        for one in chosen
    ]


def _typed(name: str) -> str:
    """Return a name of a platform's page as it would be of a file that was uploaded."""
    for form, uploaded in _TYPED:
        name = form.sub(uploaded, name)
    return name


def _without_notebook(
    notebooks: Iterable[ArchiveEntry],
    others: Iterable[ArchiveEntry],
    rules: NamingRules,
    context: ArchiveContext,
    came: Collection[str],
) -> Iterator[tuple[str, str]]:
    """Yield a file of each student of whom no notebook is in the archive, and what to do about it."""
    owners = {_owner(entry, rules, context) for entry in notebooks}
    found: dict[str, list[ArchiveEntry]] = defaultdict(list)
    for entry in others:
        owner = _owner(entry, rules, context)
        if owner not in owners and not any(part.startswith(".") for part in PurePosixPath(entry.path).parts):
            found[owner].append(entry)
    for group in found.values():
        first = min(group, key=_is_helper)
        try:
            students = _students_of(first, rules, context, came)
        except EntryError as error:
            yield first.path, str(error)
            continue
        if students is not None and not (students and set(students) <= set(came)):
            more = f" (nor is any other of these {len(group)} files)" if len(group) > 1 else ""
            yield first.path, f"is no notebook{more}; {_fix(first, students)}"


def _fix(entry: ArchiveEntry, students: Sequence[str]) -> str:
    if _suffix(entry) in _UNREAD:
        return "pack it as a zip, or unpack it into a folder of the student's"
    if _suffix(entry) == ".py":
        return "if it is one as a script, give it the name of its exercise"
    who = ", ".join(students) if students else "whoever it is of"
    return f"ask {who} for the .ipynb file"


def _owner(entry: ArchiveEntry, rules: NamingRules, context: ArchiveContext) -> str:
    """Return what stands for whoever handed in a file: a platform's words, or the first folder or archive."""
    name = _typed(entry.name).removeprefix(context.class_folder)
    if context.record(entry.name):
        parts = entry.name.split("/")
        return "/".join(parts[: 1 if parts[0] in context.gradescope else 2])
    if written := rules.platform_name(name):
        return f"{written.owner}_{written.number}_"
    return name.partition("/")[0]


def _students_of(
    entry: ArchiveEntry, rules: NamingRules, context: ArchiveContext, came: Collection[str]
) -> Sequence[str] | None:
    """Return whose the file is, as far as its name tells; None where nothing shows that it was handed in.

    EntryError says why nobody can tell, though a platform has received the file.
    """
    name = _typed(entry.name)
    own = name.removeprefix(context.class_folder)
    upload = bool(rules.platform_name(own) or context.record(name))
    try:
        return _attributed(_as_notebook(replace(entry, name=name), rules), rules, context, sure=upload)
    except EntryError:
        if upload:
            raise
    if "/" in own or entry.inside or rules.pattern is not None:
        return None
    person = PurePosixPath(stem(own)).stem
    if rules.students is not None:
        with suppress(EntryError):
            as_folder = replace(entry, name=f"{context.class_folder}{person}/{own}")
            return _attributed(as_folder, rules, context, sure=False)
    beside = any(re.match(rf"{re.escape(student)}(?![^\W_])", own, re.IGNORECASE) for student in came)
    return () if _suffix(entry) in _UNREAD | _PAPERS | _PHOTOS and not beside else None


def _as_notebook(entry: ArchiveEntry, rules: NamingRules) -> ArchiveEntry:
    """Return the file as the instructor's pattern would know it, which is made for notebooks."""
    if rules.pattern is None:
        return entry
    last = f"{_ENDING.sub('', entry.inside or entry.name)}.ipynb"
    return replace(entry, inside=last) if entry.inside else replace(entry, name=last)


def _attributed(
    entry: ArchiveEntry, rules: NamingRules, context: ArchiveContext, *, sure: bool
) -> Sequence[str] | None:
    if not (sure or rules.students) and _is_helper(entry):
        return None  # the folder may belong to no student
    members = list(rules.attributions(entry, context))
    students = [member.student for member in members if not member.problem]
    if members and not students:
        raise EntryError("; ".join(member.problem for member in members))
    return students


def _is_helper(entry: ArchiveEntry) -> bool:
    last = PurePosixPath(entry.path).name.lower()
    return _suffix(entry) in _HELPERS or last in _HELPING


def _suffix(entry: ArchiveEntry) -> str:
    return PurePosixPath(entry.path).suffix.lower()
