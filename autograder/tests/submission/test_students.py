"""The list of students gives each name one id, however platforms write it."""

from pathlib import Path

import pytest

from autograder.errors import UsageError
from autograder.submission.students import Student, Students, read_students


def test_every_name_of_a_row_stands_for_its_first(tmp_path: Path) -> None:
    path = tmp_path / "students.csv"
    path.write_text("zoe,Zoë Müller,\n\nada, Ada Lovelace ,77\n", encoding="utf-8-sig")
    assert read_students(path).all == (
        Student("zoe", ("Zoë Müller",)),
        Student("ada", ("Ada Lovelace", "77")),
    )


NO_ID = ":1: .* has no column id; write the headings id,name,email"
OBEYED = ":3: .* has a control character or an angle bracket"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("=x,Ada\n", ':1: "=x" is not an id'),
        ("ada,Lee\nbob,Lee\n", ': rows 1 and 2 have the same "Lee", so "Lee" identifies two students'),
        ("id,name\n,Lee\n", ':2: "" is not an id'),
        ("id,phone\nada,1\n", ':1: "phone" is not a known heading, or occurs twice; use id, name, email'),
        ("id,name,names\nada,1,2\n", ':1: "name" is not a known heading, or occurs twice'),
        (
            "id,email\nada,a@b.c\nbob,A@b.c\n",
            ': rows 2 and 3 have the same "A@b.c", so "A@b.c" identifies two students',
        ),
        ("id,name\nada,Lee\nada,Lee\n", ': rows 2 and 3 have the same id "ada"; delete one of them'),
        ("Vorname,Nachname\nAda,Lovelace\n", NO_ID),
        ("Name\nada\n", NO_ID),
        ("Kürzel;Person\n7001;Ada\n7002;Bob\n", NO_ID),
        ("Matr,Nachname\n1001,Ada\n1002,Bob\n", NO_ID),
        ("Person,Adresse\nada,ada@uni.edu\nbob,bob@uni.edu\n", NO_ID),
        (
            f"id,name\nada,{'x' * 140_000}\n",
            "too long to be read; delete cells with long texts, such as answers",
        ),
        ("id,name\nbob,Bob\nada,</script><script>alert(1)</script>\n", OBEYED),  # by a page
        ("id,name\nbob,Bob\nada,A\x1b[2Jda\n", OBEYED),  # by a terminal
    ],
)
def test_a_list_of_students_that_cannot_serve_is_refused_by_line(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "students.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        read_students(path)


ADA = [Student("7001", ("Lovelace, Ada",), "ada@uni.edu")]


@pytest.mark.parametrize(
    "text",
    [
        "Matrikelnummer;Nachname;Vorname;E-Mail\n7001;Lovelace;Ada;ada@uni.edu\n",
        "id;name;email\n7001;Lovelace, Ada;ada@uni.edu\n",
        "student_id,full name,mail\n7001,'Lovelace, Ada',ada@uni.edu\n",
        "Vorname,Nachname,ID-Nummer,E-Mail-Adresse,Gruppen\nAda,Lovelace,7001,ada@uni.edu,\n",
        "First name,Last name,ID number,Email address,Groups\nAda,Lovelace,7001,ada@uni.edu\n",
        "Nom,Prénom,Numéro d'identification,Adresse de courriel\nLovelace,Ada,7001,ada@uni.edu\n",
        "Apellido(s),Nombre,Número de ID,Dirección de correo\nLovelace,Ada,7001,ada@uni.edu\n",
        "First Name,Last Name,SID,Email\nAda,Lovelace,7001,ada@uni.edu\n",
        "Name;Vorname;Matrikel-Nr.;Mail\nLovelace;Ada;7001;ada@uni.edu\n",
        "Student,ID,E-Mail\n'Lovelace, Ada',7001,ada@uni.edu\n",
        "student,name,email\n7001,'Lovelace, Ada',ada@uni.edu\n",
        "Kennung,,Name,Email\n7001,B.Sc.,'Lovelace, Ada',ada@uni.edu\n",
    ],
)
def test_the_headings_of_universities_exports_are_understood(tmp_path: Path, text: str) -> None:
    path = tmp_path / "students.csv"
    path.write_text(text.replace("'Lovelace, Ada'", '"Lovelace, Ada"'), encoding="utf-8-sig")
    assert list(read_students(path).all) == ADA


@pytest.mark.parametrize(
    "text",
    ["ada,Ada Lovelace\nbob,77\n", "s1,Ada,7001\ns2,Bob,7002\n", "ada,a@b.c\nbob,b@b.c\n", "ada\nbob\n"],
)
def test_without_headings_the_first_row_is_a_student(tmp_path: Path, text: str) -> None:
    path = tmp_path / "students.csv"
    path.write_text(text, encoding="utf-8")
    assert len(read_students(path).all) == 2


def test_a_file_that_is_not_there_is_not_called_badly_encoded(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"students\.csv: there is no such file"):
        read_students(tmp_path / "students.csv")
    with pytest.raises(UsageError, match="cannot be opened: Is a directory"):
        read_students(tmp_path)
    (tmp_path / "students.csv").write_bytes("id\nZoë".encode("latin-1"))
    with pytest.raises(UsageError, match="cannot be read; save it as CSV in UTF-8"):
        read_students(tmp_path / "students.csv")


LISTED = """id,names,E-Mail,canvas,moodle,gradescope,group
juan,"Alvarez, Juan A.; Johnny",juan@uni.edu,101,u55,,Team Red; Blue
conan,Conan O'Brien,,,,77001,Team Red
anna1,Anna Schmidt,anna1@uni.edu
anna2,Anna Schmidt,anna2@uni.edu
"""


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Students:
    path = tmp_path_factory.mktemp("list") / "students.csv"
    path.write_text(LISTED, encoding="utf-8")
    return read_students(path)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        *((text, ["juan"]) for text in ("Alvarez, Juan A.", "Juan A. Alvarez", "Juan.A..Alvarez", "JOHNNY")),
        *((text, ["juan"]) for text in ("juan", "JUAN@uni.edu", "101", "u55", "Alvarez Juan A.")),
        *((text, ["conan"]) for text in ("Conan OBrien", "O'Brien, Conan", "77001")),
        ("Anna Schmidt", ["anna1", "anna2"]),
        ("anna2@uni.edu", ["anna2"]),
        ("Juan", ["juan"]),
        ("Alvarez", []),
        ("Team Red", []),
    ],
)
def test_people_are_found_however_platforms_write_their_names(
    listed: Students, text: str, ids: list[str]
) -> None:
    assert [student.id for student in listed.called(text)] == ids


