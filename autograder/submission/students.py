"""Reads students.csv: who is in the class, what platforms call them, and which groups they are in.

Headings are understood as people and the exports of universities write them.
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
_KNOWN = {word: meaning for meaning, words in _MEANINGS.items() for word in (*words.split(), meaning)}
_NUMBER, _EMAIL = re.compile(r"\d{3,}"), re.compile(r"\S+@\S+\.\S+")
_MODEL = "write the headings id,name,email above the students"


def meaning(heading: str) -> str:
    """Return the column that a heading stands for, or the heading itself in small letters."""
    text = unicodedata.normalize("NFKC", heading).strip().casefold()
    return _KNOWN.get(re.sub(r"[\W_]", "", text), text)


_SEVERAL = re.compile(r"\s*;\s*")  # between names, and between groups, in one cell
# Moodle leaves these out of a name that it writes into a zip; the others stand between words.
_LEFT_OUT, _BETWEEN = re.compile(r"[&<>\"`|':\\/\x00-\x1f]"), re.compile(r"[\s._,]+")
# People and programs type several apostrophes and hyphens for one.
_APOSTROPHES = re.compile("[\u00b4\u02b9\u02bb\u02bc\u02bd\u02c8\u2018\u2019\u201b\u2032\ua78c]")
_HYPHENS = re.compile("[\u2010-\u2015\u2212\ufe58]")
# Kinds of what students are called, besides the platforms of ids.
_ANY, _NAME, _SQUEEZED, _GROUP = "id anywhere", "name", "squeezed name", "group"


@dataclass(frozen=True, slots=True)
class Student:
    """One student: the id that we use, and what platforms call the same person."""

    id: str
    names: tuple[str, ...] = ()
    email: str = ""
    platforms: Mapping[str, str] = field(default_factory=dict)  # ids by platform
    groups: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[str, str]:
        """Last name and first name, by the first of the names: before a comma stands the last name."""
        name = self.names[0] if self.names else ""
        last, comma, first = name.partition(",")
        if not comma:
            first, _, last = name.rpartition(" ")
        return last.strip(), first.strip()

    @property
    def name(self) -> str:
        """The name by which lists are sorted, or the id where there is none."""
        last, first = self.parts
        return f"{last}, {first}" if first else last or self.id

    @property
    def full_name(self) -> str:
        """First and last name, or an empty text where there is no name."""
        return " ".join(filter(None, reversed(self.parts)))

    @property
    def ids(self) -> Iterator[tuple[str, str]]:
        """Everything that stands for this student alone: the platform, empty for any, and the id."""
        yield from (("", text) for text in (self.id, self.email) if text)
        yield from self.platforms.items()


@dataclass(frozen=True)
class Students:
    """The students of a course, in the list's order."""

    all: tuple[Student, ...]

    def called(self, text: str, platform: str = "") -> Sequence[Student]:
        """Return whoever has this id or address, or else everybody of this name, however it is written.

        The id may be one of `platform`; where none is given, it may be of any.
        """
        ids = [(place, folded(text)) for place in dict.fromkeys((platform, ""))]
        anywhere = [] if platform else [(_ANY, folded(text))]
        return self._first(*ids, (_NAME, spelling(text)), *anywhere)

    def squeezed(self, text: str) -> Sequence[Student]:
        """Return everybody whose name gives `text` without the gaps between its words, as in Canvas."""
        return self._first((_SQUEEZED, squeezed(text)))

    def closest(self, text: str) -> Student | None:
        """Return the student who has the id, name or address most like `text`, if any is like it."""
        known = {text: found[0] for (kind, text), found in self._known.items() if kind in (_ANY, _NAME)}
        return known.get(closest(spelling(text), known))

    def in_group(self, text: str) -> Sequence[Student]:
        """Return the members of a group."""
        return self._first((_GROUP, squeezed(text)))

    def unknown(self, id_: str) -> str:
        """Return that this is nobody's id, and whose it could be; empty where it is a student's."""
        if id_ in (student.id for student in self.all):
            return ""
        close = self.closest(id_)
        meant = ", ".join(student.id for student in self.called(id_) or filter(None, [close]))
        fix = f'did you mean "{meant}"?' if meant else "add it there"
        return f'"{id_}" is no id in {STUDENTS}; {fix}'

    def _first(self, *keys: tuple[str, str]) -> Sequence[Student]:
        """Return the students of the first of these keys that is anybody's."""
        return next(filter(None, map(self._known.get, keys)), ())

    @cached_property
    def _known(self) -> Mapping[tuple[str, str], Sequence[Student]]:
        """The students by everything that they are called and its kind, each once, in the list's order."""
        found: dict[tuple[str, str], list[Student]] = defaultdict(list)
        for student in self.all:
            ids = [(place, folded(text)) for place, text in student.ids]
            names = list(_forms(student))
            keys = [*ids, *((_ANY, text) for _, text in ids), *((_NAME, form) for form in names)]
            keys += [(_SQUEEZED, squeezed(form)) for form in names]
            keys += [(_GROUP, squeezed(group)) for group in student.groups]
            for key in dict.fromkeys(keys):
                found[key].append(student)
        return found


