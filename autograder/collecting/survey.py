"""Lists the notebooks of an archive, finds their students and exercises, and chooses those that count.

Notebooks are copied into one temporary file, so an archive of any size takes little memory. If a file's name
does not contain the name of an exercise, the notebook's cells show the exercise. If a student submitted files
but no notebook, one file is refused, so that the student is reported. A student's other files are ignored.
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

# Suffixes of packed files that are not opened. A .gz is not opened, but a .tar.gz is.
_PACKED_SUFFIXES = {".rar", ".7z", ".gz", ".xz", ".bz2", ".zst", ".lz", ".sit", ".sitx", ".zipx", ".ace"}
_PACKED_SUFFIXES |= {".tbz2", ".txz"}
_HELPER_SUFFIXES = {".md", ".png", ".svg", ".gif", ".csv", ".tsv", ".npy", ".npz", ".pt", ".pth", ".pkl"}
_HELPER_SUFFIXES |= {".json", ".yml", ".yaml", ".toml", ".cfg", ".ini", ".lock", ".pyc", ".log"}
_HELPER_NAMES = {"conftest.py", "exercise.json", "requirements.txt", "timestamp.txt", "readme.txt"}
_COLLECTING = "collecting"  # the word before a file's path in log messages


def survey(archive: Path, rules: NamingRules, course: Course, copies: FileIO) -> list[Attribution]:
    """Return an archive's notebooks and refused files. For each student and exercise, one notebook counts.

    The notebooks are copied to `copies`, and can be read while it is open. If copying fails, raise OSError.
    """
    files = _choose_encoding(list(_copied_files(archive, rules, copies, course)), rules, course)
    candidates = [file for file in files if not (file.problem or left_out(file.path))]
    notebooks = [file for file in candidates if _is_notebook(file, rules)]
    others = [file for file in candidates if not _is_notebook(file, rules)]
    sound = [file.name for file in files if not file.problem]
    records, refused_metadata = _gradescope_records(archive, sound, files)
    paths = [file.path for file in notebooks or others]
    top = class_folder(paths, rules.exercises)
    if rules.students is not None:
        # A student's own folder is not the class's, even if it has folders with other students' names.
        if _is_owned(top.removesuffix("/"), rules):
            top = ""
        top = top or listed_class_folder(paths, lambda name: _is_owned(name, rules))
    owners = Owners(rules, map(as_uploaded, sound), top, records, stored_numbers(course.root))
    attributions = [Attribution(file=file, problem=file.problem) for file in files if file.problem]
    attributions += refused_metadata
    for file in notebooks:
        attributions += _guarded([file], course, partial(_owners_of, file, owners, stem(archive.name)))
    attributions += _refuse_without_notebook(others, owners, attributions, course)
    recognised = list[Attribution]()
    for attribution in attributions:
        recognised += _guarded([attribution.file], course, partial(_recognise, attribution, course, owners))
    if rules.students is None:
        recognised = list(_refuse_shared_folders(recognised, top, rules.exercises, course))
    return list(_choose(recognised, course))


def _guarded(
    files: Sequence[ArchiveEntry], course: Course, step: Callable[[], Iterable[Attribution]]
) -> list[Attribution]:
    """Return the result of a step that concerns these files. If the step fails, refuse only these files."""
    try:
        with one_submission(course, _COLLECTING, files[0].path):
            return list(step())
    except SubmissionError as error:
        return [Attribution(file=file, problem=error.problem) for file in files]


def _is_owned(folder: str, rules: NamingRules) -> bool:
    """Whether a folder with this name belongs to a student or a group."""
    if not folder:
        return False
    file = ArchiveEntry(f"{folder}/notebook.ipynb")
    with suppress(EntryError):
        return any(not owner.problem for owner in Owners(rules, [file.name]).of(file))
    return False


def _copied_files(
    archive: Path, rules: NamingRules, copies: FileIO, course: Course
) -> Iterator[ArchiveEntry]:
    """Yield the entries, and copy notebooks and Gradescope's metadata file to the end of `copies`.

    If the archive is damaged, the readable entries are followed by an entry that states the problem.
    """
    try:
        for entry in read_entries(archive):
            yield _file(entry, rules, copies, course)
    except ArchiveError as error:
        yield ArchiveEntry("", problem=str(error))


def _file(entry: ArchiveEntry, rules: NamingRules, copies: FileIO, course: Course) -> ArchiveEntry:
    """Return an entry with its `problem`, if any. Copy content that a later step reads."""
    try:
        with one_submission(course, _COLLECTING, entry.path):
            problem = name_problem(entry.name) or name_problem(entry.inside) or entry.problem
            is_read = _is_notebook(entry, rules) or entry.name.endswith(METADATA)
    except SubmissionError as error:
        problem, is_read = error.problem, False
    read = _copied(entry, copies, course) if is_read and not problem else unreadable
    return replace(entry, read=read, problem=problem)


def _copied(entry: ArchiveEntry, copies: FileIO, course: Course) -> Callable[[int], bytes]:
    """Copy an entry's content. Return a function that reads the copy; without a copy it raises EntryError."""
    try:
        with one_submission(course, _COLLECTING, entry.path):
            content = entry.read_notebook()
    except SubmissionError as error:
        if isinstance(error.__cause__, ArchiveError):
            raise error.__cause__ from None
        return partial(unreadable, problem=error.problem)
    offset, unwritten = copies.seek(0, os.SEEK_END), memoryview(content)
    while unwritten:
        unwritten = unwritten[copies.write(unwritten) :]

    def read(_: int) -> bytes:
        copies.seek(offset)
        return copies.read(len(content))

    return read


