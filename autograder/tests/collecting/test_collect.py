"""Whose notebooks are collected, which are refused, and who is missing."""

import gzip
import json
import os
import re
import subprocess
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import IO, Never

import pytest
from click.testing import CliRunner, Result

import autograder
from autograder.cli import main
from autograder.collecting.archive import ArchiveEntry, Bounds, read_zip
from autograder.collecting.attempts import attempts_of
from autograder.collecting.attribution import NamingRules
from autograder.collecting.collect import collect_archives
from autograder.collecting.names import class_folder
from autograder.collecting.survey import CollectedLine
from autograder.course.course import Course, load_course
from autograder.submission.students import Student, Students
from autograder.submission.submission import Submission
from autograder.tests.collecting.archives import member, tarred

IN_TIME, LATE = (2026, 3, 2, 18, 0, 0), (2026, 3, 3, 8, 0, 0)
DUE = "2026-03-02T23:59:00+00:00"
Content = str | bytes
LISTED = Students((Student("ada", ("101",)), Student("bob", ("Bob Bee", "102"))))
MOODLE = "{}_7_assignsubmission_file/"
NOTEBOOK = json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
PATTERN = r"(?P<student>\w+) - .*\.ipynb"
METADATA = "".join(f'submission_{n}:\n  :submitters:\n  - {{":sid": "{n}"}}\n' for n in (5, 6))
CLASS_LIST = "id,name,canvas\nada,Ada Lovelace,101\nbob,Bob Bee,\neve,Eve,103\nzoe,Zoë Müller,\n"


def notebook(text: str = "") -> str:
    return json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5, "text": text})


def make_zip(path: Path, files: Mapping[str, Content], when: tuple[int, ...] = IN_TIME) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            year, month, day, hour, minute, second = when
            info = zipfile.ZipInfo("x", (year, month, day, hour, minute, second))
            info.filename = name  # ZipInfo would have corrected it
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    return path


def make_folder(path: Path, files: Mapping[str, str]) -> Path:
    for name, content in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(content, encoding="utf-8")
    return path


def due(course: Course) -> Course:
    path = course.root / "course.yaml"
    text = path.read_text(encoding="utf-8").replace("- name: 01_small", f"- name: 01_small\n    due: {DUE}")
    path.write_text(text, encoding="utf-8")
    return load_course(course.root)


def run(course: Course, *archives: Path, times: bool = True) -> list[CollectedLine]:
    return list(collect_archives(course, archives, NamingRules(list(course.exercises)), times=times))


def statuses(lines: list[CollectedLine]) -> list[tuple[str, str]]:
    return [(line.student or line.path, line.status) for line in lines]


