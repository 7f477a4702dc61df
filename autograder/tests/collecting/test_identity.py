"""Whose notebook it is, where platforms hide names, give one to two people, or mean a group."""

from pathlib import Path

import pytest

from autograder.collecting.attribution import Identification
from autograder.collecting.entry import EntryError
from autograder.collecting.names import moodle_names, read_platform_name
from autograder.collecting.times import Times, read_times
from autograder.submission.students import Students, read_students

FILE = "_assignsubmission_file/01_small.ipynb"
LISTED = """id,name,email,canvas,moodle,gradescope,group
ada,"Lovelace, Ada",ada@uni.edu,101,,102,Team Red
bob,Bob B. O'Bee,bob@uni.edu,,,,Team Red
eve,Eve Adams,eve@uni.edu,103,Participant_3000,,
anna1,Anna Lee,anna1@uni.edu
anna2,Anna Lee,anna2@uni.edu
"""
SHEET = """Identifier,Full name,Email address,Status,Group,Grade,Time (submission),Time (grade)
Participant 17,Anna Lee,anna2@uni.edu,Submitted,Blue,,"Sunday, 1 March 2026, 11:30 PM",-
Participant 18,Anna Lee,anna1@uni.edu,Submitted,Blue,,-,-
Participant 19,Zed Zy,zed@uni.edu,Submitted,Green,,-,-
"""


@pytest.fixture(scope="module")
def students(tmp_path_factory: pytest.TempPathFactory) -> Students:
    path = tmp_path_factory.mktemp("students") / "students.csv"
    path.write_text(LISTED, encoding="utf-8")
    return read_students(path)


@pytest.fixture(scope="module")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> Times:
    path = tmp_path_factory.mktemp("sheet") / "Grades.csv"
    path.write_text(SHEET, encoding="utf-8-sig")
    return read_times([path])


def who(
    name: str, students: Students | None = None, sheet: Times | None = None, beside: tuple[str, ...] = ()
) -> list[str] | str:
    """Return the ids of those whose notebook `name` is, or why they are not known."""
    names = [found for each in (name, *beside) if (found := read_platform_name(each, ["01_small"]))]
    people = Identification(students, sheet or Times(), moodle_names(names))
    try:
        return [member.student or member.problem for member in people.members(names[0])]
    except EntryError as error:
        return str(error)


@pytest.mark.parametrize(
    ("name", "student"),
    [
        ("anon_aB3xZ_9001_01_small.ipynb", "anon_aB3xZ"),
        ("LATE_anon_12345_9001_01_small.ipynb", "anon_12345"),
        ("anon_77_9001_01_small.ipynb", "77"),
        ("lovelaceada_LATE_101_9001_01_small.ipynb", "101"),
        ("_101_9001_01_small.ipynb", "101"),
        ("mu\u0308llerju\u0308rgen_101_9001_01_small.ipynb", "101"),
        ("शर्माराज_LATE_101_9001_01_small.ipynb", "101"),
        ("12345_101_9001_01_small.ipynb", "101"),
        (f"Participant_3000{FILE}", "Participant_3000"),
        (f"Ada Lovelace_3000{FILE}", "Ada.Lovelace"),
    ],
)
def test_without_a_list_platforms_own_ids_serve(name: str, student: str) -> None:
    assert who(name) == [student]


def test_a_word_that_stands_for_several_people_hides_them_in_any_language() -> None:
    names = (f"Rannpháirtí_3000{FILE}", f"Rannpháirtí_3001{FILE}")
    assert [who(names[0], beside=names[1:]), who(names[1], beside=names[:1])] == [
        ["Participant_3000"],
        ["Participant_3001"],
    ]


@pytest.mark.parametrize("name", ["ada_{0}_9_01_small.ipynb", "Participant_{0}_assignsubmission_file/x"])
def test_a_number_too_long_for_an_id_is_none(name: str) -> None:
    assert "is no student's id" in who(name.format("1" * 99))


