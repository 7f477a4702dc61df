"""Lists the files of an archive, and decides which notebooks count and for whom.

Notebooks are copied into one file, so an archive of any size takes little memory. Where a name tells no
exercise, the cells do. A student who handed in files but no notebook gets one refusal. What lies beside a
notebook is ignored.
"""

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from functools import partial
from io import FileIO
from pathlib import Path, PurePosixPath

from autograder.collecting.archive import ArchiveEntry, ArchiveError, EntryError, read_entries, unreadable
from autograder.collecting.attempts import stored_numbers
from autograder.collecting.attribution import Attribution, NamingRules, Owners
from autograder.collecting.metadata import METADATA, GradescopeRecord, find_export, read_metadata
from autograder.collecting.names import (
    Platform,
    as_uploaded,
    class_folder,
    is_export,
    is_notebook,
    left_out,
    listed_class_folder,
    name_problem,
    stem,
)
from autograder.course.course import Course
from autograder.course.guard import SubmissionError, one_submission, skipping
from autograder.submission.notebook import MAX_BYTES, Notebook
from autograder.submission.submission import UnknownExerciseError, exercise_by_cells

_UNREAD = {".rar", ".7z", ".gz", ".xz", ".bz2", ".zst", ".lz", ".sit", ".sitx", ".zipx", ".ace"}
_UNREAD |= {".tbz2", ".txz"}  # not .tar.gz
_HELPERS = {".md", ".png", ".svg", ".gif", ".csv", ".tsv", ".npy", ".npz", ".pt", ".pth", ".pkl", ".json"}
_HELPERS |= {".yml", ".yaml", ".toml", ".cfg", ".ini", ".lock", ".pyc", ".log"}
_COLLECTING = "collecting"  # before a file's path in the log
_HELPING = {"conftest.py", "exercise.json", "requirements.txt", "timestamp.txt", "readme.txt"}


def survey(archive: Path, rules: NamingRules, course: Course, copies: FileIO) -> list[Attribution]:
    """Return what an archive holds: of the notebooks, one counts for each student and exercise.

    As long as `copies` is open, the notebooks can be read. OSError says that they cannot be copied there.
    """
    files = _read_as_listed(list(_files(archive, rules, copies, course)), rules, course)
    candidates = [file for file in files if not (file.problem or left_out(file.path))]
    notebooks = [file for file in candidates if _is_notebook(file, rules)]
    others = [file for file in candidates if not _is_notebook(file, rules)]
    sound = [file.name for file in files if not file.problem]
    records, unread = _gradescope_records(archive, sound, files)
    paths = [file.path for file in notebooks or others]
    top = class_folder(paths, rules.exercises)
    if rules.students is not None:
        if _is_someones(top.removesuffix("/"), rules):  # who may have packed others' names
            top = ""
        top = top or listed_class_folder(paths, lambda name: _is_someones(name, rules))
    owners = Owners(rules, map(as_uploaded, sound), top, records, stored_numbers(course.root))
    found = [Attribution(file=file, problem=file.problem) for file in files if file.problem]
    found += [*unread, *_attributed(notebooks, owners, stem(archive.name), course)]
    found += _without_notebook(others, owners, found, course)
    recognised = list[Attribution]()
    for one in found:
        recognised += _guarded([one.file], course, partial(_recognised, one, course, owners))
    if rules.students is None:
        recognised = list(_refuse_several(recognised, top, rules.exercises, course))
    return list(_choose(recognised, course))


def _guarded(
    files: Sequence[ArchiveEntry], course: Course, step: Callable[[], Iterable[Attribution]]
) -> list[Attribution]:
    """Return the result of a step on some files. If our code fails, only these files are refused."""
    try:
        with one_submission(course, _COLLECTING, files[0].path):
            return list(step())
    except SubmissionError as error:
        return [Attribution(file=file, problem=error.problem) for file in files]