def submitted(course: Course) -> dict[str, str]:
    folder = course.root / "submitted"
    return {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def call(course: Course, *words: object) -> Result:
    return CliRunner().invoke(main, ["--course", str(course.root), "collect", *map(str, words)])


def test_a_class_in_a_zip_goes_in_with_its_times(course: Course, tmp_path: Path) -> None:
    one, other = notebook("1"), notebook("2")
    archive = make_zip(tmp_path / "a.zip", {"ada/01_small.ipynb": one, "bob/01_small/01_small.ipynb": other})
    assert statuses(run(course, archive)) == [("ada", "new"), ("bob", "new")]
    assert submitted(course) == {
        "ada/01_small/01_small.ipynb": one,
        "ada/01_small/timestamp.txt": "2026-03-02 18:00:00.000000 UTC",
        "bob/01_small/01_small.ipynb": other,
        "bob/01_small/timestamp.txt": "2026-03-02 18:00:00.000000 UTC",
    }


def test_a_folder_and_a_tar_go_in_too(course: Course, tmp_path: Path) -> None:
    files = {"ada/01_small.ipynb": notebook(), "ada/notes.txt": "-", "bob/01_small.ipynb": notebook()}
    folder = make_folder(tmp_path / "class", files)
    names = ("x/eve/01_small.ipynb", "x/fay/01_small.ipynb")
    (tmp_path / "a.tgz").write_bytes(gzip.compress(tarred(*(member(name, size=9) for name in names))))
    found = statuses(run(course, folder, tmp_path / "a.tgz"))
    assert found == [("ada", "new"), ("bob", "new"), ("eve", "new"), ("fay", "new")]


def test_a_link_and_what_lies_below_it_do_not_lead_out(course: Course, tmp_path: Path) -> None:
    link = member("bob", tarfile.SYMTYPE, linkname=str(tmp_path))
    (tmp_path / "a.tar").write_bytes(tarred(link, member("bob/01_small.ipynb", size=9)))
    assert statuses(run(course, tmp_path / "a.tar")) == [("bob", "refused"), ("bob", "new")]
    assert not (tmp_path / "01_small.ipynb").exists()
    assert not (course.root / "submitted" / "bob").is_symlink()


def test_a_later_archive_replaces_and_an_earlier_one_does_not(course: Course, tmp_path: Path) -> None:
    early = make_zip(tmp_path / "1.zip", {"ada/01_small.ipynb": notebook("1")})
    late = make_zip(tmp_path / "2.zip", {"ada/01_small.ipynb": notebook("2")}, LATE)
    assert statuses(run(course, early, late)) == [("ada", "new"), ("ada", "replaced")]
    first, second = run(course, early, late)
    assert (first.status, first.message) == ("unchanged", "a later submission is there")
    assert second.status == "unchanged"
    assert submitted(course)["ada/01_small/01_small.ipynb"] == notebook("2")


def test_canvas_counts_uploads_and_the_last_one_goes_in(course: Course, tmp_path: Path) -> None:
    archive = make_zip(
        tmp_path / "a.zip",
        {
            "lovelaceada_123_900_01_small-1.ipynb": notebook("last"),
            "lovelaceada_123_88_01_small.ipynb": notebook("first"),
            "lovelaceada_123_950_01_small_notes.ipynb": notebook("notes"),
            "lovelaceada_123_951_report.pdf": b"%PDF",
            "turingalan_LATE_45_901_01_small.ipynb": notebook(),
        },
    )
    first, second = run(course, archive)
    assert (first.student, first.status) == ("123", "new")
    assert first.message.startswith(
        "lovelaceada_123_950_01_small_notes.ipynb, the last upload, counts and not"
    )
    attempts = attempts_of(Submission(course.root, "123", "01_small"))
    assert [one.arrival.upload for one in attempts] == [88, 900, 950]
    assert (second.student, second.status) == ("45", "new")
    assert submitted(course)["123/01_small/01_small.ipynb"] == notebook("notes")
    assert {line.status for line in run(course, archive)} == {"unchanged"}


def test_without_times_nothing_is_late(course: Course, tmp_path: Path) -> None:
    archive = make_zip(tmp_path / "a.zip", {"ada/01_small.ipynb": notebook()}, LATE)
    (line,) = run(due(course), archive, times=False)
    assert (line.status, line.message) == ("new", "")
    assert list(submitted(course)) == ["ada/01_small/01_small.ipynb"]


def test_a_list_of_students_turns_names_into_ids(course: Course, tmp_path: Path) -> None:
    roster = tmp_path / "students.csv"
    roster.write_text("zoe,Zoë Müller,77\nada,Ada Lovelace,78\n", encoding="utf-8-sig")
    files = {
        "Zoë Müller_2_assignsubmission_file_/01_small.ipynb": notebook(),
        "lovelaceada_88_900_01_small.ipynb": notebook(),
    }
    done = call(course, make_zip(tmp_path / "a.zip", files), "--students", roster)
    assert done.exit_code == 1
    assert "01_small zoe: new" in done.stdout
    assert 'refused: "88", whom Canvas calls "lovelaceada", is not in the list of students' in done.stdout


def test_gradescope_s_export_goes_in_for_everybody_of_a_group(course: Course, tmp_path: Path) -> None:
    metadata = """
submission_5:
  :submitters:
  - {":sid": "100"}
  - {":email": "bob@school.org"}
  :created_at: 2026-03-03 00:59:00 Z
"""
    files = {
        "assignment_1_export/submission_5/01_small.ipynb": notebook(),
        "assignment_1_export/submission_metadata.yml": metadata,
    }
    lines = run(due(course), make_zip(tmp_path / "a.zip", files))
    assert statuses(lines) == [("100", "new"), ("bob@school.org", "new")]
    assert {line.message for line in lines} == {"1.0 h late"}


EXPORT = "assignment_1_export/"


OWN_METADATA = 'submission_5:\n  :submitters:\n  - {":sid": "bob"}\n'


def outside(folder: Path) -> set[Path]:
    """Return all that lies outside the folders into which collecting writes."""
    ours = {"submitted", "attempts", "autograder.db", ".collecting.lock"}
    return {path for path in folder.rglob("*") if not ours & set(path.parts)}


@pytest.mark.parametrize("form", ["folder", "zip", "root of a zip", "root of a folder"])
def test_a_student_s_own_metadata_replace_nobody_s_notebook(
    course: Course, tmp_path: Path, form: str
) -> None:
    run(course, make_zip(tmp_path / "bob.zip", {"bob/01_small.ipynb": notebook("bob's")}))
    files = {
        "mallory/submission_metadata.yml": OWN_METADATA,
        "mallory/submission_5/01_small.ipynb": notebook("mallory's"),
    }
    at_root = {name.removeprefix("mallory/"): text for name, text in files.items()}
    archive = {
        "folder": lambda: make_folder(tmp_path / "class", files),
        "zip": lambda: make_zip(tmp_path / "class.zip", files, LATE),
        "root of a zip": lambda: make_zip(tmp_path / "mallory.zip", at_root, LATE),
        "root of a folder": lambda: make_folder(tmp_path / "mallory", at_root),
    }[form]()
    lines = run(course, archive)
    assert submitted(course)["bob/01_small/01_small.ipynb"] == notebook("bob's")
    assert [line.student for line in lines] == ["" if "root" in form else "mallory"]


def test_metadata_that_cannot_be_believed_are_refused_and_the_next_archive_goes_in(
    course: Course, tmp_path: Path
) -> None:
    deep: dict[str, Content] = {
        f"{EXPORT}submission_metadata.yml": "[" * 200_000,
        f"{EXPORT}submission_5/01_small.ipynb": notebook(),
    }
    good = make_zip(tmp_path / "b.zip", {"ada/01_small.ipynb": notebook()})
    assert statuses(run(course, make_zip(tmp_path / "a.zip", deep), good)) == [
        (f"{EXPORT}submission_metadata.yml", "refused"),
        (f"{EXPORT}submission_5/01_small.ipynb", "refused"),
        ("ada", "new"),
    ]


def test_one_student_s_odd_files_do_not_spoil_gradescope_s_export(course: Course, tmp_path: Path) -> None:
    text = "".join(
        f'submission_{number}:\n  :submitters:\n  - {{":sid": "{number}"}}\n' for number in (5, 6, 7)
    )
    files: dict[str, Content] = {
        f"{EXPORT}submission_metadata.yml": text,
        f"{EXPORT}submission_5/01_small.ipynb": notebook(),
        f"{EXPORT}submission_6/\n.ipynb": notebook(),
        f"{EXPORT}submission_7/all.zip": make_zip(tmp_path / "empty.zip", {}).read_bytes(),
    }
    lines = run(course, make_zip(tmp_path / "a.zip", files))
    assert ("5", "new") in statuses(lines)
    assert [line.message for line in lines if line.status == "refused"] == [
        "has control characters in its name",
        "holds no files",
    ]


def test_archives_of_students_in_an_archive_go_in(course: Course, tmp_path: Path) -> None:
    inner = make_zip(tmp_path / "inner.zip", {"bob/01_small.ipynb": notebook()}).read_bytes()
    archive = make_zip(
        tmp_path / "a.zip", {"ada.zip": inner, "eve_01_small.zip": inner, "fay.zip": b"broken"}
    )
    lines = run(course, archive)
    assert statuses(lines) == [("fay.zip", "refused"), ("ada", "new"), ("eve", "new")]


BAD_NAMES = (
    "../bob/01_small.ipynb",
    "/tmp/bob/01_small.ipynb",
    "bob/../../01_small.ipynb",
    "bob\\01_small.ipynb",
    "C:/bob/01_small.ipynb",
    "bob\n/01_small.ipynb",
    "=bob/01_small.ipynb",
    "CON/01_small.ipynb",
    "-bob/01_small.ipynb",
    "..bob/01_small.ipynb",
    "bob/02_other.ipynb",
    "01_small.ipynb",
)


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_bad_name_is_refused_by_name_and_the_others_go_in(
    course: Course, tmp_path: Path, name: str
) -> None:
    archive = make_zip(tmp_path / "a.zip", dict.fromkeys((name, "ada/01_small.ipynb"), notebook()))
    before = outside(tmp_path)
    assert statuses(run(course, archive)) == [(name, "refused"), ("ada", "new")]
    assert [path.name for path in (course.root / "submitted").iterdir()] == ["ada"]
    assert outside(tmp_path) == before


def test_a_notebook_that_is_too_large_is_refused_in_its_student_s_name(
    course: Course, tmp_path: Path
) -> None:
    files: dict[str, Content] = {"bob/01_small.ipynb": os.urandom(51 << 20), "ada/01_small.ipynb": notebook()}
    refused, new = run(course, make_zip(tmp_path / "a.zip", files))
    assert (refused.student, refused.message) == ("bob", "is larger than 50 MB")
    assert new.student == "ada"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada/01_small.ipynb", "ada/01_small.ipynb"),
        ("ada/01_small.ipynb", "ada/01_SMALL.ipynb"),
        ("ada/e\u0301/01_small.ipynb", "ada/\u00e9/01_small.ipynb"),
        ("Ada/01_small.ipynb", "ada/x/01_small.ipynb"),
    ],
)
def test_names_that_differ_in_case_or_form_only_are_both_refused(
    course: Course, tmp_path: Path, one: str, other: str
) -> None:
    files = {one: notebook("1"), other: notebook("2"), "eve/01_small.ipynb": notebook()}
    first, second, new = run(course, make_zip(tmp_path / "a.zip", files))
    assert {first.path, second.path} == {one, other}
    assert {first.status, second.status} == {"refused"}
    assert "in case or Unicode form only" in first.message
    assert (new.student, new.status) == ("eve", "new")


