"""Whose notebook it is and for which exercise, by its name; no student can sign as another."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.collecting.archive import ArchiveEntry, EntryError
from autograder.collecting.attribution import ArchiveContext, Attribution, NamingRules
from autograder.collecting.metadata import GradescopeRecord, Times, read_times
from autograder.collecting.names import read_pattern
from autograder.submission.students import read_students
from autograder.submission.submission import is_student

EXERCISES = ("01_first", "01_first_part", "02_second")
RULES = NamingRules(EXERCISES)


def unread(_: int) -> bytes:
    raise AssertionError("names alone are looked at here")


def attributions(
    name: str, inside: str = "", rules: NamingRules = RULES, context: ArchiveContext | None = None
) -> list[Attribution]:
    entry = ArchiveEntry(name, None, unread, inside=inside)
    return list(rules.attributions(entry, context or rules.context([name], "", {})))


def who(name: str, rules: NamingRules = RULES, beside: tuple[str, ...] = ()) -> list[str] | str:
    """Return the ids of those whose notebook `name` is, or why they are not known."""
    context = rules.context([name, *beside], "", {})
    try:
        return [one.student or one.problem for one in attributions(name, "", rules, context)]
    except EntryError as error:
        return str(error)


FILE = "_assignsubmission_file/01_first.ipynb"
NAMES = """
ada/01_first/01_first.ipynb                                        | ada            | 01_first
ada/01_first.ipynb                                                 | ada            | 01_first
ada/homework/week 1/02_second.ipynb                                | ada            | 02_second
ada@school.org/01_first (1).ipynb                                  | ada@school.org | 01_first
ada/01_first_part.ipynb                                            | ada            | 01_first_part
ada_l_01_first.ipynb                                               | ada_l          | 01_first
jörg/01_first.ipynb                                                 | jörg           | 01_first
佐藤/01_first.ipynb                                                | 佐藤           | 01_first
lovelaceada_12345_67890_01_first.ipynb                             | 12345          | 01_first
lovelaceada_LATE_12345_67890_02_second-1.ipynb                     | 12345          | 02_second
Ada Lovelace_12345_assignsubmission_file_/01_first.ipynb           | Ada.Lovelace   | 01_first
Ada Lovelace_12345_assignsubmission_file_01_first.ipynb            | Ada.Lovelace   | 01_first
Ada Lovelace_12345_assignsubmission_file/01_first.ipynb            | Ada.Lovelace   | 01_first

ada.zip > 01_first.ipynb                                           | ada            | 01_first
ada.tar.gz > x/01_first.ipynb                                      | ada            | 01_first
ada_01_first.zip > 01_first.ipynb                                  | ada            | 01_first
ada/all.zip > 01_first.ipynb                                       | ada            | 01_first
lovelaceada_12345_67890_all.zip > 01_first.ipynb                   | 12345          | 01_first
Ada Lovelace_12345_assignsubmission_file_/all.zip > 01_first.ipynb | Ada.Lovelace   | 01_first

mallory_1_2_bob_99_3_01_first.ipynb                                | 1              | 01_first
mallory_1_2_Bob_99_assignsubmission_file_01_first.ipynb            | 1              | 01_first
Mallory_1_assignsubmission_file_bob_99_3_01_first.ipynb            | Mallory        | 01_first
Mallory_1_assignsubmission_file_/bob_99_3_01_first.ipynb           | Mallory        | 01_first
Mallory_1_assignsubmission_file_/Bob_9_assignsubmission_file_/01_first.ipynb | Mallory | 01_first
mallory/bob/01_first.ipynb                                         | mallory        | 01_first
mallory/bob_99_3_01_first.ipynb                                    | mallory        | 01_first
mallory/bob_01_first.ipynb                                         | mallory        | 01_first
mallory.zip > bob/01_first.ipynb                                   | mallory        | 01_first
mallory.zip > bob_99_3_01_first.ipynb                              | mallory        | 01_first
mallory.zip > submission_5/01_first.ipynb                          | mallory        | 01_first

ada/03_third.ipynb                                                 | ada            |
ada/01_First.ipynb                                                 | ada            |
ada/x01_first.ipynb                                                | ada            |