def test_a_number_at_the_end_of_a_name_in_canvas_is_not_taken_for_the_user(students: Students) -> None:
    doubtful = "user_1_101_9001_01_small.ipynb"
    assert who(doubtful) == "is of Canvas's user 1 or 101; list the right one with --students"
    assert who(doubtful, students) == ["ada"]
    assert "both are listed" in who("eve_101_103_9001_01_small.ipynb", students)


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("lovelaceada_101_9001_01_small.ipynb", ["ada"]),
        ("obeebobb_555_9001_01_small.ipynb", ["bob"]),
        ("teamred_101_9001_01_small.ipynb", ["ada", "bob"]),
        ("teamred_555_9001_01_small.ipynb", ["ada", "bob"]),
        ("teamred_103_9001_01_small.ipynb", ["eve"]),
        (f"Ada Lovelace_7{FILE}", ["ada"]),
        (f"Lovelace, Ada_7{FILE}", ["ada"]),
        (f"Bob B. OBee_7{FILE}", ["bob"]),
        (f"Team Red{FILE}", ["ada", "bob"]),
        (f"Participant_3000{FILE}", ["eve"]),
    ],
)
def test_the_list_knows_people_and_groups_as_platforms_write_them(
    students: Students, name: str, ids: list[str]
) -> None:
    assert who(name, students) == ids


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("adamseve_666_9001_01_small.ipynb", '"666", whom Canvas calls "adamseve", is not in the list'),
        ("leeanna_666_9001_01_small.ipynb", '"leeanna" is the name of several students (anna1, anna2)'),
        ("anon_aB3xZ_9001_01_small.ipynb", '"anon_aB3xZ" is not in the list of students'),
        (f"Anna Lee_7{FILE}", '"Anna Lee" is the name of several students (anna1, anna2)'),
        (f"Team Blue_7{FILE}", '"Team Blue" is not in the list of students'),
        (f"Participant_3001{FILE}", "reveal the names in Moodle, or list this id"),
        (
            f"Team Red_7{FILE}",
            '"Team Red" is a group, and could be the name that somebody chose; give Moodle\'s',
        ),
        (f"Default group{FILE}", 'is of Moodle\'s "Default group", whose members it does not name'),
    ],
)
def test_whoever_is_not_known_for_sure_is_refused_in_one_line(
    students: Students, name: str, message: str
) -> None:
    assert message in who(name, students)


def test_a_group_that_is_not_listed_is_told_beside_the_one_who_handed_in(students: Students) -> None:
    name = read_platform_name("teamblue_101_9001_01_small.ipynb")
    assert name is not None
    (member,) = Identification(students).members(name)
    assert member.student == "ada"
    assert member.message == '"teamblue" in Canvas (if that is a group, list its members)'


def test_the_worksheet_tells_two_people_of_one_name_apart(students: Students, sheet: Times) -> None:
    one, other = f"Anna Lee_17{FILE}", f"Anna Lee_18{FILE}"
    assert "several people; give Moodle's grading worksheet" in who(one, beside=(other,))
    assert who(one, None, sheet, (other,)) == ["anna2@uni.edu"]
    assert [who(name, students, sheet, (one, other)) for name in (one, other)] == [["anna2"], ["anna1"]]


def test_of_a_group_and_a_person_of_its_name_the_worksheet_tells_who_it_is(
    students: Students, sheet: Times, tmp_path: Path
) -> None:
    assert who(f"Team Red_7{FILE}", students, sheet) == ["ada", "bob"]
    path = tmp_path / "Grades.csv"
    path.write_text(SHEET + "Participant 7,Team Red,eve@uni.edu,Submitted,,,-,-\n", encoding="utf-8")
    assert who(f"Team Red_7{FILE}", students, read_times([path])) == ["eve"]


def test_an_older_moodle_names_the_team_before_the_participant(students: Students, sheet: Times) -> None:
    assert who(f"Blue-Anna Lee_17{FILE}", students, sheet) == ["anna2"]
    assert who(f"Red-Blue-Zed Zy_19{FILE}", None, sheet) == ["Zed.Zy"]
    assert "is not in the list" in who(f"Blue-Anna Lee_19{FILE}", students, sheet)  # a name that Zed chose


def test_the_worksheet_names_the_members_of_a_group_whose_number_is_somebody_s(
    students: Students, sheet: Times
) -> None:
    assert who(f"Blue_19{FILE}", students, sheet) == ["anna2", "anna1"]
    assert who(f"Green_17{FILE}", None, sheet) == ["Zed.Zy"]
    assert who(f"Green_17{FILE}", students, sheet) == ['"Zed Zy" is not in the list of students']
