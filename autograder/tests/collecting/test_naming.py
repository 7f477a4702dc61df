"""What names in archives say, what students cannot make them say, and which names say nothing."""

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.collecting.attribution import ArchiveContext, Attribution, NamingRules
from autograder.collecting.entry import ArchiveEntry, EntryError
from autograder.collecting.gradescope_metadata import GradescopeRecord
from autograder.collecting.names import Platform, read_pattern
from autograder.submission.students import Student, Students
from autograder.submission.submission import is_student

EXERCISES = ("01_first", "01_first_part", "02_second")


RULES = NamingRules(EXERCISES)


def unread(_: int) -> bytes:
    raise AssertionError("names alone are looked at here")


def attributions(
    name: str, inside: str = "", rules: NamingRules = RULES, context: ArchiveContext | None = None
) -> list[Attribution]:
    return list(
        rules.attributions(ArchiveEntry(name, None, unread, inside=inside), context or ArchiveContext())
    )


def who(name: str, inside: str = "", rules: NamingRules = RULES) -> tuple[str, str]:
    (found,) = attributions(name, inside, rules)
    return found.student, found.exercise


@pytest.mark.parametrize(
    ("name", "student", "exercise"),
    [
        ("ada/01_first/01_first.ipynb", "ada", "01_first"),
        ("ada/01_first.ipynb", "ada", "01_first"),
        ("ada/homework/week 1/02_second.ipynb", "ada", "02_second"),
        ("ada@school.org/01_first (1).ipynb", "ada@school.org", "01_first"),
        ("ada/01_first_part.ipynb", "ada", "01_first_part"),
        ("ada_l_01_first.ipynb", "ada_l", "01_first"),
        ("lovelaceada_12345_67890_01_first.ipynb", "12345", "01_first"),
        ("lovelaceada_LATE_12345_67890_02_second-1.ipynb", "12345", "02_second"),
        ("Ada Lovelace_12345_assignsubmission_file_/01_first.ipynb", "Ada.Lovelace", "01_first"),
        ("Ada Lovelace_12345_assignsubmission_file_01_first.ipynb", "Ada.Lovelace", "01_first"),
        ("Ada Lovelace_12345_assignsubmission_file/01_first.ipynb", "Ada.Lovelace", "01_first"),
    ],
)
def test_platforms_and_plain_folders_are_understood(name: str, student: str, exercise: str) -> None:
    assert who(name) == (student, exercise)


@pytest.mark.parametrize(
    ("name", "inside", "student"),
    [
        ("ada.zip", "01_first.ipynb", "ada"),
        ("ada.tar.gz", "x/01_first.ipynb", "ada"),
        ("ada_01_first.zip", "01_first.ipynb", "ada"),
        ("ada/all.zip", "01_first.ipynb", "ada"),
        ("lovelaceada_12345_67890_all.zip", "01_first.ipynb", "12345"),
        ("Ada Lovelace_12345_assignsubmission_file_/all.zip", "01_first.ipynb", "Ada.Lovelace"),
    ],
)
def test_an_archive_of_one_student_is_named_from_outside(name: str, inside: str, student: str) -> None:
    assert who(name, inside) == (student, "01_first")


@pytest.mark.parametrize(
    ("name", "inside", "student"),
    [
        ("mallory_1_2_bob_99_3_01_first.ipynb", "", "1"),
        ("mallory_1_2_Bob_99_assignsubmission_file_01_first.ipynb", "", "1"),
        ("Mallory_1_assignsubmission_file_bob_99_3_01_first.ipynb", "", "Mallory"),
        ("Mallory_1_assignsubmission_file_/bob_99_3_01_first.ipynb", "", "Mallory"),
        ("Mallory_1_assignsubmission_file_/Bob_9_assignsubmission_file_/01_first.ipynb", "", "Mallory"),
        ("mallory/bob/01_first.ipynb", "", "mallory"),
        ("mallory/bob_99_3_01_first.ipynb", "", "mallory"),
        ("mallory/bob_01_first.ipynb", "", "mallory"),
        ("mallory.zip", "bob/01_first.ipynb", "mallory"),
        ("mallory.zip", "bob_99_3_01_first.ipynb", "mallory"),
        ("mallory.zip", "submission_5/01_first.ipynb", "mallory"),
    ],
)
def test_no_student_can_sign_as_another(name: str, inside: str, student: str) -> None:
    assert who(name, inside) == (student, "01_first")


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