def _is_someones(folder: str, rules: NamingRules) -> bool:
    """Whether a folder of this name, alone in an archive, is a student's or a group's, on any platform."""
    if not folder:
        return False
    file = ArchiveEntry(f"{folder}/notebook.ipynb")
    with suppress(EntryError):
        return any(not owner.problem for owner in Owners(rules, [file.name]).of(file))
    return False


def _files(archive: Path, rules: NamingRules, copies: FileIO, course: Course) -> Iterator[ArchiveEntry]:
    """Yield the entries, of which notebooks and Gradescope's file are copied to the end of `copies`.

    Where the archive is broken, these are the entries before that place, and the reason.
    """
    try:
        for entry in read_entries(archive):
            yield _file(entry, rules, copies, course)
    except ArchiveError as error:
        yield ArchiveEntry("", problem=str(error))


def _file(entry: ArchiveEntry, rules: NamingRules, copies: FileIO, course: Course) -> ArchiveEntry:
    """Return an entry with its problem, if it has any, and with a copy of what has to be read later."""
    try:
        with one_submission(course, _COLLECTING, entry.path):
            problem = name_problem(entry.name) or name_problem(entry.inside) or entry.problem
            is_read = _is_notebook(entry, rules) or entry.name.endswith(METADATA)
    except SubmissionError as error:
        problem, is_read = error.problem, False
    read = _copied(entry, copies, course) if is_read and not problem else unreadable
    return replace(entry, read=read, problem=problem)


def _copied(entry: ArchiveEntry, copies: FileIO, course: Course) -> Callable[[int], bytes]:
    """Return what reads a copy of the entry, or says why there is none."""
    try:
        with one_submission(course, _COLLECTING, entry.path):
            content = entry.read_notebook()
    except SubmissionError as error:
        if isinstance(error.__cause__, ArchiveError):
            raise error.__cause__ from None
        return partial(unreadable, problem=error.problem)
    place, left = copies.seek(0, os.SEEK_END), memoryview(content)
    while left:
        left = left[copies.write(left) :]

    def read(_: int) -> bytes:
        copies.seek(place)
        return copies.read(len(content))

    return read


def _read_as_listed(
    files: Sequence[ArchiveEntry], rules: NamingRules, course: Course
) -> Sequence[ArchiveEntry]:
    """Return the files, with the reading of their names that tells most students.

    It is one for the whole archive, which one program has written.
    """
    readings = max((len(file.others) for file in files), default=0)
    choices = [[_reading(file, number) for file in files] for number in range(readings + 1)]

    def students_in_list(choice: Sequence[ArchiveEntry]) -> int:
        owners, listed = Owners(rules, [file.name for file in choice]), 0
        for file in (file for file in choice if file.others and not file.problem):
            with skipping(course, _COLLECTING, file.path, lambda _: None):  # `_attributed` reports it
                listed += bool(owners.of(file))
        return listed

    return max(choices, key=students_in_list) if readings else files


def _reading(file: ArchiveEntry, number: int) -> ArchiveEntry:
    """Return a file under another reading of its name; a name with fewer readings keeps the last of them."""
    names = (file.name, *file.others)
    return replace(file, name=names[min(number, len(names) - 1)])


def _is_notebook(file: ArchiveEntry, rules: NamingRules) -> bool:
    return is_notebook(file.inside or file.name, rules.exercises)


def _gradescope_records(
    archive: Path, sound: Sequence[str], files: Sequence[ArchiveEntry]
) -> tuple[Mapping[str, GradescopeRecord], Sequence[Attribution]]:
    """Return what Gradescope's file says, if the archive is Gradescope's, or why it cannot be read.

    A submission counts as present if any file of it is there, even one that is refused.
    """
    root = archive.resolve().name if archive.is_dir() else ""
    if (folder := find_export(frozenset(sound), root)) is None:
        return {}, ()
    about = next(file for file in files if file.name == folder + METADATA)
    try:
        return read_metadata(about.read(MAX_BYTES), folder, [file.name for file in files]), ()
    except EntryError as error:
        return {}, [Attribution(file=about, problem=str(error))]


