"""Whose notebook it is and for which exercise, by its name; no student can sign as another."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.collecting.archive import ArchiveEntry, EntryError
from autograder.collecting.attribution import Attribution, NamingRules, Owners
from autograder.collecting.metadata import GradescopeRecord, read_times
from autograder.submission.students import read_students
from autograder.submission.submission import is_student

EXERCISES = ("01_first", "01_first_part", "02_second")
RULES = NamingRules(EXERCISES)
FILE = "_assignsubmission_file/01_first.ipynb"
GRADESCOPE = {
    "x/submission_5": GradescopeRecord((("mallory", ""),)),
    "x/submission_6": GradescopeRecord((("bob", ""),)),
}


def attributions(name: str, rules: NamingRules = RULES, owners: Owners | None = None) -> list[Attribution]:
    """Return what a name tells; behind > stands that of a file in the archive before it."""
    outer, _, inside = name.partition(" > ")
    found = (owners or Owners(rules, [outer])).of(ArchiveEntry(outer, inside=inside))
    return [replace(one, file=ArchiveEntry("")) for one in found]


def who(
    name: str,
    rules: NamingRules = RULES,
    beside: tuple[str, ...] = (),
    stored: Mapping[tuple[str, str], str] | None = None,
) -> list[str] | str:
    """Return the ids of those whose notebook `name` is, or why they are not known."""
    try:
        owners = Owners(rules, [name.partition(" > ")[0], *beside], numbers=stored)
        return [one.student or one.problem for one in attributions(name, rules, owners)]
    except EntryError as error:
        return str(error)


NAMES = """
ada/01_first/01_first.ipynb                                        | ada            | 01_first
ada/01_first.ipynb                                                 | ada            | 01_first
ada/homework/week 1/02_second.ipynb                                | ada            | 02_second
ada@school.org/01_first (1).ipynb                                  | ada@school.org | 01_first
ada/01_first_part.ipynb                                            | ada            | 01_first_part
ada_l_01_first.ipynb                                               | ada_l          | 01_first
jo\u0308rg/01_first.ipynb                                          | j\u00f6rg      | 01_first
佐藤/01_first.ipynb                                                | 佐藤           | 01_first
lovelaceada_12345_67890_01_first.ipynb                             | 12345          | 01_first
lovelaceada_LATE_12345_67890_02_second-1.ipynb                     | 12345          | 02_second

ada.zip > 01_first.ipynb                                           | ada            | 01_first
ada.tar.gz > x/01_first.ipynb                                      | ada            | 01_first
ada_01_first.zip > 01_first.ipynb                                  | ada            | 01_first
ada/all.zip > 01_first.ipynb                                       | ada            | 01_first
lovelaceada_12345_67890_all.zip > 01_first.ipynb                   | 12345          | 01_first

mallory_1_2_bob_99_3_01_first.ipynb                                | 1              | 01_first
mallory_1_2_Bob_99_assignsubmission_file_01_first.ipynb            | 1              | 01_first
mallory/bob/01_first.ipynb                                         | mallory        | 01_first
mallory/bob_99_3_01_first.ipynb                                    | mallory        | 01_first
mallory/bob_01_first.ipynb                                         | mallory        | 01_first
mallory.zip > bob/01_first.ipynb                                   | mallory        | 01_first
mallory.zip > bob_99_3_01_first.ipynb                              | mallory        | 01_first
mallory.zip > submission_5/01_first.ipynb                          | mallory        | 01_first
x/submission_5/01_first.ipynb                                      | mallory        | 01_first
x/submission_5/x/submission_6/01_first.ipynb                       | mallory        | 01_first

ada/03_third.ipynb                                                 | ada            |
ada/01_First.ipynb                                                 | ada            |
ada/x01_first.ipynb                                                | ada            |