def test_gradescope_tells_who_is_in_a_group_and_when_it_handed_in() -> None:
    when = datetime(2026, 3, 2, 18, tzinfo=UTC)
    records = {"x/submission_5": GradescopeRecord(("100", "bob@school.org"), when)}
    found = attributions("x/submission_5/01_first.ipynb", context=ArchiveContext(gradescope=records))
    assert {one.platform for one in found} == {Platform.GRADESCOPE}
    assert [(one.student, one.when) for one in found] == [("100", when), ("bob@school.org", when)]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("01_first.ipynb", "tells no student"),
        ("_01_first.ipynb", "tells no student"),
        ("01_first/01_first.ipynb", "tells no student"),
        ("submission_5/01_first.ipynb", "lacks Gradescope's submission_metadata.yml"),
        ("assignment_1_export/submission_5/01_first.ipynb", "lacks Gradescope's submission_metadata.yml"),
        *(
            (f"{student}/01_first.ipynb", "is no student's id")
            for student in ("=ada", "ada\n", "CON", "com1.txt", "-x", "a b", ".", "x" * 65, "ada.")
        ),
        ("Zoë!_12345_assignsubmission_file_/01_first.ipynb", "is no student's id"),
    ],
)
def test_other_names_say_nothing(name: str, message: str) -> None:
    with pytest.raises(EntryError, match=re.escape(message)):
        attributions(name)


@pytest.mark.parametrize("name", ["ada/03_third.ipynb", "ada/01_First.ipynb", "ada/x01_first.ipynb"])
def test_other_names_leave_the_exercise_to_the_cells(name: str) -> None:
    assert who(name) == ("ada", "")


def test_a_folder_around_the_class_is_passed_over() -> None:
    (found,) = attributions("class/ada/01_first.ipynb", context=ArchiveContext("class/"))
    assert found.student == "ada"


def test_canvas_numbers_what_it_gets_and_tells_what_is_late() -> None:
    (found,) = attributions("a_LATE_1_77_01_first-2.ipynb")
    assert (found.upload, found.late, found.exact) == (77, True, True)
    (found,) = attributions("a_1_78_01_first_notes.ipynb")
    assert (found.upload, found.late, found.exact) == (78, False, False)


def test_an_exercise_that_the_instructor_names_goes_before_names() -> None:
    rules = NamingRules(EXERCISES, exercise="02_second")
    assert who("ada/homework.ipynb", rules=rules) == ("ada", "02_second")
    assert who("ada.ipynb", rules=rules) == ("ada", "02_second")
    assert who("a_1_2_final.ipynb", rules=rules) == ("1", "02_second")


def test_a_pattern_goes_before_what_is_known() -> None:
    rules = NamingRules(EXERCISES, pattern=read_pattern(r"(?P<exercise>\w+)-by-(?P<student>\w+)"))
    assert who("01_first-by-ada.ipynb", rules=rules) == ("ada", "01_first")
    with pytest.raises(EntryError, match="does not match the pattern"):
        attributions("ada/01_first.ipynb", rules=rules)


def test_a_pattern_written_for_nbgrader_serves_too() -> None:
    text = r".*_(?P<student_id>\w+)_attempt_(?P<timestamp>[0-9\-]+)_(?P<file_id>\w+)"
    rules = NamingRules(("problem1",), pattern=read_pattern(text))
    (found,) = attributions("ps1_bitdiddle_attempt_2016-01-30-15-00-00_problem1.ipynb", rules=rules)
    assert found == Attribution("bitdiddle", "problem1", when=datetime(2016, 1, 30, 15, tzinfo=UTC))


def test_a_student_s_name_may_be_of_any_script_and_has_one_form() -> None:
    assert [who(f"{name}/01_first.ipynb")[0] for name in ("jörg", "jo\u0308rg", "佐藤")] == [
        "jörg",
        "jörg",
        "佐藤",
    ]


def test_a_list_of_students_gives_ids_and_lets_nobody_else_in() -> None:
    rules = NamingRules(EXERCISES, students=Students((Student("zoe", ("Zoë Müller",)),)))
    assert who("Zoe\u0308 Mu\u0308ller_1_assignsubmission_file_/01_first.ipynb", rules=rules) == (
        "zoe",
        "01_first",
    )
    assert who("zoe/01_first.ipynb", rules=rules) == ("zoe", "01_first")
    with pytest.raises(EntryError, match="is not in the list"):
        attributions("ada/01_first.ipynb", rules=rules)


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