@lru_cache(maxsize=1 << 16)
def spelling(text: str) -> str:
    """Return what two ways to write a name or an id have in common."""
    plain = unicodedata.normalize("NFKC", _HYPHENS.sub("-", _APOSTROPHES.sub("'", text)))
    return _BETWEEN.sub(" ", _LEFT_OUT.sub("", folded(plain))).strip()


def folded(text: str) -> str:
    """Return a form that two names share if some file system takes one for the other."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def squeezed(text: str) -> str:
    """Return the letters and digits of a name, as Canvas writes it."""
    return re.sub(r"[\W_]", "", spelling(text))


def _forms(student: Student) -> Iterator[str]:
    """Yield the spellings of a student's names, whichever word comes first."""
    for name in student.names:
        words = spelling(name).split(" ")
        yield from (" ".join(words[turn:] + words[:turn]) for turn in range(len(words)))


def student_names(root: Path) -> dict[str, str]:
    """Return the full names in students.csv, by id; nobody if there is no such file."""
    listed = listed_students(root)
    return {student.id: student.full_name for student in (listed.all if listed else ()) if student.full_name}


def with_name(student: str, names: Mapping[str, str]) -> str:
    """Return a student's id and, if it is known, the name, such as "s07 (Ada Lovelace)"."""
    return f"{student} ({names[student]})" if names.get(student) else student


def listed_students(root: Path) -> Students | None:
    """Return the list of students in a course's folder, or None where there is none."""
    path = root / STUDENTS
    return read_students(path) if path.is_file() else None


def read_students(path: Path) -> Students:
    """Return the students in a CSV file: with a header, or with an id and other names in each row."""
    rows = [[cell.strip() for cell in row] for row in read_rows(path)]
    try:
        columns = _columns(rows)
    except ValueError as error:
        raise UsageError(f"{path}:1: {error}") from None
    titled = bool(columns)
    lines = [(f"{path}:{number}", cells) for number, cells in enumerate(rows, 1) if any(cells)]
    students = [(line, _student(line, columns, cells)) for line, cells in lines[titled:]]
    _refuse_repetitions(path, students, names=not titled)
    return Students(tuple(student for _, student in students))


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return what the columns of a list hold, or nothing where its first row is a student already.

    ValueError says what the first row must be where it is neither.
    """
    headings = rows[0] if rows else ()
    columns = [meaning(heading) for heading in headings]
    if _STUDENT in columns:
        columns[columns.index(_STUDENT)] = "name" if "id" in columns else "id"
    if _FIRST in columns and _LAST not in columns and "name" in columns:
        columns[columns.index("name")] = _LAST
    known = [column in (*COLUMNS, _FIRST, _LAST) for column in columns]
    if "id" not in columns:
        if any(known[:1]) or sum(known) > 1 or _is_header(headings, rows[1:]):
            raise ValueError(f'"{", ".join(headings)}" has no column id; {_MODEL}')
        return []
    for heading, column, is_known in zip(headings, columns, known, strict=True):
        if column and (not is_known or columns.count(column) > 1):
            fix = f"use {', '.join(COLUMNS)}, or leave its heading empty"
            raise ValueError(f'"{heading}" is no column, or is there twice; {fix}')
    return columns


def _is_header(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a column holds numbers or addresses for several students, but not in the first row."""
    filled = [row for row in rows if any(row)]
    return len(filled) > 1 and any(
        heading and not form.search(heading) and all(map(form.fullmatch, cells))
        for heading, *cells in zip(headings, *filled, strict=False)
        for form in (_NUMBER, _EMAIL)
    )


def read_rows(path: Path) -> list[list[str]]:
    """Return the rows of a CSV file, or raise a UsageError; some spreadsheets put ; between cells."""
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
        fix = "delete long texts, such as what students wrote"
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
        raise UsageError(f'{line}: "{wrong}" is not an id; put one of letters, digits and . _ @ + - first')
    for cell in cells:
        if any(letter in "<>" or unicodedata.category(letter) == "Cc" for letter in cell):
            raise UsageError(f"{line}: {cell!a} has a control character or an angle bracket; take it out")
    names, groups = (tuple(filter(None, _SEVERAL.split(values.get(key, "")))) for key in ("name", "group"))
    platforms = {name: values[name] for name in PLATFORMS if values.get(name)}
    return Student(values["id"], names, values.get("email", ""), platforms, groups)


def _refuse_repetitions(path: Path, students: Sequence[tuple[str, Student]], *, names: bool) -> None:
    """Refuse an id in two rows, or for two students; without a header, refuse the same name for two."""
    rows: dict[str, str] = {}
    for line, student in students:
        if (first := rows.setdefault(folded(student.id), line)) != line:
            same = f'{path}: rows {_row(first)} and {_row(line)} have the same id "{student.id}"'
            raise UsageError(f"{same}; delete one of them")
    known: dict[tuple[str, str], str] = {}
    for line, student in students:
        for place, text in (*student.ids, *(("", name) for name in student.names if names)):
            if (first := known.setdefault((place, folded(text)), line)) != line:
                both = f'{path}: rows {_row(first)} and {_row(line)} have the same "{text}"'
                raise UsageError(f"{both}, so it stands for two students; delete it in both rows")


def _row(line: str) -> str:
    return line.rpartition(":")[2]