anon_aB3xZ_9001_01_first.ipynb                                     | anon_aB3xZ     | 01_first
LATE_anon_12345_9001_01_first.ipynb                                | anon_12345     | 01_first
anon_77_9001_01_first.ipynb                                        | 77             | 01_first
_101_9001_01_first.ipynb                                           | 101            | 01_first
müllerjürgen_101_9001_01_first.ipynb                                | 101            | 01_first
शर्माराज_LATE_101_9001_01_first.ipynb                                 | 101            | 01_first
12345_101_9001_01_first.ipynb                                      | 101            | 01_first
Participant_3000_assignsubmission_file/01_first.ipynb              | Participant_3000 | 01_first
"""


@pytest.mark.parametrize("row", [row for row in NAMES.splitlines() if row])
def test_a_name_tells_student_and_exercise(row: str) -> None:
    path, student, exercise = map(str.strip, row.split("|"))
    name, _, inside = path.partition(" > ")
    assert [(one.student, one.exercise) for one in attributions(name, inside)] == [(student, exercise)]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("01_first.ipynb", "names no student"),
        ("_01_first.ipynb", "names no student"),
        ("01_first/01_first.ipynb", "names no student"),
        ("submission_5/01_first.ipynb", "lacks Gradescope's submission_metadata.yml"),
        ("assignment_1_export/submission_5/01_first.ipynb", "lacks Gradescope's submission_metadata.yml"),
        *(
            (f"{student}/01_first.ipynb", "is not a student's id")
            for student in ("=ada", "ada\n", "CON", "com1.txt", "-x", "a b", ".", "x" * 65, "ada.")
        ),
        (f"Zoë!_12345{FILE}", "is not a student's id"),
        (f"ada_{'1' * 99}_9_01_first.ipynb", "is not a student's id"),
        (f"Participant_{'1' * 99}{FILE}", "is not a student's id"),
    ],
)
def test_other_names_tell_no_student(name: str, message: str) -> None:
    assert message in who(name)


def test_no_student_can_sign_as_another_on_gradescope() -> None:
    context = ArchiveContext(
        gradescope={
            "x/submission_5": GradescopeRecord(("mallory",)),
            "x/submission_6": GradescopeRecord(("bob",)),
        }
    )
    for name in ("x/submission_5/01_first.ipynb", "x/submission_5/x/submission_6/01_first.ipynb"):
        (found,) = attributions(name, context=context)
        assert found.student == "mallory"


def test_a_folder_around_the_class_is_passed_over() -> None:
    (found,) = attributions("class/ada/01_first.ipynb", context=ArchiveContext("class/"))
    assert found.student == "ada"


def test_canvas_numbers_what_it_gets_and_tells_what_is_late() -> None:
    (found,) = attributions("a_LATE_1_77_01_first-2.ipynb")
    assert (found.upload, found.late, found.exact) == (77, True, True)
    (found,) = attributions("a_1_78_01_first_notes.ipynb")
    assert (found.upload, found.late, found.exact) == (78, False, False)


@pytest.mark.parametrize(
    ("name", "student"), [("ada/homework.ipynb", "ada"), ("ada.ipynb", "ada"), ("a_1_2_final.ipynb", "1")]
)
def test_an_exercise_that_the_instructor_names_goes_before_names(name: str, student: str) -> None:
    (found,) = attributions(name, rules=NamingRules(EXERCISES, exercise="02_second"))
    assert (found.student, found.exercise) == (student, "02_second")


def test_a_pattern_goes_before_what_is_known() -> None:
    rules = NamingRules(EXERCISES, pattern=read_pattern(r"(?P<exercise>\w+)-by-(?P<student>\w+)"))
    (found,) = attributions("01_first-by-ada.ipynb", rules=rules)
    assert (found.student, found.exercise) == ("ada", "01_first")
    assert who("ada/01_first.ipynb", rules) == "does not match the pattern"


def test_a_pattern_written_for_nbgrader_serves_too() -> None:
    text = r".*_(?P<student_id>\w+)_attempt_(?P<timestamp>[0-9\-]+)_(?P<file_id>\w+)"
    rules = NamingRules(("problem1",), pattern=read_pattern(text))
    (found,) = attributions("ps1_bitdiddle_attempt_2016-01-30-15-00-00_problem1.ipynb", rules=rules)
    assert found == Attribution("bitdiddle", "problem1", when=datetime(2016, 1, 30, 15, tzinfo=UTC))


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
def listed(tmp_path_factory: pytest.TempPathFactory) -> NamingRules:
    path = tmp_path_factory.mktemp("students") / "students.csv"
    path.write_text(LISTED, encoding="utf-8")
    return NamingRules(EXERCISES, students=read_students(path))


@pytest.fixture(scope="module")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> Times:
    path = tmp_path_factory.mktemp("sheet") / "Grades.csv"
    path.write_text(SHEET, encoding="utf-8-sig")
    return read_times([path])


def test_a_word_that_stands_for_several_people_hides_them_in_any_language() -> None:
    names = (f"Rannpháirtí_3000{FILE}", f"Rannpháirtí_3001{FILE}")
    assert [who(names[0], beside=names[1:]), who(names[1], beside=names[:1])] == [
        ["Participant_3000"],
        ["Participant_3001"],
    ]


def test_a_number_at_the_end_of_a_name_in_canvas_is_not_taken_for_the_user(listed: NamingRules) -> None:
    doubtful = "user_1_101_9001_01_first.ipynb"
    assert who(doubtful) == "is of Canvas's user 1 or 101; list the right one with --students"
    assert who(doubtful, listed) == ["ada"]
    assert "both are listed" in who("eve_101_103_9001_01_first.ipynb", listed)


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("ada/01_first.ipynb", ["ada"]),
        ("lovelaceada_101_9001_01_first.ipynb", ["ada"]),
        ("obeebobb_555_9001_01_first.ipynb", ["bob"]),
        ("teamred_101_9001_01_first.ipynb", ["ada", "bob"]),
        ("teamred_555_9001_01_first.ipynb", ["ada", "bob"]),
        ("teamred_103_9001_01_first.ipynb", ["eve"]),
        (f"Ada Lovelace_7{FILE}", ["ada"]),
        (f"Lovelace, Ada_7{FILE}", ["ada"]),
        (f"Bob B. OBee_7{FILE}", ["bob"]),
        (f"Team Red{FILE}", ["ada", "bob"]),
        (f"Participant_3000{FILE}", ["eve"]),
    ],
)
def test_the_list_knows_people_and_groups_as_platforms_write_them(
    listed: NamingRules, name: str, ids: list[str]
) -> None:
    assert who(name, listed) == ids


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("adamseve_666_9001_01_first.ipynb", '"666", whom Canvas calls "adamseve", is not in the list'),
        ("leeanna_666_9001_01_first.ipynb", '"leeanna" is the name of several students (anna1, anna2)'),
        ("ghost/01_first.ipynb", '"ghost" is not in the list of students'),
        ("anon_aB3xZ_9001_01_first.ipynb", '"anon_aB3xZ" is not in the list of students'),
        (f"Anna Lee_7{FILE}", '"Anna Lee" is the name of several students (anna1, anna2)'),
        (f"Team Blue_7{FILE}", '"Team Blue" is not in the list of students'),
        (f"Participant_3001{FILE}", "reveal the names in Moodle, or list this id"),
        (
            f"Team Red_7{FILE}",
            '"Team Red" is a group, and could be the name that somebody chose; give Moodle\'s',
        ),
        (
            f"Default group{FILE}",
            'is of Moodle\'s "Default group", whose members it does not name',
        ),
    ],
)
def test_whoever_is_not_known_for_sure_is_refused_in_one_line(
    listed: NamingRules, name: str, message: str
) -> None:
    assert message in who(name, listed)


def test_a_group_that_is_not_listed_is_reported_beside_the_one_who_handed_in(listed: NamingRules) -> None:
    (found,) = attributions("teamblue_101_9001_01_first.ipynb", rules=listed)
    assert found.student == "ada"
    assert found.message == '"teamblue" in Canvas (if that is a group, list its members)'


def test_the_worksheet_tells_two_people_of_one_name_apart(listed: NamingRules, sheet: Times) -> None:
    both = replace(listed, times=sheet)
    one, other = f"Anna Lee_17{FILE}", f"Anna Lee_18{FILE}"
    assert "several people; give Moodle's grading worksheet" in who(one, beside=(other,))
    assert who(one, replace(RULES, times=sheet), (other,)) == ["anna2@uni.edu"]
    assert [who(name, both, (one, other)) for name in (one, other)] == [
        ["anna2"],
        ["anna1"],
    ]


def test_of_a_group_and_a_person_of_its_name_the_worksheet_tells_who_it_is(
    listed: NamingRules, sheet: Times, tmp_path: Path
) -> None:
    assert who(f"Team Red_7{FILE}", replace(listed, times=sheet)) == ["ada", "bob"]
    path = tmp_path / "Grades.csv"
    path.write_text(SHEET + "Participant 7,Team Red,eve@uni.edu,Submitted,,,-,-\n", encoding="utf-8")
    assert who(f"Team Red_7{FILE}", replace(listed, times=read_times([path]))) == ["eve"]


def test_an_older_moodle_names_the_team_before_the_participant(listed: NamingRules, sheet: Times) -> None:
    both = replace(listed, times=sheet)
    assert who(f"Blue-Anna Lee_17{FILE}", both) == ["anna2"]
    assert who(f"Red-Blue-Zed Zy_19{FILE}", replace(RULES, times=sheet)) == ["Zed.Zy"]
    assert "is not in the list" in who(f"Blue-Anna Lee_19{FILE}", both)  # a name that Zed chose


def test_the_worksheet_names_the_members_of_a_group_whose_number_is_somebody_s(
    listed: NamingRules, sheet: Times
) -> None:
    both = replace(listed, times=sheet)
    assert who(f"Blue_19{FILE}", both) == ["anna2", "anna1"]
    assert who(f"Green_17{FILE}", replace(RULES, times=sheet)) == ["Zed.Zy"]
    assert who(f"Green_17{FILE}", both) == ['"Zed Zy" is not in the list of students']


@given(st.text(alphabet=st.sampled_from("ab1_-/ .\\=\n:é"), max_size=40), st.booleans())
def test_whatever_the_name_an_id_is_an_id(name: str, packed: bool) -> None:
    try:
        found = attributions(
            f"{name}.zip" if packed else f"{name}01_first.ipynb", "01_first.ipynb" if packed else ""
        )
    except EntryError:
        return
    assert all(
        is_student(attribution.student) and attribution.exercise in (*EXERCISES, "") for attribution in found
    )