def _attributed(
    notebooks: Sequence[ArchiveEntry], owners: Owners, archive: str, course: Course
) -> Iterator[Attribution]:
    """Yield whose the notebooks are.

    A folder with the archive's name may be that of the class, or of a student who has packed others' names.
    """
    for file in notebooks:
        yield from _guarded([file], course, partial(_owners_of, file, owners, archive))


def _owners_of(file: ArchiveEntry, owners: Owners, archive: str) -> Sequence[Attribution]:
    try:
        return owners.of(file)
    except EntryError as error:
        is_around = not owners.class_folder and file.name.startswith(f"{archive}/")
        fix = f'; if "{archive}" holds the class, unpack it and collect the folder inside'
        return [Attribution(file=file, problem=f"{error}{fix if is_around else ''}")]


def _recognised(one: Attribution, course: Course, owners: Owners) -> Iterator[Attribution]:
    """Yield a notebook with its exercise, or with a problem where not even the cells tell it.

    Moodle counts participants anew in each exercise, so only with its exercise a number tells the student.
    """
    if one.exercise or one.problem:
        yield one
        return
    try:
        exercise = exercise_by_cells(course, Path(one.file.path), Notebook(one.file.read_notebook())).name
        if one.platform is Platform.MOODLE and one.number:
            (one,) = owners.of(one.file, exercise)
        yield replace(one, exercise=exercise).saying("known by its cells")
    except UnknownExerciseError:
        known = ", ".join(course.exercises)
        problem = f"names no exercise, nor do its cells; name it as one of {known}, or pass --exercise"
        yield replace(one, problem=problem)
    except EntryError as error:
        yield replace(one, problem=str(error))


def _refuse_several(
    found: Sequence[Attribution], top: str, exercises: Sequence[str], course: Course
) -> Iterator[Attribution]:
    """Yield the attributions, with a problem where a folder of one student may be that of several ones.

    Without a list of students nothing tells a student's folder from one around students. If several folders
    in it hold the same exercise, and the folder itself does not, they may be several students'.
    """
    folders: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in found:
        if not (one.problem or one.platform):
            folders[one.student, one.exercise].add(_folder_below(one, top, exercises))
    for one in found:
        inner = folders.get((one.student, one.exercise), set())
        yield from _guarded([one.file], course, partial(_refused_if_several, one, top, inner))


def _refused_if_several(one: Attribution, top: str, inner: Set[str]) -> Iterator[Attribution]:
    if one.problem or one.platform or len(inner) < 2 or "" in inner:
        yield one
        return
    first = one.file.path.removeprefix(top).partition("/")[0]
    around = os.path.commonpath([f"{top}{first}/{folder}" for folder in inner])
    why = f'"{one.student}" has {one.exercise} in several folders'
    fix = f'if these are students\', unpack the archive and collect "{around}"; if not, keep one'
    yield replace(one, problem=f"{why}; {fix}")


def _folder_below(one: Attribution, top: str, exercises: Sequence[str]) -> str:
    """Return the folders between a student's own folder and the notebook, without one of the exercise."""
    *folders, _ = one.file.path.removeprefix(top).split("/")[1:] or [""]
    return "/".join(folders[:-1] if folders and folders[-1] in exercises else folders)


def _choose(found: Iterable[Attribution], course: Course) -> Iterator[Attribution]:
    """Let one notebook count for each student and exercise; the others are attempts that do not."""
    groups: dict[tuple[str, str], list[Attribution]] = defaultdict(list)
    for one in found:
        if one.problem:
            yield one
        else:
            groups[one.student, one.exercise].append(one)
    for group in groups.values():
        yield from _guarded([one.file for one in group], course, partial(_chosen, group))


def _chosen(group: Sequence[Attribution]) -> Iterator[Attribution]:
    if len({one.file.path for one in group}) < len(group):
        yield from (replace(one, problem="is in the archive several times; keep one") for one in group)
        return
    *others, best = sorted(group, key=_rank(group))
    yield from (_no_later(one, best) if is_export(one.file.path) else one for one in others)
    yield replace(best.saying(_choice(best, others)), counts=True)