anon_aB3xZ_9001_01_first.ipynb                                     | anon_aB3xZ     | 01_first
LATE_anon_12345_9001_01_first.ipynb                                | anon_12345     | 01_first
anon_77_9001_01_first.ipynb                                        | 77             | 01_first
_101_9001_01_first.ipynb                                           | 101            | 01_first
müllerjürgen_101_9001_01_first.ipynb                                | 101            | 01_first
शर्माराज_LATE_101_9001_01_first.ipynb                                 | 101            | 01_first
12345_101_9001_01_first.ipynb                                      | 101            | 01_first
"""


@pytest.mark.parametrize("row", [row for row in NAMES.splitlines() if row])
def test_a_name_tells_student_and_exercise(row: str) -> None:
    name, student, exercise = map(str.strip, row.split("|"))
    found = attributions(name, RULES, Owners(RULES, [name], "", GRADESCOPE))
    assert [(one.student, one.exercise) for one in found] == [(student, exercise)]


CANVAS = {"platform": "Canvas", "exercise": "01_first", "student": "1", "number": "1"}


@pytest.mark.parametrize(
    ("name", "rules", "expected"),
    [
        ("a_LATE_1_77_01_first-2.ipynb", RULES, {**CANVAS, "upload": 77, "late": True}),
        ("a_1_78_01_first_notes.ipynb", RULES, {**CANVAS, "upload": 78, "late": False, "exact": False}),
        *(
            (name, NamingRules(EXERCISES, exercise="02_second"), {"student": "ada", "exercise": "02_second"})
            for name in ("ada/02_second.ipynb", "ada_02_second.ipynb")
        ),
        ("ada.ipynb", NamingRules(EXERCISES, exercise="02_second"),
         {"student": "ada", "exercise": "02_second", "exact": False}),
    ],
)  # fmt: skip
def test_what_a_platform_writes_into_a_name_is_known(
    name: str, rules: NamingRules, expected: dict[str, object]
) -> None:
    assert attributions(name, rules) == [Attribution(**expected)]  # type: ignore[arg-type]


def test_a_folder_around_the_class_is_passed_over() -> None:
    (found,) = attributions("class/ada/01_first.ipynb", RULES, Owners(RULES, (), "class/"))
    assert found.student == "ada"


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
def rules(tmp_path_factory: pytest.TempPathFactory) -> dict[str, NamingRules]:
    """Return rules by what the instructor gives: a list of students, Moodle's worksheet, both or neither."""
    folder = tmp_path_factory.mktemp("lists")
    (folder / "students.csv").write_text(LISTED, encoding="utf-8")
    (folder / "Grades.csv").write_text(SHEET, encoding="utf-8-sig")
    red = "Participant 7,Team Red,eve@uni.edu,Submitted,,,-,-\n"
    (folder / "More.csv").write_text(SHEET + red, encoding="utf-8")
    students = read_students(folder / "students.csv")
    sheet, more = (read_times([folder / name]) for name in ("Grades.csv", "More.csv"))
    return {
        "": RULES,
        "list": NamingRules(EXERCISES, students=students),
        "sheet": NamingRules(EXERCISES, times=sheet),
        "both": NamingRules(EXERCISES, students=students, times=sheet),
        "more": NamingRules(EXERCISES, students=students, times=more),
    }


BESIDE = (f"Anna Lee_17{FILE}", f"Anna Lee_18{FILE}")
HIDDEN = (f"Rannpháirtí_3000{FILE}", f"Rannpháirtí_3001{FILE}")
TAKEN = "is a group's name, which a student could have taken as a display name"
CHOSEN = f'"Team Red" {TAKEN}; pass Moodle\'s'