def test_of_several_notebooks_the_one_named_as_asked_counts_and_else_the_last_in_the_archive(
    course: Course, tmp_path: Path
) -> None:
    files = {
        "ada/a/01_small.ipynb": notebook("1"),
        "ada/b/01_small.ipynb": notebook("2"),
        "bob/01_small.ipynb": notebook("3"),
        "bob/01_small-Copy1.ipynb": notebook("4"),
    }
    lines = run(course, make_zip(tmp_path / "a.zip", files))
    assert statuses(lines) == [("ada", "new"), ("bob", "new")]
    assert lines[0].message == "ada/b/01_small.ipynb counts and not ada/a/01_small.ipynb"
    assert submitted(course)["bob/01_small/01_small.ipynb"] == notebook("3")


def test_a_line_names_the_notebook_that_counts_whether_times_or_a_script_are_beside_it(
    course: Course, tmp_path: Path
) -> None:
    folder = make_folder(
        tmp_path / "class", {"ada/01_small.ipynb": notebook("1"), "ada/01_small_final.ipynb": notebook("2")}
    )
    for name, when in ("01_small", 1_770_000_000), ("01_small_final", 1_770_009_000):
        os.utime(folder / "ada" / f"{name}.ipynb", (when, when))
    canvas = {"bob_5_850_01_small.ipynb": notebook("3"), "bob_5_900_01_small.py": "# %%\nx = 1\n"}
    for _ in range(2):
        (ada,) = run(course, folder)
        (bob,) = run(course, make_zip(tmp_path / "canvas.zip", canvas))
        assert ada.message.startswith("01_small_final.ipynb counts and not")
        assert bob.message.startswith("bob_5_850_01_small.ipynb counts and not")
        assert submitted(course)["ada/01_small/01_small.ipynb"] == notebook("2")
        assert submitted(course)["5/01_small/01_small.ipynb"] == notebook("3")
    assert [len(attempts_of(Submission(course.root, who, "01_small"))) for who in ("ada", "5")] == [2, 2]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_stands_twice_in_a_zip_is_refused(course: Course, tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for text in "12":
            archive.writestr("ada/01_small.ipynb", notebook(text))
    assert statuses(run(course, path)) == [("ada", "refused"), ("ada", "refused")]


def test_a_broken_archive_stops_neither_the_next_nor_what_came_before(course: Course, tmp_path: Path) -> None:
    good = make_zip(tmp_path / "b.zip", {"ada/01_small.ipynb": notebook()})
    broken = tmp_path / "c.zip"
    broken.write_bytes(b"PK\3\4 and no more")
    assert statuses(run(course, broken, good)) == [("", "refused"), ("ada", "new")]


@pytest.mark.parametrize("exhaustion", [MemoryError, RecursionError])
@pytest.mark.parametrize("when", ["opened", "read", "named"])
def test_an_archive_that_takes_all_memory_does_not_stop_the_next(
    course: Course,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    exhaustion: type[Exception],
    when: str,
) -> None:
    def exhausted(*_: object) -> Never:
        raise exhaustion

    def read_or_fail(file: IO[bytes], bounds: Bounds) -> Iterator[ArchiveEntry]:
        for entry in read_zip(file, bounds):
            if when == "opened":
                exhausted()
            yield replace(entry, read=exhausted) if when == "read" else entry

    monkeypatch.setattr("autograder.collecting.archive.read_zip", read_or_fail)
    if when == "named":
        steps: Iterator[Callable[..., str]] = iter([exhausted, class_folder])
        monkeypatch.setattr("autograder.collecting.survey.class_folder", lambda *given: next(steps)(*given))
    bad = make_zip(tmp_path / "a.zip", {"bob/01_small.ipynb": notebook()})
    next_one = make_folder(tmp_path / "b", {"ada/01_small.ipynb": notebook()})
    first, *rest = run(course, bad, next_one)
    assert (first.status, first.message) == (
        "refused",
        "takes more memory than there is; collect it manually",
    )
    assert first.student == ("bob" if when == "read" else "")
    assert statuses(rest) == [("ada", "new")]


def test_the_command_says_a_line_on_each_and_exits_with_1_where_one_is_refused(
    course: Course, tmp_path: Path
) -> None:
    files = {"ada/01_small.ipynb": notebook(), "bob\x1b[2J/01_small.ipynb": notebook()}
    archive = make_zip(tmp_path / "a.zip", files)
    done = call(course, archive)
    assert done.exit_code == 1
    assert "some files were refused (see above), so the exit code is 1" in done.stderr
    assert done.stdout.splitlines() == [
        f"{archive}: bob/01_small.ipynb: refused: has control characters in its name",
        "01_small ada: new",
        "1 refused, 1 new",
    ]


def test_the_command_tells_of_nothing(course: Course, tmp_path: Path) -> None:
    done = call(course, make_zip(tmp_path / "a.zip", {"readme.txt": "-"}))
    assert (done.exit_code, done.stdout) == (0, "no notebooks\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["missing.zip"], "'missing.zip' does not exist"),
        ([], "Missing argument 'ARCHIVE...'"),
        ([".", "--exercise", "02_big"], 'has no exercise "02_big"'),
        ([".", "--pattern", "("], "--pattern: missing )"),
        ([".", "--students", "none.csv"], "none.csv: there is no such file"),
    ],
)
def test_wrong_use_exits_with_2_and_collects_nothing(course: Course, words: list[str], message: str) -> None:
    done = call(course, *words)
    assert done.exit_code == 2
    assert message in done.stderr
    assert not (course.root / "submitted").exists()