def _rank(group: Sequence[Attribution]) -> Callable[[Attribution], tuple[bool, float, bool]]:
    """Return what orders a student's notebooks for one exercise: the one that counts last, scripts first.

    The platform's order of uploads decides, and outside platforms the time of the files. Where these tell
    nothing, the exercise's very name does, then the place in the archive.
    """
    is_ordered = len({one.upload or 0 for one in group}) == len(group)

    def rank(one: Attribution) -> tuple[bool, float, bool]:
        files_time = one.file.when.timestamp() if one.file.when and not one.platform else 0.0
        order = (one.upload or 0) if is_ordered else files_time
        return not is_export(one.file.path), order, one.exact

    return rank


def _no_later(script: Attribution, notebook: Attribution) -> Attribution:
    """Return a script as one handed in no later than the notebook beside it, which counts."""
    uploads = (script.upload, notebook.upload)
    upload = None if None in uploads else min(filter(None, uploads), default=None)
    file = replace(script.file, when=notebook.file.when)
    return replace(script, file=file, upload=upload, when=notebook.when)


def _choice(best: Attribution, others: Sequence[Attribution]) -> str:
    """Say which notebook counts, and which do not."""
    if not others:
        return ""
    paths = [one.file.path for one in (best, *others)]
    names = [PurePosixPath(path).name for path in paths]
    name, *rest = names if len({*names}) == len(names) else paths
    last = ", the last upload," if (best.upload or 0) > max(one.upload or 0 for one in others) else ""
    return f"{name}{last} counts and not {', '.join(rest)}"


def _without_notebook(
    others: Sequence[ArchiveEntry], owners: Owners, found: Sequence[Attribution], course: Course
) -> Iterator[Attribution]:
    """Yield the refusal of one file of each student of whom no notebook was found.

    A packed file that cannot be opened may hold somebody's notebook, even if its name tells no student.
    """
    came = {one.student for one in found if one.student}
    groups: dict[tuple[str, ...], ArchiveEntry] = {}
    failures = list[SubmissionError]()
    for file in others:
        with skipping(course, _COLLECTING, file.path, failures.append):
            if (students := _students_of(file, owners)) is not None:
                groups.setdefault(students, file)
    paths = {file.path: file for file in others if failures}
    yield from (Attribution(file=paths[error.student], problem=error.problem) for error in failures)
    for students, file in groups.items():
        if not came.issuperset(students):
            yield Attribution(file=file, problem=f"is not a notebook; {_fix(file, students)}")


def _students_of(file: ArchiveEntry, owners: Owners) -> tuple[str, ...] | None:
    """Return whose this file is that is no notebook; None for one that tells nothing."""
    name = as_uploaded(file.name)
    if _is_helper(file) and not (owners.platform_name(name) or owners.record(name)):
        return None
    with suppress(EntryError):
        return tuple(one.student for one in owners.of(replace(file, name=name)) if not one.problem)
    return (file.path,) if _suffix(file) in _UNREAD else ()


def _fix(file: ArchiveEntry, students: Sequence[str]) -> str:
    if _suffix(file) in _UNREAD:
        return "pack it as a zip, or unpack it into a folder of the student's"
    if is_export(file.path):
        return "if it is one as a script, give it the name of its exercise"
    return f"ask {', '.join(students)} for the .ipynb file"


def _is_helper(file: ArchiveEntry) -> bool:
    """Whether a file is of a kind that lies beside notebooks, so that its folder may be no student's."""
    path = PurePosixPath(file.path)
    is_hidden = any(part.startswith(".") for part in path.parts)
    return is_hidden or _suffix(file) in _HELPERS or path.name.lower() in _HELPING


def _suffix(file: ArchiveEntry) -> str:
    return PurePosixPath(file.path).suffix.lower()
