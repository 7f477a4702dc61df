"""Understands the headings of a list of students, as people and the exports of universities write them."""

import re
import unicodedata
from collections.abc import Sequence

COLUMNS = ("id", "name", "email", "canvas", "moodle", "gradescope", "group")
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


class HeadingError(ValueError):
    """The first row is no student, and cannot be understood; the message says what it must be."""


def meaning(heading: str) -> str:
    """Return the column that a heading stands for, or the heading itself in small letters."""
    text = unicodedata.normalize("NFKC", heading).strip().casefold()
    return _KNOWN.get(re.sub(r"[\W_]", "", text), text)


def columns_of(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return what the columns of a list hold, or nothing where its first row is a student already."""
    headings = [cell.strip() for cell in rows[0]] if rows else []
    columns = [meaning(heading) for heading in headings]
    if _STUDENT in columns:
        columns[columns.index(_STUDENT)] = "name" if "id" in columns else "id"
    if _FIRST in columns and _LAST not in columns and "name" in columns:
        columns[columns.index("name")] = _LAST
    if "id" not in columns:
        known = [column in (*COLUMNS, _FIRST, _LAST) for column in columns]
        if any(known[:1]) or sum(known) > 1 or _is_header(headings, rows[1:]):
            raise HeadingError(f'"{", ".join(headings)}" has no column id; {_MODEL}')
        return []
    for heading, column in zip(headings, columns, strict=True):
        if column and (column not in (*COLUMNS, _FIRST, _LAST) or columns.count(column) > 1):
            known_ones = ", ".join(COLUMNS)
            raise HeadingError(
                f'"{heading}" is no column, or is there twice; use {known_ones}, or leave its heading empty'
            )
    return columns


def values_of(columns: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    """Return the cells of a row by column; first and last name are the name."""
    values = dict(zip(columns, cells, strict=False))
    parts = (values.pop(_LAST, ""), values.pop(_FIRST, ""))
    names = (values.get("name", ""), ", ".join(filter(None, parts)))
    return values | {"name": ";".join(filter(None, names))}


def _is_header(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a column holds numbers or addresses for several students, but not in the first row."""
    filled = [row for row in rows if any(cell.strip() for cell in row)]
    if len(filled) < 2:
        return False
    for form in (_NUMBER, _EMAIL):
        for place, heading in enumerate(headings):
            below = (form.fullmatch(row[place].strip()) for row in filled if len(row) > place)
            whole = all(len(row) > place for row in filled) and all(below)
            if whole and heading and not form.search(heading):
                return True
    return False