def test_notebooks_of_any_name_go_in_where_the_exercise_is_given(course: Course, tmp_path: Path) -> None:
    archive = make_zip(tmp_path / "a.zip", {"lovelaceada_123_900_final.ipynb": notebook()})
    assert "01_small 123: new" in call(course, archive, "--exercise", "01_small").stdout


RENAMED = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def with_code(code: str) -> str:
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "source": code, "outputs": []}
    return json.dumps(RENAMED | {"cells": [cell | {"execution_count": None}]})


def test_a_renamed_notebook_is_known_by_its_cells_and_others_are_refused(
    course: Course, tmp_path: Path
) -> None:
    inner = make_zip(tmp_path / "hw.zip", {"hw/my work.ipynb": with_code("def double(x): ...")})
    files: dict[str, Content] = {
        "lovelaceada_101_9001_homework.ipynb": with_code("def row_sums(x): ..."),
        "beebob_102_9002_hw.zip": inner.read_bytes(),
        "eve_103_9003_recipes.ipynb": with_code("def soup(x): ..."),
        "zoe_104_9004_poem.ipynb": "[" * 200_000,
        "kim_105_9005_Untitled.ipynb": with_code("def row_sums(x): ..."),
        "kim_105_9006_01_small.ipynb": notebook("kim's"),
    }
    done = call(course, make_zip(tmp_path / "a.zip", files))
    assert done.exit_code == 1
    assert done.stdout.count("known by its cells") == 2
    unknown = "refused: names no exercise, nor do its cells; name it as one of 01_small, or pass --exercise"
    assert [line.rpartition("_")[2] for line in done.stdout.splitlines() if "refused:" in line] == [
        f"recipes.ipynb: {unknown}".rpartition("_")[2],
        f"poem.ipynb: {unknown}".rpartition("_")[2],
    ]
    assert sorted(name for name in submitted(course) if name.endswith(".ipynb")) == [
        f"{student}/01_small/01_small.ipynb" for student in ("101", "102", "105")
    ]
    assert submitted(course)["105/01_small/01_small.ipynb"] == notebook("kim's")


