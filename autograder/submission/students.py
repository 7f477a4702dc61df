"""Reads students.csv: the students of the course, their names, their groups, and their ids on platforms.

The platforms are Canvas, Moodle and Gradescope. In the names of files, Canvas writes a student's name without
spaces: such a name is called squeezed here. Headings are recognised in several languages and spellings.
"""

import csv
import io
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from autograder.course.guard import SubmissionError
from autograder.course.kept import STUDENTS
from autograder.course.names import closest
from autograder.errors import UsageError
from autograder.files import write_whole
from autograder.submission.submission import is_student

PLATFORMS = ("canvas", "moodle", "gradescope")
COLUMNS = ("id", "name", "email", *PLATFORMS, "group")
_FIRST, _LAST, _STUDENT = "first name", "last name", "student"
_MEANINGS = {
    "id": "idnumber idnummer idnr sisuserid sisloginid sisid"
    " studentid studentnumber studentno studentnr sid username userid login loginid"
    " matrikelnummer matrikelnr matrikel matriculationnumber matrnr matrnummer mtknr kennung benutzername"
    " anmeldename registrationnumber numérodétudiant numéroétudiant numerodetudiant numerodidentification"
    " numérodidentification matricule matricola numerodimatricola matrícula númerodeid numerodeid"
    " studentnummer studienummer opiskelijanumero",
    "name": "names fullname studentname displayname anzeigename vollständigername vollername nomcomplet"
    " nombrecompleto nomecompleto nachnamevorname namevorname lastnamefirstname",
    "email": "mail emailaddress mailaddress emailadresse mailadresse courriel adressedecourriel"
    " direccióndecorreo correo indirizzoemail",
    "group": "groups gruppe gruppen team groupe groupes grupo grupos gruppo gruppi",
    _FIRST: "firstname vorname vornamen givenname givennames prénom prenom nombre nome voornaam förnamn",
    _LAST: "lastname nachname surname familyname familienname nom apellido apellidos cognome achternaam"
    " efternamn",
}
_MEANING_OF = {word: meaning for meaning, words in _MEANINGS.items() for word in (*words.split(), meaning)}
_NUMBER, _EMAIL = re.compile(r"\d{3,}"), re.compile(r"\S+@\S+\.\S+")
_MODEL = "write the headings id,name,email above the students"


def meaning(heading: str) -> str:
    """Return the meaning of a heading, such as "email", or the heading in lower case if it is unknown."""
    text = unicodedata.normalize("NFKC", heading).strip().casefold()
    return _MEANING_OF.get(re.sub(r"[\W_]", "", text), text)


_SEPARATOR = re.compile(r"\s*;\s*")  # separates several names or groups in one cell
# Characters that Moodle removes from names when it writes a zip file, and characters between words of a name.
_REMOVED, _BETWEEN_WORDS = re.compile(r"[&<>\"`|':\\/\x00-\x1f]"), re.compile(r"[\s._,]+")
# Characters that are replaced by "'", and characters that are replaced by "-".
_APOSTROPHES = re.compile("[\u00b4\u02b9\u02bb\u02bc\u02bd\u02c8\u2018\u2019\u201b\u2032\ua78c]")
_HYPHENS = re.compile("[\u2010-\u2015\u2212\ufe58]")
# A student is looked up by a key: a pair of a kind and a text. These are four of the kinds. The kind of an id
# on a platform is the platform's name. The kind of the id in this course and of the email address is "".
_ANY, _NAME, _SQUEEZED, _GROUP = "id anywhere", "name", "squeezed name", "group"


@dataclass(frozen=True, slots=True)
class Student:
    """One student: the id in this course, the names, and the ids on platforms."""

    id: str
    names: tuple[str, ...] = ()
    email: str = ""
    platforms: Mapping[str, str] = field(default_factory=dict)  # ids by platform
    groups: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[str, str]:
        """The last and the first name. The first of `names` is written "Last, First" or "First Last"."""
        name = self.names[0] if self.names else ""
        last, comma, first = name.partition(",")
        if not comma:
            first, _, last = name.rpartition(" ")
        return last.strip(), first.strip()

    @property
    def name(self) -> str:
        """The name for sorted lists: "Last, First", or the id if there is no name."""
        last, first = self.parts
        return f"{last}, {first}" if first else last or self.id

    @property
    def full_name(self) -> str:
        """First and last name, or "" if there is no name."""
        return " ".join(filter(None, reversed(self.parts)))

    @property
    def ids(self) -> Iterator[tuple[str, str]]:
        """Pairs of platform and id. The id in this course and the email address have the platform ""."""
        yield from (("", text) for text in (self.id, self.email) if text)
        yield from self.platforms.items()