def _choose_encoding(
    files: Sequence[ArchiveEntry], rules: NamingRules, course: Course
) -> Sequence[ArchiveEntry]:
    """Return the files, with all names decoded in the same way, because one program wrote all of them.

    The encoding that identifies the owners of the most files is chosen.
    """
    count = max((len(file.others) for file in files), default=0)
    choices = [[_decoded(file, number) for file in files] for number in range(count + 1)]

    def count_listed_files(choice: Sequence[ArchiveEntry]) -> int:
        owners, listed_files = Owners(rules, [file.name for file in choice]), 0
        for file in (file for file in choice if file.others and not file.problem):
            with skipping(course, _COLLECTING, file.path, lambda _: None):  # `survey` reports the error later
                listed_files += bool(owners.of(file))
        return listed_files

    return max(choices, key=count_listed_files) if count else files


def _decoded(file: ArchiveEntry, number: int) -> ArchiveEntry:
    names = (file.name, *file.others)
    return replace(file, name=names[min(number, len(names) - 1)])


def _is_notebook(file: ArchiveEntry, rules: NamingRules) -> bool:
    return is_notebook(file.inside or file.name, rules.exercises)


def _gradescope_records(
    archive: Path, sound: Sequence[str], files: Sequence[ArchiveEntry]
) -> tuple[Mapping[str, GradescopeRecord], Sequence[Attribution]]:
    """Return the records in Gradescope's metadata file, or a refusal of this file.

    `sound` has the names of the files that are not refused. Each submission in the metadata file
    must have a file in the archive, even if this file is refused.
    """
    root = archive.resolve().name if archive.is_dir() else ""
    if (folder := find_export(frozenset(sound), root)) is None:
        return {}, ()
    metadata = next(file for file in files if file.name == folder + METADATA)
    try:
        return read_metadata(metadata.read(MAX_BYTES), folder, [file.name for file in files]), ()
    except EntryError as error:
        return {}, [Attribution(file=metadata, problem=str(error))]


def _owners_of(file: ArchiveEntry, owners: Owners, archive: str) -> Sequence[Attribution]:
    """Return the attributions of a notebook, or a refusal.

    A folder with the archive's name may belong to the whole class, or to one student who has named folders
    after other students. If it belongs to the class, the message of the refusal says what to do.
    """
    try:
        return owners.of(file)
    except EntryError as error:
        may_be_class = not owners.class_folder and file.name.startswith(f"{archive}/")
        fix = f'; if "{archive}" is the folder of the whole class, unpack the archive and collect that folder'
        return [Attribution(file=file, problem=f"{error}{fix if may_be_class else ''}")]