def test_a_list_beside_course_yaml_is_read_and_its_groups_get_one_file_each(
    course: Course, tmp_path: Path
) -> None:
    listed = "id,name,email,group\nada,,a@b.c,Team Red\nbob,,b@b.c,Team Red\n"
    (course.root / "students.csv").write_text(listed, encoding="utf-8")
    metadata = """
submission_5:
  :submitters:
  - {":sid": "100", ":email": "a@b.c"}
  - {":email": "nobody@b.c"}
"""
    files = {f"{EXPORT}submission_5/01_small.ipynb": notebook(), f"{EXPORT}submission_metadata.yml": metadata}
    done = call(course, make_zip(tmp_path / "g.zip", files))
    assert "01_small ada: new" in done.stdout
    assert 'refused: "nobody@b.c" is not in the list of students' in done.stdout
    moodle = {"Team Red_assignsubmission_file/01_small.ipynb": notebook("team's")}
    done = call(course, make_zip(tmp_path / "m.zip", moodle))
    assert [line.split(":")[0] for line in done.stdout.splitlines()[:2]] == ["01_small ada", "01_small bob"]
    assert done.stdout.count("of group Team Red, Moodle gives no time") == 2


@pytest.mark.parametrize(
    ("archives", "words"),
    [
        ("{0}/my class", ["{0}/my class"]),
        ("{0}/O'Brien's.zip", ["{0}/O'Brien's.zip"]),
        ("'{0}/my class' {0}/a.zip", ["{0}/my class", "{0}/a.zip"]),
        ("canvas.zip class/", ["canvas.zip", "class/"]),
    ],
)
def test_make_collect_takes_paths_with_spaces(tmp_path: Path, archives: str, words: list[str]) -> None:
    (tmp_path / "my class").mkdir()
    (tmp_path / "O'Brien's.zip").touch()
    command = ["make", "-s", "collect", "READY=", "GRADER=printf '%s\\n'", f"ARCHIVES={archives}"]
    command = [word.format(tmp_path) for word in command]
    done = subprocess.run(command, cwd=Path(autograder.__file__).parents[1], capture_output=True, text=True)
    assert done.stdout.splitlines() == ["collect", *(word.format(tmp_path) for word in words)]