@pytest.mark.parametrize("apostrophe", "'\u2019\u2018\u02bc\u00b4`\uff07\u2032")
@pytest.mark.parametrize("hyphen", "-\u2010\u2011\u2013\u2014\u2212\uff0d")
def test_a_name_is_the_same_whichever_apostrophe_hyphen_and_letters_are_typed(
    apostrophe: str, hyphen: str
) -> None:
    for listed in ("'", "\u2019"):
        one = Student("sean", (f"O{listed}Brien\u2010Fiorentini, Se\u00e1n",))
        text = f"Sea\u0301n\u00a0O{apostrophe}Brien{hyphen}\ufb01orentini"
        assert Students((one,)).called(text) == [one]
        assert Students((one,)).squeezed("obrienfiorentiniseán") == [one]


def test_canvas_s_names_without_gaps_and_groups_are_found(listed: Students) -> None:
    assert [student.id for student in listed.squeezed("alvarezjuana")] == ["juan"]
    assert [student.id for student in listed.squeezed("obrienconan")] == ["conan"]
    assert [student.id for student in listed.squeezed("annaschmidt")] == ["anna1", "anna2"]
    assert [student.id for student in listed.in_group("teamred")] == ["juan", "conan"]
    assert [student.id for student in listed.in_group("Blue")] == ["juan"]
    assert not listed.in_group("Team")