@pytest.mark.parametrize(
    ("given", "name", "expected"),
    [
        # Some names tell no student.
        *(("", name, "does not name a student") for name in ("01_first.ipynb", "_01_first.ipynb")),
        ("", "01_first/01_first.ipynb", "does not name a student"),
        ("", "submission_5/01_first.ipynb", "with its submission_metadata.yml"),
        ("", "assignment_1_export/submission_5/01_first.ipynb", "with its submission_metadata.yml"),
        ("", "=ada/01_first.ipynb", "is not a student's id"),
        ("", f"ada_{'1' * 99}_9_01_first.ipynb", "is not a student's id"),
        # Moodle's names need the list: each student chooses them, and a word may stand for all of them.
        *((given, name, "Moodle writes display names instead of ids; write students.csv, next to")
          for name in (f"Ada Lovelace_7{FILE}", f"ada_7{FILE}", HIDDEN[0], f"Blue{FILE}")
          for given in ("", "sheet")),
        # A student can name a file as Moodle does, and stays the one who has that number.
        *(("list", f"Eve Adams_1_assignsubmission_file{rest}", ["eve"])
          for rest in ("_bob_99_3_01_first.ipynb", "_/bob_9_3_01_first.ipynb", f"_/Bob_9{FILE}")),
        ("list", "Eve Adams_1_assignsubmission_file_/all.zip > 01_first.ipynb", ["eve"]),
        # A number at the end of a name in Canvas is not taken for the user.
        ("", "user_1_101_9001_01_first.ipynb",
         "belongs to Canvas's user 1 or 101; write this student's number"),
        ("list", "user_1_101_9001_01_first.ipynb", ["ada"]),
        ("list", "eve_101_103_9001_01_first.ipynb",
         "belongs to Canvas's user 101 or 103, and both users are in the list of students; "
         "put the file into a folder with the student's id as its name"),
        ("list", "eve/eve_101_103_9001_01_first.ipynb", ["eve"]),
        # The list knows people and groups as platforms write them.
        ("list", "ada/01_first.ipynb", ["ada"]),
        ("list", "lovelaceada_101_9001_01_first.ipynb", ["ada"]),
        ("list", "obeebobb_555_9001_01_first.ipynb", ["bob"]),
        ("list", "teamred_101_9001_01_first.ipynb", ["ada", "bob"]),
        ("list", "teamred_555_9001_01_first.ipynb", f'"teamred" {TAKEN}'),
        ("list", "teamred_103_9001_01_first.ipynb", ["eve"]),
        ("list", f"Ada Lovelace_7{FILE}", ["ada"]),
        ("list", f"Lovelace, Ada_7{FILE}", ["ada"]),
        ("list", f"Bob B. OBee_7{FILE}", ["bob"]),
        ("list", f"Team Red{FILE}", ["ada", "bob"]),
        ("list", f"Participant_3000{FILE}", ["eve"]),
        # A folder of a group goes to its members, and no folder to whoever is called like a group.
        ("list", "Team Red/01_first.ipynb", ["ada", "bob"]),
        ("list", "team_red/01_first/01_first.ipynb", ["ada", "bob"]),
        ("list", "Team Red.zip > x/01_first.ipynb", ["ada", "bob"]),
        ("list", "Team Blue/01_first.ipynb", '"Team Blue" is not in the list of students'),
        ("", "Red/01_first.ipynb", ["Red"]),
        # ILIAS, Blackboard and GitHub Classroom write a login among other things.
        ("list", "Lovelace_Ada_ada_4711/01_first.ipynb", ["ada"]),
        ("list", "O'Bee_Bob B._bob_4712/01_first.ipynb", ["bob"]),
        ("list", "Lee_Anna_anna2_4713/01_first.ipynb", ["anna2"]),
        ("list", "Lee_Anna_ghost_4713/01_first.ipynb", "is not in the list of students"),
        ("list", "Week_1_eve_attempt_2026-03-01-18-00-00_01_first.ipynb", ["eve"]),
        ("list", "W_anna1_attempt_2026-03-01-18-00-00_bob_attempt_2026-03-01-18-00-00_x.ipynb", ["anna1"]),
        ("list", "W_ghost_attempt_2026-03-01-18-00-00_ada_01_first.ipynb", "is not in the list of students"),
        ("list", "01-first-ada/01_first.ipynb", ["ada"]),
        ("list", "01-first-x-ada/01_first.ipynb", '"01-first-x-ada" is not in the list of students'),
        ("list", "homework-ada/01_first.ipynb", '"homework-ada" is not in the list of students'),
        # Whoever is not known for sure is refused.
        ("list", "adamseve_666_9001_01_first.ipynb", 'Canvas\'s user 666, called "adamseve", is not'),
        ("list", "leeanna_666_9001_01_first.ipynb", "write the number that Canvas gives this student into"),
        ("list", "ghost/01_first.ipynb", '"ghost" is not in the list of students'),
        ("list", "anon_aB3xZ_9001_01_first.ipynb", '"anon_aB3xZ" is not in the list of students'),
        ("list", f"Anna Lee_7{FILE}", "(anna1, anna2); pass Moodle's grading worksheet"),
        ("list", f"Team Blue_7{FILE}", '"Team Blue" is not in the list of students'),
        ("list", HIDDEN[0], ["eve"]),
        ("list", HIDDEN[1], "is the name of several people; pass Moodle's grading worksheet with --times, or "
         'write Participant_3001 into students.csv, in the column "moodle"'),
        ("list", f"Participant_3001{FILE}", '"Participant" is not in the list of students'),
        ("list", f"Team Red_7{FILE}", CHOSEN),
        ("list", f"Default group{FILE}", 'Moodle\'s group "Default group", whose members are unknown'),
        # The worksheet tells two people of one name apart, and a group from a person of its name.
        ("list", BESIDE[0], "several people; pass Moodle's grading worksheet"),
        ("both", BESIDE[0], ["anna2"]),
        ("both", BESIDE[1], ["anna1"]),
        ("both", f"Team Red_7{FILE}", ["ada", "bob"]),
        ("more", f"Team Red_7{FILE}", ["eve"]),
        # An older Moodle names the team before the participant.
        ("both", f"Blue-Anna Lee_17{FILE}", ["anna2"]),
        ("both", f"Red-Blue-Anna Lee_17{FILE}", ["anna2"]),
        ("both", f"Blue-Anna Lee_19{FILE}", "is not in the list"),  # a name that Zed chose
        # A group's number is also somebody's.
        ("both", f"Blue_19{FILE}", ["anna2", "anna1"]),
        ("both", f"Green_17{FILE}", ['"Zed Zy" is not in the list of students']),
    ],
)  # fmt: skip
def test_names_the_list_and_the_worksheet_tell_who_it_is(
    rules: dict[str, NamingRules], given: str, name: str, expected: list[str] | str
) -> None:
    beside = next((names for names in (BESIDE, HIDDEN) if name in names), ())
    found = who(name, rules[given], beside)
    assert expected in found if isinstance(expected, str) else expected == found