def test_where_nothing_tells_the_order_the_very_name_counts(course: Course, tmp_path: Path) -> None:
    moodle = "Ada Byron_7_assignsubmission_file_01_small{}.ipynb"
    names = [moodle.format(end) for end in ("", "_v2")]
    (line,) = run(course, make_zip(tmp_path / "a.zip", dict(zip(names, map(notebook, "12"), strict=True))))
    assert line.message.startswith(f"{names[0]} counts and not {names[1]}")
    assert submitted(course)["Ada.Byron/01_small/01_small.ipynb"] == notebook("1")


def test_an_exported_script_counts_where_there_is_no_notebook(course: Course, tmp_path: Path) -> None:
    names = ("ada/01_small.py", "bob/01_small.py", "bob/01_small.ipynb", "bob/helpers.py")
    lines = run(course, make_zip(tmp_path / "a.zip", dict.fromkeys(names, notebook())))
    assert [(line.student, line.path) for line in lines] == [
        ("ada", "ada/01_small.py"),
        ("bob", "bob/01_small.ipynb"),
    ]


def collect(
    course: Course, tmp_path: Path, names: Iterable[str], students: Students | None = None
) -> list[tuple[str, str, str]]:
    """Collect a zip with files of these names, and return what came, and the path and message of refusals."""
    path = tmp_path / "class.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, METADATA if name.endswith("submission_metadata.yml") else NOTEBOOK)
    lines = list(collect_archives(course, [path], NamingRules(list(course.exercises), students=students)))
    refused = [("refused", line.path, line.message) for line in lines if line.status == "refused"]
    return [(str(line.status), line.student, "") for line in lines if line.status != "refused"] + refused