@dataclass(frozen=True)
class Students:
    """The students of a course, in the list's order."""

    all: tuple[Student, ...]

    def called(self, text: str, platform: str = "") -> Sequence[Student]:
        """Return the students whom `text` identifies.

        `text` is compared with these keys, until one of them matches:
        - the id on `platform`, unless `platform` is ""
        - the id in this course, or the email address
        - the name in any spelling, which several students may have
        - the id on any platform, if `platform` is ""
        """
        ids = [(kind, folded(text)) for kind in dict.fromkeys((platform, ""))]
        anywhere = [] if platform else [(_ANY, folded(text))]
        return self._first(*ids, (_NAME, spelling(text)), *anywhere)

    def squeezed(self, text: str) -> Sequence[Student]:
        """Return the students whose squeezed name is `text`."""
        return self._first((_SQUEEZED, squeezed(text)))

    def closest(self, text: str) -> Student | None:
        """Return the student whose id, name or address is most similar to `text`, or None."""
        keys = (_ANY, _NAME)
        by_text = {text: students[0] for (kind, text), students in self._by_key.items() if kind in keys}
        return by_text.get(closest(spelling(text), by_text))

    def in_group(self, text: str) -> Sequence[Student]:
        """Return the members of a group. Case and spaces in its name do not count."""
        return self._first((_GROUP, squeezed(text)))

    def unknown(self, id_: str) -> str:
        """Return "" if `id_` is a student's id, else a message with a suggestion."""
        if id_ in (student.id for student in self.all):
            return ""
        similar = self.closest(id_)
        suggested = ", ".join(student.id for student in self.called(id_) or filter(None, [similar]))
        fix = f'did you mean "{suggested}"?' if suggested else "add it there"
        return f'"{id_}" is not an id in {STUDENTS}; {fix}'

    def _first(self, *keys: tuple[str, str]) -> Sequence[Student]:
        return next(filter(None, map(self._by_key.get, keys)), ())

    @cached_property
    def _by_key(self) -> Mapping[tuple[str, str], Sequence[Student]]:
        """The students with each key, in the list's order."""
        by_key: dict[tuple[str, str], list[Student]] = defaultdict(list)
        for student in self.all:
            ids = [(platform, folded(text)) for platform, text in student.ids]
            names = list(_name_rotations(student))
            keys = [*ids, *((_ANY, text) for _, text in ids), *((_NAME, form) for form in names)]
            keys += [(_SQUEEZED, squeezed(form)) for form in names]
            keys += [(_GROUP, squeezed(group)) for group in student.groups]
            for key in dict.fromkeys(keys):
                by_key[key].append(student)
        return by_key


@lru_cache(maxsize=1 << 16)
def spelling(text: str) -> str:
    """Return a name or id in lower case, with uniform apostrophes, hyphens and separators."""
    plain = unicodedata.normalize("NFKC", _HYPHENS.sub("-", _APOSTROPHES.sub("'", text)))
    return _BETWEEN_WORDS.sub(" ", _REMOVED.sub("", folded(plain))).strip()


def folded(text: str) -> str:
    """Return a name in lower case and in one Unicode form, because some file systems ignore case and form."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def squeezed(text: str) -> str:
    """Return the letters and digits of a name, in lower case."""
    return re.sub(r"[\W_]", "", spelling(text))


def _name_rotations(student: Student) -> Iterator[str]:
    """Yield each name with its words rotated, such as "ann m lee", "m lee ann" and "lee ann m"."""
    for name in student.names:
        words = spelling(name).split(" ")
        yield from (" ".join(words[first:] + words[:first]) for first in range(len(words)))


def listed_by_id(root: Path) -> dict[str, Student]:
    """Return the students in students.csv by id, or {} if there is no such file."""
    listed = listed_students(root)
    return {student.id: student for student in (listed.all if listed else ())}


def student_names(root: Path) -> dict[str, str]:
    """Return the full names in students.csv by id, or {} if there is no such file."""
    listed = listed_students(root)
    return {student.id: student.full_name for student in (listed.all if listed else ()) if student.full_name}


def with_name(student: str, names: Mapping[str, str]) -> str:
    """Return a student's id and, if it is known, the name, such as "s07 (Ada Lovelace)"."""
    return f"{student} ({names[student]})" if names.get(student) else student


def failure_line(error: SubmissionError, names: Mapping[str, str]) -> str:
    """Return the message of a failure, with the name of the student."""
    return f"{error.exercise} {with_name(error.student, names)}: {error.problem}"


def listed_students(root: Path) -> Students | None:
    """Return the students in students.csv, or None if there is no such file."""
    path = root / STUDENTS
    return read_students(path) if path.is_file() else None