STORED = {("", "555"): "bob", ("", "666"): "eve", ("01_first", "31"): "bob", ("02_second", "32"): "ada"}
ONE_MORE = SHEET + "Participant 3007,Zoe Zy,,Submitted,,,-,-\n"
STORED |= {("01_first", "35"): "gone"}
UNNUMBERED = """id,name,group
ada,Ada Lovelace,Team Red
bob,Bob Bee,Team Red
eve,Eve Adams,
zoe,Zoe Zy,
"""


@pytest.mark.parametrize(
    ("name", "beside", "expected"),
    [
        # Canvas: a number that has come before is the same person's, whatever the person is called now.
        ("beebob_555_9001_01_first.ipynb", (), ["bob"]),
        ("beebob_666_9001_01_first.ipynb", (), ["eve"]),
        ("teamred_666_9001_01_first.ipynb", (), ["eve"]),
        ("teamred_555_9001_01_first.ipynb", (), ["ada", "bob"]),
        # Whoever has not come before has nobody's name who has, nor that of a group.
        ("beebob_777_9001_01_first.ipynb", (), "of bob, whose earlier submissions have Canvas's number 555"),
        ("beebob_LATE_777_9001_01_first.ipynb", (), "have Canvas's number 555, not 777; write the right"),
        ("teamred_777_9001_01_first.ipynb", (), f'"teamred" {TAKEN}'),
        ("zoezy_777_9001_01_first.ipynb", (), ["zoe"]),
        ("zoezy_777_9001_01_first.ipynb", ("zoezy_778_9002_01_first.ipynb",), "users of Canvas (777, 778)"),
        ("beebob_555_9001_01_first.ipynb", ("beebob_778_9002_01_first.ipynb",), ["bob"]),
        # Moodle: the same in each exercise, in which numbers are counted anew.
        (f"Bob Bee_31{FILE}", (), ["bob"]),
        (f"Ada Lovelace_31{FILE}", (), ["bob"]),
        (f"Bob Bee_32{FILE}", (), "of bob, whose earlier submissions have Moodle's number 31, not 32; pass"),
        (f"Zoe Zy_32{FILE}", (), ["zoe"]),
        (f"Nobody We Know_31{FILE}", (), ["bob"]),
        (f"Zoe Zy_35{FILE}", (), '"gone" is not in the list of students'),
        (f"Zoe Zy_555{FILE}", (), ["zoe"]),  # no exercise has Canvas's numbers
        ("Zoe Zy_555_assignsubmission_file/x.ipynb", (), ["zoe"]),
        (f"Team Red_31{FILE}", (), f'"Team Red" {TAKEN}'),
    ],
)  # fmt: skip
def test_a_number_that_came_before_decides_and_not_a_name_that_somebody_may_have_chosen(
    tmp_path: Path, name: str, beside: tuple[str, ...], expected: list[str] | str
) -> None:
    (tmp_path / "students.csv").write_text(UNNUMBERED, encoding="utf-8")
    rules = NamingRules(EXERCISES, students=read_students(tmp_path / "students.csv"))
    found = who(name, rules, beside, STORED)
    assert expected in found if isinstance(expected, str) else expected == found