def _recognise(attribution: Attribution, course: Course, owners: Owners) -> Iterator[Attribution]:
    """Yield a notebook with its exercise, which the cells show if the file's name does not contain it.

    If the cells do not show it either, the notebook is refused. A number from Moodle is valid for one
    exercise only. So after the exercise is known, the student is looked up again.
    """
    if attribution.exercise or attribution.problem:
        yield attribution
        return
    file = attribution.file
    try:
        exercise = exercise_by_cells(course, Path(file.path), Notebook(file.read_notebook())).name
        if attribution.platform is Platform.MOODLE and attribution.number:
            (attribution,) = owners.of(file, exercise)
        yield replace(attribution, exercise=exercise).with_message("recognised by its cells")
    except UnknownExerciseError:
        fix = f"rename it to one of {', '.join(course.exercises)}, or pass --exercise"
        problem = f"neither the name nor the cells show the exercise; {fix}"
        yield replace(attribution, problem=problem)
    except EntryError as error:
        yield replace(attribution, problem=str(error))


def _refuse_shared_folders(
    attributions: Sequence[Attribution], top: str, exercises: Sequence[str], course: Course
) -> Iterator[Attribution]:
    """Yield the attributions, but refuse files in a folder that may have the work of several students.

    Such a folder has the same exercise in several subfolders, but not in the folder itself.
    """
    folders: dict[tuple[str, str], set[str]] = defaultdict(set)
    for attribution in attributions:
        if not (attribution.problem or attribution.platform):
            inner_folder = _folder_below(attribution, top, exercises)
            folders[attribution.student, attribution.exercise].add(inner_folder)
    for attribution in attributions:
        inner = folders.get((attribution.student, attribution.exercise), set())
        yield from _guarded([attribution.file], course, partial(_refuse_if_shared, attribution, top, inner))


def _refuse_if_shared(attribution: Attribution, top: str, inner: Set[str]) -> Iterator[Attribution]:
    if attribution.problem or attribution.platform or len(inner) < 2 or "" in inner:
        yield attribution
        return
    first = attribution.file.path.removeprefix(top).partition("/")[0]
    outer = os.path.commonpath([f"{top}{first}/{folder}" for folder in inner])
    problem = f'"{attribution.student}" has {attribution.exercise} in several folders'
    fix = f'unpack the archive and collect "{outer}"; if not, keep only one folder'
    yield replace(attribution, problem=f"{problem}; if these folders belong to different students, {fix}")


def _folder_below(attribution: Attribution, top: str, exercises: Sequence[str]) -> str:
    """Return the path from a student's folder to the notebook's folder, without the exercise's own folder."""
    *folders, _ = attribution.file.path.removeprefix(top).split("/")[1:] or [""]
    return "/".join(folders[:-1] if folders and folders[-1] in exercises else folders)


def _choose(attributions: Iterable[Attribution], course: Course) -> Iterator[Attribution]:
    """Choose the notebook that counts for each student and exercise. Others become older attempts."""
    groups: dict[tuple[str, str], list[Attribution]] = defaultdict(list)
    for attribution in attributions:
        if attribution.problem:
            yield attribution
        else:
            groups[attribution.student, attribution.exercise].append(attribution)
    for group in groups.values():
        yield from _guarded([notebook.file for notebook in group], course, partial(_choose_best, group))


def _choose_best(group: Sequence[Attribution]) -> Iterator[Attribution]:
    if len({notebook.file.path for notebook in group}) < len(group):
        problem = "is in the archive several times; keep one"
        yield from (replace(notebook, problem=problem) for notebook in group)
        return
    *others, best = sorted(group, key=_rank(group))
    yield from (_no_later(other, best) if is_export(other.file.path) else other for other in others)
    yield replace(best.with_message(_choice(best, others)), counts=True)