def read_students(path: Path) -> Students:
    """Return the students in a CSV file. If there is no header, each row is an id followed by names."""
    rows = [[cell.strip() for cell in row] for row in read_rows(path)]
    try:
        columns = _columns(rows)
    except ValueError as error:
        raise UsageError(f"{path}:1: {error}") from None
    has_header = bool(columns)
    lines = [(f"{path}:{number}", cells) for number, cells in enumerate(rows, 1) if any(cells)]
    students = [(line, _student(line, columns, cells)) for line, cells in lines[has_header:]]
    _refuse_repetitions(path, students, names=not has_header)
    return Students(tuple(student for _, student in students))


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the names of the columns, or an empty list if the first row describes a student.

    If the first row is a header without an id, or with an unknown or repeated heading, ValueError is raised.
    """
    headings = rows[0] if rows else ()
    columns = [meaning(heading) for heading in headings]
    if _STUDENT in columns:
        columns[columns.index(_STUDENT)] = "name" if "id" in columns else "id"
    if _FIRST in columns and _LAST not in columns and "name" in columns:
        columns[columns.index("name")] = _LAST
    are_meanings = [column in (*COLUMNS, _FIRST, _LAST) for column in columns]
    if "id" not in columns:
        if any(are_meanings[:1]) or sum(are_meanings) > 1 or _is_header(headings, rows[1:]):
            raise ValueError(f'"{", ".join(headings)}" has no column id; {_MODEL}')
        return []
    for heading, column, is_meaning in zip(headings, columns, are_meanings, strict=True):
        if column and (not is_meaning or columns.count(column) > 1):
            fix = f"use {', '.join(COLUMNS)}, or delete this heading if the column is not needed"
            raise ValueError(f'"{heading}" is not a known heading, or occurs twice; {fix}')
    return columns


def _is_header(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a heading is a text above a column that has only numbers or only email addresses."""
    filled = [row for row in rows if any(row)]
    return len(filled) > 1 and any(
        heading and not form.search(heading) and all(map(form.fullmatch, cells))
        for heading, *cells in zip(headings, *filled, strict=False)
        for form in (_NUMBER, _EMAIL)
    )


def read_rows(path: Path) -> list[list[str]]:
    """Return the rows of a CSV file, with "," or ";" between cells. Raise UsageError if it cannot be read."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
        semicolons = bool(lines) and ";" in lines[0] and "," not in lines[0]
        return list(csv.reader(lines, delimiter=";" if semicolons else ","))
    except FileNotFoundError:
        raise UsageError(f"{path}: there is no such file") from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be opened: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: cannot be read; save it as CSV in UTF-8") from None
    except csv.Error:
        fix = "delete cells with long texts, such as answers of students"
        raise UsageError(f"{path}: has a cell that is too long to be read; {fix}") from None


def write_rows(path: Path, rows: Iterable[Sequence[str]]) -> None:
    """Write a CSV file in UTF-8, with commas between cells."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    write_whole(path, text.getvalue())


def _student(line: str, columns: Sequence[str], cells: Sequence[str]) -> Student:
    values = dict(zip(columns, cells, strict=False))
    if columns:
        parts = ", ".join(filter(None, (values.get(_LAST), values.get(_FIRST))))
        values["name"] = ";".join(filter(None, (values.get("name"), parts)))
    else:
        id_, *others = filter(None, cells)
        values = {"id": id_, "name": ";".join(others)}
    if not is_student(wrong := values.get("id", "")):
        raise UsageError(f'{line}: "{wrong}" is not an id; use only letters, digits and . _ @ + -')
    for cell in cells:
        if any(letter in "<>" or unicodedata.category(letter) == "Cc" for letter in cell):
            raise UsageError(f"{line}: {cell!a} has a control character or an angle bracket; delete it")
    names, groups = (tuple(filter(None, _SEPARATOR.split(values.get(key, "")))) for key in ("name", "group"))
    platforms = {name: values[name] for name in PLATFORMS if values.get(name)}
    return Student(values["id"], names, values.get("email", ""), platforms, groups)


def _refuse_repetitions(path: Path, students: Sequence[tuple[str, Student]], *, names: bool) -> None:
    """Raise UsageError if two students have the same id or, with `names=True`, the same name."""
    rows: dict[str, str] = {}
    for line, student in students:
        if (first := rows.setdefault(folded(student.id), line)) != line:
            same = f'{path}: rows {_row(first)} and {_row(line)} have the same id "{student.id}"'
            raise UsageError(f"{same}; delete one of them")
    lines: dict[tuple[str, str], str] = {}
    for line, student in students:
        for platform, text in (*student.ids, *(("", name) for name in student.names if names)):
            if (first := lines.setdefault((platform, folded(text)), line)) != line:
                same = f'{path}: rows {_row(first)} and {_row(line)} have the same "{text}"'
                raise UsageError(
                    f'{same}, so "{text}" identifies two students; delete this text in both rows'
                )


def _row(line: str) -> str:
    return line.rpartition(":")[2]