WARNING = 'warning: only the display name "{}" identifies the student'


def test_what_only_a_display_name_of_moodle_tells_comes_with_a_warning_until_its_number_is_known(
    tmp_path: Path,
) -> None:
    (tmp_path / "students.csv").write_text(UNNUMBERED, encoding="utf-8")
    rules = NamingRules(EXERCISES, students=read_students(tmp_path / "students.csv"))
    (tmp_path / "sheet.csv").write_text(ONE_MORE, encoding="utf-8")
    name = f"Zoe Zy_3007{FILE}"
    (first,) = attributions(name, rules)
    assert (first.student, first.message.startswith(WARNING.format("Zoe Zy"))) == ("zoe", True)
    stored = Owners(rules, [name], numbers={("01_first", "3007"): "zoe"})
    for later in (name, f"Bob Bee_3007{FILE}"):
        (again,) = attributions(later, rules, stored)
        assert (again.student, again.message) == ("zoe", "")
    by_worksheet = replace(rules, times=read_times([tmp_path / "sheet.csv"]))
    (sure,) = attributions(name, by_worksheet)
    assert (sure.student, sure.message) == ("zoe", "")


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["hw-ada", "hw-bob", "hw-eve"], ["ada", "bob", "eve"]),
        (["intro-to-ml-hw-ada", "intro-to-ml-hw-bob", "intro-to-ml-hw-x-eve"], ["ada", "bob", ""]),
        (["hw-x-ada", "hw-x-bob"], ["", ""]),  # of x-ada and x-bob, perhaps
        (["hw-ada", "hw-ada2", "hw-anna1"], ["ada", "", "anna1"]),
    ],
)
def test_a_login_of_github_classroom_follows_what_all_its_names_begin_with(
    rules: dict[str, NamingRules], names: list[str], expected: list[str]
) -> None:
    files = [f"{name}/01_first.ipynb" for name in names]
    whose = [who(name, rules["list"], tuple(files)) for name in files]
    assert [found if isinstance(found, list) else [""] for found in whose] == [[id_] for id_ in expected]


def test_a_group_that_is_not_listed_is_reported_beside_the_one_who_handed_in(
    rules: dict[str, NamingRules],
) -> None:
    (found,) = attributions("teamblue_101_9001_01_first.ipynb", rules["list"])
    fix = 'if this is a group, write its name into the column "group" of students.csv'
    message = f'called "teamblue" in Canvas; {fix}'
    assert (found.student, found.message) == ("ada", message)


@given(st.text(alphabet=st.sampled_from("ab1_-/ .\\=\n:é"), max_size=40), st.booleans())
def test_whatever_the_name_an_id_is_an_id(name: str, packed: bool) -> None:
    try:
        found = attributions(f"{name}.zip > 01_first.ipynb" if packed else f"{name}01_first.ipynb")
    except EntryError:
        return
    assert all(is_student(one.student) and one.exercise in (*EXERCISES, "") for one in found)
