"""Says who handed in something but no notebook: one of the files, and what to do about it.

Whatever else lies beside a notebook is of no interest: data, figures, a platform's own pages.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from autograder.collecting.attribution import ArchiveContext, NamingRules
from autograder.collecting.entry import ArchiveEntry, EntryError
from autograder.collecting.names import stem

_UNREAD = {
    ".rar",
    ".7z",
    ".gz",
    ".xz",
    ".bz2",
    ".zst",
    ".lz",
    ".sit",
    ".sitx",
    ".zipx",
    ".ace",
}  # not .tar.gz
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
class Unused:
    """The files of one owner, none of them a notebook, and whose they are as far as anybody knows."""

    files: Sequence[ArchiveEntry]
    students: Sequence[str]
    problem: str = ""  # why nobody knows

    @property
    def message(self) -> str:
        """What there is to say about the first file."""
        more = f" (nor is any other of these {len(self.files)} files)" if len(self.files) > 1 else ""
        return self.problem or f"is no notebook{more}; {self._fix()}"

    def _fix(self) -> str:
        form = _suffix(self.files[0])
        if form in _UNREAD:
            return "pack it as a zip, or unpack it into a folder of the student's"
        if form == ".py":
            return "if it is one as a script, give it the name of its exercise"
        who = f"ask {', '.join(self.students)}" if self.students else "ask whoever it is of"
        return f"{who} for the .ipynb file"


def typed(name: str) -> str:
    """Return a name of a platform's page as it would be of a file that was uploaded."""
    for form, uploaded in _TYPED:
        name = form.sub(uploaded, name)
    return name


def without_notebook(
    notebooks: Iterable[ArchiveEntry],
    others: Iterable[ArchiveEntry],
    rules: NamingRules,
    context: ArchiveContext,
    came: Collection[str],
) -> Iterator[Unused]:
    """Yield, in order, what is of students of whom no notebook is in the archive."""
    owners = {_owner(entry, rules, context) for entry in notebooks}
    found: dict[str, list[ArchiveEntry]] = defaultdict(list)
    for entry in others:
        owner = _owner(entry, rules, context)
        if owner not in owners and not any(part.startswith(".") for part in PurePosixPath(entry.path).parts):
            found[owner].append(entry)
    for group in found.values():
        files = sorted(group, key=_is_helper)
        whose = _whose(files[0], rules, context, came)
        if whose is not None and not (whose.students and set(whose.students) <= set(came)):
            yield replace(whose, files=files)


def _owner(entry: ArchiveEntry, rules: NamingRules, context: ArchiveContext) -> str:
    """Return what stands for whoever handed in a file: a platform's words, or the first folder or archive."""
    name = typed(entry.name).removeprefix(context.class_folder)
    if context.record(entry.name):
        parts = entry.name.split("/")
        return "/".join(parts[: 1 if parts[0] in context.gradescope else 2])
    if written := rules.platform_name(name):
        return f"{written.owner}_{written.number}_"
    return name.partition("/")[0]


def _whose(
    entry: ArchiveEntry, rules: NamingRules, context: ArchiveContext, came: Collection[str]
) -> Unused | None:
    """Return whose the file is; None where nothing shows that somebody handed it in."""
    name = typed(entry.name)
    own = name.removeprefix(context.class_folder)
    upload = bool(rules.platform_name(own) or context.record(name))
    try:
        return _attributed(_as_notebook(replace(entry, name=name), rules), rules, context, sure=upload)
    except EntryError as error:
        if upload:
            return Unused((), (), str(error))
    if "/" in own or entry.inside or rules.pattern is not None:
        return None
    person = PurePosixPath(stem(own)).stem
    if rules.students is not None:
        with suppress(EntryError):
            as_folder = replace(entry, name=f"{context.class_folder}{person}/{own}")
            return _attributed(as_folder, rules, context, sure=False)
    beside = any(re.match(rf"{re.escape(student)}(?![^\W_])", own, re.IGNORECASE) for student in came)
    return Unused((), ()) if _suffix(entry) in _UNREAD | _PAPERS | _PHOTOS and not beside else None


def _as_notebook(entry: ArchiveEntry, rules: NamingRules) -> ArchiveEntry:
    """Return the file as the instructor's pattern would know it, which is made for notebooks."""
    if rules.pattern is None:
        return entry
    last = f"{_ENDING.sub('', entry.inside or entry.name)}.ipynb"
    return replace(entry, inside=last) if entry.inside else replace(entry, name=last)


def _attributed(
    entry: ArchiveEntry, rules: NamingRules, context: ArchiveContext, *, sure: bool
) -> Unused | None:
    if not (sure or rules.students) and _is_helper(entry):
        return None  # the folder may belong to no student
    members = list(rules.attributions(entry, context))
    students = [member.student for member in members if not member.problem]
    problems = [member.problem for member in members if member.problem]
    return Unused((), students, "" if students else "; ".join(problems))


def _is_helper(entry: ArchiveEntry) -> bool:
    last = PurePosixPath(entry.path).name.lower()
    return _suffix(entry) in _HELPERS or last in _HELPING


def _suffix(entry: ArchiveEntry) -> str:
    return PurePosixPath(entry.path).suffix.lower()
