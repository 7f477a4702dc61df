"""The list of extensions, which a command and people write."""

import pytest
from click.testing import CliRunner

from autograder.cli import main, term
from autograder.cli.grade import doubts
from autograder.course.course import Course
from autograder.errors import UsageError
from autograder.gradebook.lateness import extend, read_extensions
from autograder.tests.classroom import small
from autograder.tests.gradebook.rows import ruled

BERLIN = "2026-03-03 12:00 Europe/Berlin"


@pytest.fixture
def dated(course: Course) -> Course:
    return ruled(course)


def test_the_list_holds_one_line_a_student_and_exercise(dated: Course) -> None:
    assert read_extensions(dated, "01_small") is None
    extend(dated, "zoe", "01_small", "2026-03-02T12:00:00+00:00")
    extend(dated, "ann", "01_small", "2026-03-02 18:00 Europe/Berlin")
    extend(dated, "ann", "01_small", BERLIN)
    text = (dated.root / "extensions.csv").read_text(encoding="utf-8")
    assert text.splitlines() == [
        "student,exercise,until",
        f"ann,01_small,{BERLIN}",
        "zoe,01_small,2026-03-02T12:00:00+00:00",
    ]
    extend(dated, "zoe", "01_small", None)
    assert list(read_extensions(dated, "01_small") or ()) == ["ann"]


@pytest.mark.parametrize(
    ("student", "until", "message"),
    [
        ("=1+1", BERLIN, "is not a student's id"),
        ("ann", "tomorrow", 'UNTIL: "tomorrow" is not a date and time; write it as 2026-03-01 18:00 Eu'),
        ("ann", "2026-03-01 18:00 Europe/Berlin", "is not after 2026-03-01T18:00:00"),
    ],
)
def test_what_is_no_extension_is_refused(dated: Course, student: str, until: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        extend(dated, student, "01_small", until)
    assert not (dated.root / "extensions.csv").exists()


def test_without_a_due_date_there_is_nothing_to_extend(course: Course) -> None:
    with pytest.raises(UsageError, match="01_small is never due; give it a `due`"):
        extend(course, "ann", "01_small", BERLIN)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ann,01_small,x\n", r"extensions\.csv:1: must be student,exercise,until"),
        ("student,exercise,until\nann,02_none,x\n", r"extensions\.csv:2: is not an extension"),
        (
            "student,exercise,until\n\nann,01_small,soon\n",
            r'extensions\.csv:3: "soon" is not a date and time',
        ),
        ("", r"extensions\.csv:1: must be"),
    ],
)
def test_a_list_that_is_wrong_is_refused_with_its_line(dated: Course, text: str, message: str) -> None:
    (dated.root / "extensions.csv").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        read_extensions(dated, "01_small")


LISTED = "id,name,email\nada,Ada Lovelace,ada@uni.edu\nana,Ana,\nzoe,Zoë,\n"


@pytest.mark.parametrize(
    ("student", "fix"),
    [
        ("ADA", 'did you mean "ada"?'),
        ("ada@uni.edu", 'did you mean "ada"?'),
        ("Ada Lovelace", 'did you mean "ada"?'),
        ("ana1", 'did you mean "ana"?'),
        ("qqqqq", "add it there"),
    ],
)
def test_an_extension_is_for_somebody_of_the_list(dated: Course, student: str, fix: str) -> None:
    (dated.root / "students.csv").write_text(LISTED, encoding="utf-8")
    words = ["--course", str(dated.root), "extend", student, "01_small", BERLIN]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 2
    assert done.output == f'"{student}" is not an id in students.csv; {fix}\n'
    assert not (dated.root / "extensions.csv").exists()
    extend(dated, "ada", "01_small", BERLIN)


def test_a_row_for_somebody_unknown_is_named_and_the_others_count(dated: Course) -> None:
    (dated.root / "students.csv").write_text(LISTED, encoding="utf-8")
    rows = "".join(f"{student},01_small,{BERLIN}\n" for student in ("ana1", "ada", "left"))
    (dated.root / "extensions.csv").write_text(f"student,exercise,until\n{rows}", encoding="utf-8")
    (dated.root / "submitted" / "left" / "02_other").mkdir(parents=True)  # handed in before leaving
    line = 'extensions.csv:2: "ana1" is not an id in students.csv; did you mean "ana"?'
    assert list(doubts(dated, [small(dated)])) == [line]
    assert list(doubts(dated, [])) == []
    for command in ("students", "grade"):
        done = CliRunner().invoke(main, ["--course", str(dated.root), command])
        assert (done.exit_code, done.output.count(line)) == (0, 1), done.output
    assert set(read_extensions(dated, "01_small") or ()) == {"ana1", "ada", "left"}


def test_all_due_dates_of_a_student_move_by_one_command_and_longer_extensions_stay(dated: Course) -> None:
    def run(*words: str) -> str:
        result = CliRunner().invoke(main, ["--course", str(dated.root), "extend", *words])
        assert result.exit_code == 0, result.output
        return result.output

    told = "ann may hand in 01_small until 2026-03-03 18:00:00 Europe/Berlin"
    assert told in run("ann", "--all", "+2 days")
    assert told in run("ann", "--all", "+1", "day")
    assert "until 2026-03-02 18:00:00 Europe/Berlin" in run("ann", "01", "+1 day")
    assert "ann has no extension for 01_small" in run("ann", "--all", "none")
    assert not read_extensions(dated, "01_small")


GROUP = "id,name,group\nann,Ann Lee,Red\nben,Ben Bee,Red;Blue\ncy,Cy,\n"


@pytest.mark.parametrize(
    ("words", "answer", "extended"),
    [
        ((), "y\n", ["ann", "ben"]),
        ((), "n\n", ["ann"]),
        (("--group",), None, ["ann", "ben"]),
        (("--no-group",), None, ["ann"]),
        ((), None, ["ann"]),  # a script, which nobody asks
    ],
)
def test_the_extension_of_one_member_asks_about_the_group(
    dated: Course,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    answer: str | None,
    extended: list[str],
) -> None:
    (dated.root / "students.csv").write_text(GROUP, encoding="utf-8")
    monkeypatch.setattr(term, "is_interactive", lambda: answer is not None)
    arguments = ["--course", str(dated.root), "extend", "ann", "01_small", "+2 days", *words]
    done = CliRunner().invoke(main, arguments, input=answer)
    assert done.exit_code == 0, done.output
    assert sorted(read_extensions(dated, "01_small") or ()) == extended
    assert "ann (Ann Lee) may hand in 01_small until 2026-03-03 18:00:00 Europe/Berlin" in done.output
    asks = "Also for the group's other members (ben (Ben Bee))?" in done.output
    assert asks is (answer is not None)
    assert ("--group extends all" in done.output) is (not words and answer is None)