@pytest.mark.parametrize("ending", [".IPYNB", ".Ipynb", ".ipynb.txt", ".ipynb.json", ".ipynb (1).txt"])
@pytest.mark.parametrize(
    ("name", "student"),
    [
        ("ada/01_small{}", "ada"),
        ("lovelaceada_101_9001_01_small{}", "101"),
        ("Ada_7_assignsubmission_file/01_small{}", "Ada"),
    ],
)
def test_a_notebook_is_taken_however_a_browser_has_saved_it(
    course: Course, tmp_path: Path, name: str, student: str, ending: str
) -> None:
    assert collect(course, tmp_path, [name.format(ending)]) == [("new", student, "")]
    assert (course.root / "submitted" / student / "01_small" / "01_small.ipynb").read_text() == NOTEBOOK


@pytest.mark.parametrize(
    ("name", "who", "students"),
    [
        ("bob/{}", "bob", None),
        ("bob/{}", "bob", LISTED),
        ("beebob_102_9002_{}", "102", None),
        ("beebob_102_9002_{}", "bob", LISTED),
        ("Bob Bee_8_assignsubmission_file/{}", "Bob.Bee", None),
    ],
)
@pytest.mark.parametrize(
    ("file", "mend"),
    [
        ("report.pdf", "ask {} for the .ipynb file"),
        ("IMG_1.HEIC", "ask {} for the .ipynb file"),
        ("work.rar", "pack it as a zip, or unpack it into a folder of the student's"),
        ("work.7z", "pack it as a zip, or unpack it into a folder of the student's"),
        ("work.py", "if it is one as a script, give it the name of its exercise"),
    ],
)
def test_whoever_hands_in_no_notebook_gets_one_line(
    course: Course, tmp_path: Path, name: str, who: str, students: Students | None, file: str, mend: str
) -> None:
    path = name.format(file)
    ada = "ada" if students else "101"
    found = collect(course, tmp_path, ["lovelaceada_101_9001_01_small.ipynb", path], students)
    assert found == [("new", ada, ""), ("refused", path, f"is not a notebook; {mend.format(who)}")]


@pytest.mark.parametrize(
    ("names", "line"),
    [
        (["bob/conftest.py", "bob/a.pdf", "bob/b.pdf"], "bob/a.pdf: is not a notebook (nor is any other of"),
        (["Bob Bee_8_assignsubmission_onlinetext/onlinetext.html"], "text.html: is not a notebook; ask bob"),
        (["bob_01_small.pdf"], "bob_01_small.pdf: is not a notebook; ask bob"),
        (["beebob_102_text.html"], "beebob_102_text.html: is not a notebook; ask bob"),
        (["zoe_109_9009_x.pdf"], '"109", whom Canvas calls "zoe", is not in the list of students'),
        (["bob.rar"], "bob.rar: is not a notebook; pack it as a zip"),
        (["bob.pdf"], "bob.pdf: is not a notebook; ask bob for the .ipynb file"),
        (["scan.pdf"], "scan.pdf: is not a notebook; ask whoever handed in scan.pdf for"),
        (["bob/plot.png"], "bob/plot.png: is not a notebook"),
    ],
)
def test_the_line_names_one_file_and_what_to_do(
    course: Course, tmp_path: Path, names: list[str], line: str
) -> None:
    (only,) = collect(course, tmp_path, names, LISTED)
    assert line in ": ".join(only)


@pytest.mark.parametrize(
    "names",
    [
        [f"ada/{name}" for name in ("01_small.ipynb", "conftest.py", "SETUP.md", "figures/a.png", "x.pdf")],
        [MOODLE.format("Ada") + "01_small.ipynb", "Ada_7_assignsubmission_onlinetext/onlinetext.html"],
        ["lovelaceada_101_9001_01_small.ipynb", "lovelaceada_101_text.html"],
        ["lovelaceada_101_9001_01_small.ipynb", "lovelaceada_101_9002_report.pdf"],
        ["ada/01_small.ipynb", "__MACOSX/bob/._x.pdf", "bob/.DS_Store", "bob/Thumbs.db", "readme.md"],
        ["ada/01_small.ipynb", "data/x.csv", "figures/a.png", "handout/conftest.py"],
        [
            "assignment_1_export/submission_5/01_small.ipynb",
            "assignment_1_export/submission_6/x/01_small.ipynb",
            "assignment_1_export/submission_6/x.pdf",
            "assignment_1_export/submission_metadata.yml",
        ],
    ],
)
def test_beside_a_notebook_other_files_are_of_no_interest(
    course: Course, tmp_path: Path, names: list[str]
) -> None:
    assert {status for status, _, _ in collect(course, tmp_path, names)} == {"new"}