def _rank(group: Sequence[Attribution]) -> Callable[[Attribution], tuple[bool, float, bool]]:
    """Return a sort key for a student's notebooks for one exercise. The last notebook counts.

    The first of these rules that distinguishes two notebooks decides:

    - Notebooks that were exported as scripts come before other notebooks.
    - Later uploads come later. If the numbers of the uploads are not all different, files with later times
      come later. Times of files in a platform's archive are ignored.
    - Names that end with the name of the exercise come last.

    Files with equal keys stay in the order of the archive.
    """
    is_ordered = len({notebook.upload or 0 for notebook in group}) == len(group)

    def rank(notebook: Attribution) -> tuple[bool, float, bool]:
        when = notebook.file.when
        files_time = when.timestamp() if when and not notebook.platform else 0.0
        order = (notebook.upload or 0) if is_ordered else files_time
        return not is_export(notebook.file.path), order, notebook.exact

    return rank


def _no_later(script: Attribution, notebook: Attribution) -> Attribution:
    """Return a script, changed so that it cannot replace `notebook`, the notebook that counts.

    The script gets the time of this notebook. Its upload number is not greater than the notebook's.
    """
    uploads = (script.upload, notebook.upload)
    upload = None if None in uploads else min(filter(None, uploads), default=None)
    file = replace(script.file, when=notebook.file.when)
    return replace(script, file=file, upload=upload, when=notebook.when)


def _choice(best: Attribution, others: Sequence[Attribution]) -> str:
    """Return a message that names the notebook that counts, or "" if it is the only one."""
    if not others:
        return ""
    paths = [notebook.file.path for notebook in (best, *others)]
    names = [PurePosixPath(path).name for path in paths]
    name, *rest = names if len({*names}) == len(names) else paths
    is_last_upload = (best.upload or 0) > max(other.upload or 0 for other in others)
    return f"{name}{', the last upload,' if is_last_upload else ''} counts instead of {', '.join(rest)}"


def _refuse_without_notebook(
    others: Sequence[ArchiveEntry], owners: Owners, notebooks: Sequence[Attribution], course: Course
) -> Iterator[Attribution]:
    """Refuse one file of each student who submitted other files, but no notebook.

    A packed file that is not opened, such as a .rar, is refused even if its student is unknown.
    """
    with_notebook = {notebook.student for notebook in notebooks if notebook.student}
    groups: dict[tuple[str, ...], ArchiveEntry] = {}
    failures = list[SubmissionError]()
    for file in others:
        with skipping(course, _COLLECTING, file.path, failures.append):
            if (students := _students_of(file, owners)) is not None:
                groups.setdefault(students, file)
    paths = {file.path: file for file in others if failures}
    yield from (Attribution(file=paths[error.student], problem=error.problem) for error in failures)
    for students, file in groups.items():
        if not with_notebook.issuperset(students):
            yield Attribution(file=file, problem=f"is not a notebook; {_fix(file, students)}")


def _students_of(file: ArchiveEntry, owners: Owners) -> tuple[str, ...] | None:
    """Return the ids of the owners of a file that is not a notebook, or None if the file can be ignored.

    If the owner is unknown, return (). A packed file of an unknown owner must be refused, so its path is
    returned instead.
    """
    name = as_uploaded(file.name)
    if _is_helper(file) and not (owners.platform_name(name) or owners.record(name)):
        return None
    with suppress(EntryError):
        attributions = owners.of(replace(file, name=name))
        return tuple(owner.student for owner in attributions if not owner.problem)
    return (file.path,) if _suffix(file) in _PACKED_SUFFIXES else ()


def _fix(file: ArchiveEntry, students: Sequence[str]) -> str:
    if _suffix(file) in _PACKED_SUFFIXES:
        return "pack it as a zip, or unpack it into the student's folder"
    if is_export(file.path):
        return "if it is a notebook saved as a script, rename the file to the name of its exercise"
    return f"ask {', '.join(students)} for the .ipynb file"


def _is_helper(file: ArchiveEntry) -> bool:
    """Whether a file is of a kind that often accompanies notebooks, such as pictures and data."""
    path = PurePosixPath(file.path)
    is_hidden = any(part.startswith(".") for part in path.parts)
    return is_hidden or _suffix(file) in _HELPER_SUFFIXES or path.name.lower() in _HELPER_NAMES


def _suffix(file: ArchiveEntry) -> str:
    return PurePosixPath(file.path).suffix.lower()