def test_in_a_folder_without_folders_a_paper_beside_a_notebook_is_of_no_interest(
    course: Course, tmp_path: Path
) -> None:
    found = collect(course, tmp_path, ["ada_01_small.ipynb", "ada_report.pdf", "adam.rar", "bob.pdf"])
    assert [(path, message.partition("; ")[2]) for _, path, message in found[1:]] == [
        ("adam.rar", "pack it as a zip, or unpack it into a folder of the student's"),
        ("bob.pdf", "ask whoever handed in bob.pdf for the .ipynb file"),
    ]


def test_an_instructor_s_own_pattern_tells_whose_it_is(course: Course, tmp_path: Path) -> None:
    path, rules = tmp_path / "class.zip", NamingRules(["01_small"], pattern=re.compile(PATTERN))
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("ada - 01_small.ipynb", "ada - report.pdf", "bob - report.pdf", "about.pdf"):
            archive.writestr(name, NOTEBOOK)
    lines = list(collect_archives(course, [path], rules))
    assert [(line.student, line.path, line.status) for line in lines] == [
        ("", "bob - report.pdf", "refused"),
        ("ada", "ada - 01_small.ipynb", "new"),
    ]


def test_a_pdf_in_gradescope_gets_a_line(course: Course, tmp_path: Path) -> None:
    top = "assignment_1_export/"
    names = [f"{top}submission_5/01_small.ipynb", f"{top}submission_6/x.pdf", f"{top}submission_metadata.yml"]
    assert collect(course, tmp_path, names)[1:] == [
        ("refused", f"{top}submission_6/x.pdf", "is not a notebook; ask 6 for the .ipynb file")
    ]


def test_where_nobody_hands_in_a_notebook_each_gets_a_line(course: Course, tmp_path: Path) -> None:
    found = collect(course, tmp_path, ["class/ada/a.pdf", "class/bob/b.pdf", "class/eve/c.pdf"])
    assert [message for _, _, message in found] == [
        f"is not a notebook; ask {who} for the .ipynb file" for who in ("ada", "bob", "eve")
    ]


def test_a_notebook_alone_is_told_where_to_go(course: Course, tmp_path: Path) -> None:
    path, rules = tmp_path / "01_small.ipynb", NamingRules(list(course.exercises))
    path.write_text(NOTEBOOK, encoding="utf-8")
    (line,) = collect_archives(course, [path], rules)
    message = "is a notebook; put it into a folder named by its student's id, collect the one above"
    assert (line.status, line.message) == ("refused", message)
    folder = tmp_path / "mail" / "ada"
    folder.mkdir(parents=True)
    path.rename(folder / path.name)
    assert [one.student for one in collect_archives(course, [tmp_path / "mail"], rules)] == ["ada"]


@pytest.fixture
def handed_in(course: Course) -> Course:
    (course.root / "students.csv").write_text(CLASS_LIST, encoding="utf-8")
    for student in ("ada", "101", "103", "ghost", "bob"):
        (course.root / "submitted" / student / "01_small").mkdir(parents=True)
    return course


def show(course: Course, *words: str) -> list[str]:
    done = CliRunner().invoke(main, ["--course", str(course.root), "students", *words])
    assert done.exit_code == 0, done.output
    return [" ".join(line.split()) for line in done.stdout.splitlines() if line]


def test_who_is_missing_unknown_or_there_twice_is_shown(handed_in: Course) -> None:
    assert show(handed_in) == [
        "4 students in students.csv",
        "exercise came missing",
        "01_small 3 of 4 zoe (Zoë Müller)",
        "01_small unknown: ghost is not in the list; add it there, unless ghost has left: grades stay",
        "01_small twice: 101 is ada, who submitted under several ids; keep one",
        "01_small under another id: 103 is eve; collect again with the list",
    ]


def test_where_nobody_has_handed_in_that_is_said(course: Course, tmp_path: Path) -> None:
    path = tmp_path / "class.csv"
    path.write_text("ada,Ada Lovelace\n", encoding="utf-8")
    assert show(course, "--students", str(path))[0] == "1 student in class.csv; nobody has submitted anything"


def test_a_missing_list_is_wrong_use(course: Course) -> None:
    done = CliRunner().invoke(main, ["--course", str(course.root), "students"])
    assert done.exit_code == 2
    assert "students.csv: there is no such file; write the class into it: id,name,email" in done.stderr
