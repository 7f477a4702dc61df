"""Whose notebooks are collected, which are refused, and who is missing."""

import gzip
import json
import os
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, Never
from unicodedata import normalize

import pytest
from click.testing import CliRunner, Result

import autograder
from autograder.cli import main
from autograder.collecting.archive import ArchiveEntry, Bounds, read_zip
from autograder.collecting.attempts import attempts_of, place
from autograder.collecting.attribution import NamingRules
from autograder.collecting.collect import CollectedLine, collect_archives
from autograder.collecting.names import class_folder
from autograder.course.course import Course
from autograder.submission.students import Student, Students
from autograder.submission.submission import Submission
from autograder.tests.collecting.archives import member, tarred, zipped

LATER = (2026, 3, 3, 8, 0, 0)
LISTED = Students((Student("ada", ("101",)), Student("bob", ("Bob Bee", "102"))))
METADATA = "".join(f'submission_{n}:\n  :submitters:\n  - {{":sid": "{n}"}}\n' for n in (5, 6, 7))
EXPORT = "assignment_1_export/"
UNREAD = "pack it as a zip, or unpack it into the student's folder"


def notebook(text: str = "", *cells: str) -> str:
    about: dict[str, object] = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    made = [about | {"id": "a", "source": cell} for cell in cells]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5, "text": text})


def make_zip(path: Path, files: Mapping[str, str | bytes], when: tuple[int, ...] | None = None) -> Path:
    path.write_bytes(zipped(files, when) if when else zipped(files))
    return path


def make_folder(path: Path, files: Mapping[str, str]) -> Path:
    for name, content in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(content, encoding="utf-8")
    return path


def run(course: Course, *archives: Path, rules: NamingRules | None = None) -> list[CollectedLine]:
    return list(collect_archives(course, archives, rules or NamingRules(list(course.exercises))))


def said(lines: Sequence[CollectedLine]) -> list[str]:
    return [": ".join(filter(None, (line.student or line.path, line.status, line.message))) for line in lines]


def submitted(course: Course, student: str) -> str:
    return Submission(course.root, student, "01_small").notebook.read_text(encoding="utf-8")


def call(course: Course, *words: object) -> Result:
    words = ("--course", course.root, "collect", "--verbose", *words)
    return CliRunner().invoke(main, [*map(str, words)])


CANVAS, MOODLE = "lovelaceada_101_9001_01_small", "ada_7_assignsubmission_file/01_small"
CONTROL, ABSOLUTE = "refused: has control characters", "refused: has an absolute path"
# Names in an archive, and what is said of each file that counts or is refused, in order.
CLASSES: list[tuple[list[str], list[str]]] = [
    (["ada/01_small.ipynb", "bob/01_small/01_small.ipynb", "ada/notes.txt"], ["ada: new", "bob: new"]),
    # However a browser has saved it
    ([f"{CANVAS}.ipynb (1).txt", "beebob_102_9002_01_small.Ipynb"], ["101: new", "102: new"]),
    # Of several, one counts
    (
        ["ada/a/01_small.ipynb", "ada/01_small.ipynb", "bob/01_small.ipynb", "bob/01_small-Copy1.ipynb"],
        [
            "ada: new: ada/01_small.ipynb counts instead of ada/a/01_small.ipynb",
            "bob: new: 01_small.ipynb counts instead of 01_small-Copy1.ipynb",
        ],
    ),
    (
        [
            "ada_1_900_01_small-1.ipynb", "ada_1_88_01_small.ipynb", "ada_1_950_01_small_notes.ipynb",
            "ada_1_951_report.pdf", "bob_LATE_2_901_01_small.ipynb",
        ],
        ["1: new: ada_1_950_01_small_notes.ipynb, the last upload, counts instead of", "2: new"],
    ),
    # Folders of several students are not taken for one student's
    *(
        (names, [f'folders belong to different students, unpack the archive and collect "{around}"'] * 2)
        for names, around in (
            (["class/week1/ann/01_small.ipynb", "class/week1/bob/01_small.ipynb"], "class/week1"),
            (["a/x/ann/01_small.ipynb", "a/x/bob/01_small/01_small.ipynb"], "a/x"),
            (["a/b/c/ann/01_small.ipynb", "a/b/c/bob/01_small/01_small.ipynb"], "a/b/c"),
        )
    ),
    (["a/ann/01_small.ipynb", "a/bob/01_small.ipynb", "b/cy/01_small.ipynb", "b/di/01_small.ipynb"],
     ["several folders"] * 4),
    (["ann/old/01_small.ipynb", "ann/01_small/01_small.ipynb"], ["ann: new"]),
    (["ada/01_small.py", "bob/01_small.py", "bob/01_small.ipynb", "bob/x.py"], ["ada: new", "bob: new"]),
    (["ada/01_small.qmd", "bob/01_small.Rmd", "bob/01_small.ipynb", "cat/01_small.rmd"],
     ["ada: new", "bob: new", "cat: new"]),
    # Names that some system takes for each other
    (
        ["Ada/01_small.ipynb", "ada/x/01_small.ipynb", "eve/01_small.ipynb"],
        ["Ada: new", 'ada: refused: submitted/ has "Ada", so it cannot have "ada": some', "eve: new"],
    ),
    (["ada/e\u0301/01_small.ipynb", "ada/\u00e9/01_small.ipynb"], ["01_small.ipynb counts instead of"]),
    # Names that lead elsewhere, or mean more than themselves
    *(
        ([f"{name}01_small.ipynb", "ada/01_small.ipynb"], [f"{name}01_small.ipynb: {problem}", "ada: new"])
        for name, problem in (
            ("../bob/", "refused: leads out"), ("/tmp/bob/", ABSOLUTE), ("bob/../../", "refused: leads out"),
            ("\\\\bob\\", ABSOLUTE), ("..\\bob\\", ABSOLUTE), ("C:\\bob\\", ABSOLUTE),
            ("C:/bob/", ABSOLUTE), ("bob\n/", CONTROL), ("bob\x1b[2J/", CONTROL),
            ("=bob/", 'refused: "=bob" is not a student\'s id'), ("CON/", 'refused: "CON" is not a student'),
        )
    ),
    # PowerShell writes backslashes
    (["ada\\01_small.ipynb", "bob\\01_small\\01_small.ipynb", "bob\\"], ["ada: new", "bob: new"]),
    (["class\\ada\\01_small.ipynb", "class\\bob\\01_small.ipynb"], ["ada: new", "bob: new"]),
    (["1_2_ada\\01_small.ipynb", "mallory_103_9_bob\\01_small.ipynb"], ["1_2_ada: new", "103: new"]),
    # Gradescope, whose export may hold odd files of a student's
    (
        [f"{EXPORT}submission_5/01_small.ipynb", f"{EXPORT}submission_6/\n.ipynb",
         f"{EXPORT}submission_7/x.pdf", f"{EXPORT}submission_metadata.yml"],
        [CONTROL, "x.pdf: refused: is not a notebook; ask 7", "5: new: Gradescope gives no time"],
    ),
    # Beside a notebook other files are of no interest
    (
        [f"ada/{name}" for name in ("01_small.ipynb", "conftest.py", "SETUP.md", "figures/a.png", "x.pdf")],
        ["ada: new"],
    ),
    ([f"{CANVAS}.ipynb", "lovelaceada_101_text.html", "lovelaceada_101_9002_x.pdf"], ["101: new"]),
    (["ada/01_small.ipynb", "__MACOSX/b/._x.pdf", "b/.DS_Store", "b/Thumbs.db", "a.md"], ["ada: new"]),
    (["ada/01_small.ipynb", "b/.ipynb_checkpoints/01_small.ipynb", "c/._01_small.ipynb"], ["ada: new"]),
    (["ada/01_small.ipynb", "data/x.csv", "figures/a.png", "handout/conftest.py"], ["ada: new"]),
    (
        [f"{EXPORT}submission_5/01_small.ipynb", f"{EXPORT}submission_6/x/01_small.ipynb",
         f"{EXPORT}submission_6/x.pdf", f"{EXPORT}submission_7/01_small.py",
         f"{EXPORT}submission_metadata.yml"], ["5: new", "6: new", "7: new"],
    ),
    # Whoever hands in no notebook gets one line
    (["class/ada/a.pdf", "class/bob/b.HEIC"], ["a.pdf: refused: is not a notebook; ask ada", "ask bob"]),
    (["ada/01_small.ipynb", "bob/a.rar", "eve/a.7z"], [f"a notebook; {UNREAD}", UNREAD, "ada: new"]),
    (["ada/01_small.ipynb", "bob/work.py"], ["if it is a notebook saved as a script, rename", "ada: new"]),
    ([f"{CANVAS}.ipynb", "beebob_102_9002_x.pdf"], ["; ask 102 for the .ipynb file", "101: new"]),
    ([f"{MOODLE}.ipynb"], ["refused: Moodle writes display names instead of ids; write students.csv"]),
    (["ada_01_small.ipynb", "ada_report.pdf", "adam.rar"], ["adam.rar: refused: is not a", "ada: new"]),
]  # fmt: skip
# The same with a list of students.
LISTED_CLASSES: list[tuple[list[str], list[str]]] = [
    (
        [f"Bob Bee_8_assignsubmission_file_{name}.ipynb" for name in ("01_small", "01_small_v2")],
        ["bob: new: Bob Bee_8_assignsubmission_file_01_small.ipynb counts instead of Bob Bee_8"],
    ),
    ([f"{MOODLE}.ipynb", "ada_7_assignsubmission_onlinetext/onlinetext.html"], ["ada: new"]),
    ([f"{MOODLE}.ipynb", "Bob Bee_8_assignsubmission_file/x.pdf"], ["; ask bob for", "ada: new"]),
    (["bob/01_small.ipynb"], ["bob: new"]),
    (["bob/conftest.py", "bob/a.pdf", "bob/b.pdf"], ["bob/a.pdf: refused: is not a notebook; ask bob"]),
    (["Bob Bee_8_assignsubmission_onlinetext/onlinetext.html"], ["html: refused: is not a notebook; ask bo"]),
    (["bob_01_small.pdf"], ["bob_01_small.pdf: refused: is not a notebook; ask bob for the .ipynb file"]),
    (["beebob_102_text.html"], ["beebob_102_text.html: refused: is not a notebook; ask bob"]),
    (["zoe_109_1_01_small.ipynb", "zoe_109_2_x.pdf"], ['Canvas\'s user 109, called "zoe", is not in']),
    (["bob.rar"], ["bob.rar: refused: is not a notebook; pack it as a zip"]),
    (["class/week1/ada/01_small.ipynb", "class/week1/bob/01_small.ipynb"], ["ada: new", "bob: new"]),
    (["a/b/c/Bob Bee/01_small.ipynb", "a/b/c/ada/01_small.ipynb"], ["bob: new", "ada: new"]),
    (["ada/x/ada/01_small.ipynb", "ada/x/bob/01_small.ipynb"], ["ada: new: ada/x/bob/01_small.ipynb counts"]),
    # In one folder, which may have the archive's name
    (["class/ada/01_small.ipynb", "class/bob/01_small.ipynb"], ["ada: new", "bob: new"]),
    (["class/bob/01_small.ipynb"], ['in the list of students; if "class" is the folder of the whole class']),
    (["ada/bob/01_small.ipynb"], ["ada: new"]),
    (["ada/bob/01_small.ipynb", "ada/eve/01_small.ipynb"], ["ada: new: ada/eve/01_small.ipynb counts"]),
    # alone in an archive, as platforms name it
    (["Bee_Bob_bob_99/ada/01_small.ipynb", "Bee_Bob_bob_99/eve/01_small.ipynb"], ["bob: new"]),
    (
        [f"Bob Bee_8_assignsubmission_file_/{name}/01_small.ipynb" for name in ("ada", "eve")],
        ["bob: new"],
    ),
    (["ada (1)/bob/01_small.ipynb"], ['refused: "ada (1)" is not in the list of students']),
]  # fmt: skip


@pytest.mark.parametrize(
    ("names", "expected", "students"),
    [*((*row, None) for row in CLASSES), *((*row, LISTED) for row in LISTED_CLASSES)],
)
def test_each_student_has_the_notebook_that_counts_or_one_line_says_why_not(
    course: Course, tmp_path: Path, names: list[str], expected: list[str], students: Students | None
) -> None:
    files = {name: METADATA if name.endswith(".yml") else notebook(name.replace("\\", "/")) for name in names}
    archive = make_zip(tmp_path / "class.zip", files)
    before = set(tmp_path.rglob("*"))
    lines = run(course, archive, rules=NamingRules(["01_small"], students=students))
    assert [part in line for part, line in zip(expected, said(lines), strict=True)] == [True] * len(lines), (
        said(lines)
    )
    for line in lines:
        if line.status == "new":
            assert submitted(course, line.student) == notebook(line.path)
    ours = {"submitted", "attempts", "gradebook.db", ".collecting.lock"}
    assert all(ours & set(path.parts) for path in set(tmp_path.rglob("*")) - before)
    assert {line.status for line in run(course, archive)} <= {"unchanged", "refused"} or students


@pytest.mark.parametrize("encoding", ["utf-8", "cp850", "cp437", "cp1252", "nfd"])
def test_names_without_a_mark_are_read_in_the_encoding_that_tells_students(
    course: Course, tmp_path: Path, encoding: str
) -> None:
    listed = {"s01": "Jürgen Groß", "s02": "Zoë Ñandú", "s03": "Ann"}

    def encoded(name: str) -> bytes:
        whole = f"{name}/01_small.ipynb"
        return normalize("NFD", whole).encode() if encoding == "nfd" else whole.encode(encoding)

    stand_ins = {id_: id_.ljust(len(encoded(name)), "-") for id_, name in listed.items()}
    content = zipped({stand_in: notebook(id_) for id_, stand_in in stand_ins.items()})
    for id_, stand_in in stand_ins.items():
        content = content.replace(stand_in.encode(), encoded(listed[id_]))
    (tmp_path / "class.zip").write_bytes(content)
    students = Students(tuple(Student(id_, (name,)) for id_, name in listed.items()))
    lines = run(course, tmp_path / "class.zip", rules=NamingRules(["01_small"], students=students))
    assert sorted(said(lines)) == ["s01: new", "s02: new", "s03: new"]
    assert [submitted(course, id_) for id_ in listed] == [notebook(id_) for id_ in listed]


def test_a_folder_a_tar_and_archives_of_students_go_in_too(course: Course, tmp_path: Path) -> None:
    folder = make_folder(
        tmp_path / "class", {"ada/01_small.ipynb": notebook(), "bob/01_small.ipynb": notebook()}
    )
    names = ("x/eve/01_small.ipynb", "x/fay/01_small.ipynb")
    (tmp_path / "a.tgz").write_bytes(gzip.compress(tarred(*(member(name, size=9) for name in names))))
    inner = zipped({"bob/01_small.ipynb": notebook()})
    packed = {"gil.zip": inner, "hal_01_small.zip": inner, "ian.zip": b"broken", "jo.zip": zipped({})}
    packed["kay.zip"] = zipped({"../bob/01_small.ipynb": notebook()})
    lines = run(course, folder, tmp_path / "a.tgz", make_zip(tmp_path / "a.zip", packed))
    assert [line.student for line in lines if line.status == "new"] == [
        "ada",
        "bob",
        "eve",
        "fay",
        "gil",
        "hal",
    ]
    refused = [(line.path, line.message) for line in lines if line.status == "refused"]
    assert [path for path, _ in refused] == ["ian.zip", "jo.zip", "kay.zip/../bob/01_small.ipynb"]
    assert [message for _, message in refused[1:]] == ["contains no files", "leads out of its folder"]


def test_a_folder_that_has_its_archive_s_name_is_not_passed_over(course: Course, tmp_path: Path) -> None:
    rules = NamingRules(["01_small"], students=LISTED)
    run(course, make_zip(tmp_path / "class.zip", {"ada/01_small.ipynb": notebook("ada's")}), rules=rules)
    for name, status in (("mallory", "refused"), ("bob", "new")):
        files = {f"{name}/ada/01_small.ipynb": notebook("packed by another student")}
        (line,) = run(course, make_zip(tmp_path / f"{name}.zip", files, LATER), rules=rules)
        assert line.status == status
    assert submitted(course, "ada") == notebook("ada's")


def test_an_archive_that_cannot_be_copied_stops_no_other_and_copies_have_no_names(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "copies").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "copies"))
    made = iter([Path("/dev/full").open("r+b", buffering=0), tempfile.TemporaryFile(buffering=0)])  # noqa: SIM115
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda *_, **__: next(made))
    archives = [
        make_zip(tmp_path / f"{name}.zip", {f"{name}/01_small.ipynb": notebook(name)})
        for name in ("ada", "bob")
    ]
    lines = collect_archives(course, archives, NamingRules(["01_small"]))
    why = f"refused: cannot be copied to the temporary folder {tmp_path}/copies: No space left on device"
    assert said([next(lines)])[0].startswith(why)
    assert said([next(lines)]) == ["bob: new"]
    assert not list((tmp_path / "copies").iterdir())
    assert submitted(course, "bob") == notebook("bob")


def test_a_link_and_what_lies_below_it_do_not_lead_out(course: Course, tmp_path: Path) -> None:
    link = member("bob", tarfile.SYMTYPE, linkname=str(tmp_path))
    (tmp_path / "a.tar").write_bytes(tarred(link, member("bob/01_small.ipynb", size=9)))
    assert said(run(course, tmp_path / "a.tar")) == ["bob: refused: is a link", "bob: new"]
    assert not (tmp_path / "01_small.ipynb").exists()
    assert not (course.root / "submitted" / "bob").is_symlink()


def test_a_later_archive_replaces_and_an_earlier_one_does_not(course: Course, tmp_path: Path) -> None:
    early = make_zip(tmp_path / "1.zip", {"ada/01_small.ipynb": notebook("1")})
    late = make_zip(tmp_path / "2.zip", {"ada/01_small.ipynb": notebook("2")}, LATER)
    assert said(run(course, early, late)) == ["ada: new", "ada: replaced"]
    assert said(run(course, early, late)) == [
        "ada: unchanged: a later submission is already stored",
        "ada: unchanged",
    ]
    assert submitted(course, "ada") == notebook("2")


def test_what_does_not_count_is_kept_in_the_platform_s_order(course: Course, tmp_path: Path) -> None:
    folder = make_folder(
        tmp_path / "class", {"ada/01_small.ipynb": notebook("1"), "ada/01_small_final.ipynb": notebook("2")}
    )
    for name, when in ("01_small", 1_770_000_000), ("01_small_final", 1_770_009_000):
        os.utime(folder / "ada" / f"{name}.ipynb", (when, when))
    canvas = {
        "eve_1_900_01_small-1.ipynb": notebook("last"), "eve_1_88_01_small.ipynb": notebook("first"),
        "bob_5_850_01_small.ipynb": notebook("3"), "bob_5_900_01_small.py": "# %%\nx = 1\n",
    }  # fmt: skip
    for _ in range(2):
        (ada,) = run(course, folder)
        _, bob = run(course, make_zip(tmp_path / "canvas.zip", canvas))
        assert ada.message.startswith("01_small_final.ipynb counts instead of")
        assert bob.message.startswith("bob_5_850_01_small.ipynb counts instead of")
        assert submitted(course, "ada") == notebook("2")
        assert submitted(course, "5") == notebook("3")
    uploads = {
        who: [one.arrival.upload for one in attempts_of(Submission(course.root, who, "01_small"))]
        for who in ("ada", "1", "5")
    }
    assert uploads == {"ada": [None, None], "1": [88, 900], "5": [850, 850]}


@pytest.mark.parametrize("form", ["folder", "zip", "root of a zip", "root of a folder"])
def test_a_student_s_own_metadata_replace_nobody_s_notebook(
    course: Course, tmp_path: Path, form: str
) -> None:
    run(course, make_zip(tmp_path / "bob.zip", {"bob/01_small.ipynb": notebook("bob's")}))
    top = "" if "root" in form else "mallory/"
    files = {
        f"{top}submission_metadata.yml": 'submission_5:\n  :submitters:\n  - {":sid": "bob"}\n',
        f"{top}submission_5/01_small.ipynb": notebook("mallory's"),
    }
    make = make_folder if "folder" in form else make_zip
    lines = run(course, make(tmp_path / ("mallory" if "root" in form else "class"), files))
    assert submitted(course, "bob") == notebook("bob's")
    assert [line.student for line in lines] == ["" if "root" in form else "mallory"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_bad_archive_stops_neither_the_next_nor_what_came_before(course: Course, tmp_path: Path) -> None:
    deep = {f"{EXPORT}submission_metadata.yml": "[" * 200_000, f"{EXPORT}submission_5/01_small.ipynb": ""}
    with zipfile.ZipFile(tmp_path / "twice.zip", "w") as twice:
        for text in "12":
            twice.writestr("ada/01_small.ipynb", notebook(text))
    (tmp_path / "broken.zip").write_bytes(b"PK\3\4 and no more")
    large: dict[str, bytes | str] = {"bob/01_small.ipynb": bytes(51 << 20), "ada/01_small.ipynb": notebook()}
    (tmp_path / "large.zip").write_bytes(zipped(large, packing=zipfile.ZIP_STORED))
    bad = [make_zip(tmp_path / "deep.zip", deep), tmp_path / "twice.zip", tmp_path / "broken.zip"]
    assert [line.partition("; ")[0] for line in said(run(course, *bad, tmp_path / "large.zip"))] == [
        f"{EXPORT}submission_metadata.yml: refused: does not describe a whole export of Gradescope",
        f"{EXPORT}submission_5/01_small.ipynb: refused: does not name a student",
        *["ada: refused: is in the archive several times"] * 2,
        "refused: is damaged",
        "bob: refused: is larger than 50 MB",
        "ada: new",
    ]


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
    first, *rest = run(course, bad, make_folder(tmp_path / "b", {"ada/01_small.ipynb": notebook()}))
    problem = "refused: needs more memory than this machine has; collect it manually"
    assert said([first]) == [f"bob: {problem}" if when == "read" else problem]
    assert said(rest) == ["ada: new"]


def test_a_renamed_notebook_is_known_by_its_cells_and_others_are_refused(
    course: Course, tmp_path: Path
) -> None:
    files: dict[str, str | bytes] = {
        "lovelaceada_101_9001_homework.ipynb": notebook("", "def row_sums(x): ..."),
        "beebob_102_9002_hw.zip": zipped({"hw/my work.ipynb": notebook("", "def double(x): ...")}),
        "eve_103_9003_recipes.ipynb": notebook("", "def soup(x): ..."),
        "zoe_104_9004_poem.ipynb": "[" * 200_000,
        "kim_105_9005_Untitled.ipynb": notebook("", "def row_sums(x): ..."),
        "kim_105_9006_01_small.ipynb": notebook("kim's"),
    }
    lines = run(course, make_zip(tmp_path / "a.zip", files))
    known = {
        line.student: "recognised by its cells" in line.message for line in lines if line.status == "new"
    }
    assert known == {"101": True, "102": True, "105": False}
    unknown = (
        "neither the name nor the cells show the exercise; rename it to one of 01_small, or pass --exercise"
    )
    assert [line.message for line in lines if line.status == "refused"] == [unknown] * 2
    assert submitted(course, "105") == notebook("kim's")
    given = make_zip(tmp_path / "b.zip", {"eve_103_9003_recipes.ipynb": notebook()})
    assert "01_small 103: new" in call(course, given, "--exercise", "01_small").stdout


def test_on_moodle_the_number_decides_also_for_a_notebook_whose_exercise_only_its_cells_tell(
    course: Course, tmp_path: Path
) -> None:
    def collect(owner: str, file: str, text: str) -> str:
        content = notebook(text, "def row_sums(x): ...")
        archive = make_zip(tmp_path / "a.zip", {f"{owner}_assignsubmission_file/{file}.ipynb": content})
        rules = NamingRules(
            ["01_small"], students=Students((Student("bob", ("Bob Bee",)), Student("eve", ("Eve",))))
        )
        return said(run(course, archive, rules=rules))[0]

    warning = 'warning: only the display name "Bob Bee" identifies the student'
    assert warning in collect("Bob Bee_31", "01_small", "bob's")
    assert warning.replace("Bob Bee", "Eve") in collect("Eve_32", "x", "eve's")
    assert collect("Bob Bee_32", "x", "eve's second").startswith("eve: replaced: recognised by its cells")
    assert collect("Bob Bee_33", "x", "zoe's").endswith(
        '"Bob Bee" is the name of bob, whose earlier submissions have Moodle\'s number 31, not 33; pass '
        "Moodle's grading worksheet with --times"
    )
    assert json.loads(submitted(course, "bob"))["text"] == "bob's"
    assert json.loads(submitted(course, "eve"))["text"] == "eve's second"


def test_an_error_of_ours_about_a_notebook_is_its_line_and_stops_no_other(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("ann", "zoe")
    folder = make_folder(tmp_path / "in", {f"{name}/01_small.ipynb": notebook(name) for name in names})

    def broken(submission: Submission, *arguments: Any) -> object:
        if submission.student == "ann":
            raise ArithmeticError
        return place(submission, *arguments)

    monkeypatch.setattr("autograder.collecting.collect.place", broken)
    lines = {line.student: line for line in run(course, folder)}
    assert lines["ann"].status == "refused"
    assert lines["ann"].message.startswith("cannot be processed: ArithmeticError; ")
    assert lines["zoe"].status == "new"
    assert "01_small ann" in (course.build / "autograder.log").read_text(encoding="utf-8")


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


def test_a_notebook_alone_is_told_where_to_go(course: Course, tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "mail", {"ada/01_small.ipynb": notebook()})
    problem = (
        "is a single notebook, which does not name a student; move it to FOLDER/STUDENT/, with the student's "
        "id for STUDENT, and collect FOLDER"
    )
    assert said(run(course, folder / "ada" / "01_small.ipynb")) == [f"refused: {problem}"]
    assert said(run(course, folder)) == ["ada: new"]


def test_the_command_prints_lines_on_what_needs_a_look_and_counts_the_rest(
    course: Course, tmp_path: Path
) -> None:
    files = {f"ada{number}/01_small.ipynb": notebook() for number in range(30)}
    archive = make_zip(tmp_path / "a.zip", {**files, "bob\x1b[2J/01_small.ipynb": notebook()})
    done = CliRunner().invoke(main, ["--course", str(course.root), "collect", str(archive)])
    refused, counts = done.stdout.splitlines()
    assert refused.endswith("refused: has control characters in its name")
    assert counts == "1 refused, 30 new"


def test_the_command_says_a_line_on_each_and_exits_with_1_where_one_is_refused(
    course: Course, tmp_path: Path
) -> None:
    files = {"ada/01_small.ipynb": notebook(), "bob\x1b[2J/01_small.ipynb": notebook()}
    archive = make_zip(tmp_path / "a.zip", files)
    done = call(course, archive)
    assert done.exit_code == 1
    assert (
        "Some files were refused (see above). All other files are collected. The exit code is 1"
        in done.stderr
    )
    assert done.stdout.splitlines() == [
        f"{archive}: bob/01_small.ipynb: refused: has control characters in its name",
        "01_small ada: new",
        "1 refused, 1 new",
    ]
    done = call(course, make_zip(tmp_path / "a.zip", {"readme.txt": "-"}))
    assert (done.exit_code, done.stdout) == (0, "no notebooks\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["missing.zip"], "'missing.zip' does not exist"),
        ([], "Missing argument 'ARCHIVE...'"),
        ([".", "--exercise", "02_big"], 'has no exercise "02_big"'),
        ([".", "--zone", "Berlin"], '"Berlin" is not a time zone; write one such as Europe/Berlin'),
    ],
)
def test_wrong_use_exits_with_2_and_collects_nothing(course: Course, words: list[str], message: str) -> None:
    done = call(course, *words)
    assert done.exit_code == 2
    assert message in done.stderr
    assert not (course.root / "submitted").exists()


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


def show(course: Course, *words: str) -> list[str]:
    done = CliRunner().invoke(main, ["--course", str(course.root), "students", *words])
    assert done.exit_code == 0, done.output
    return [" ".join(line.split()) for line in done.stdout.splitlines() if line]


def test_who_is_missing_unknown_or_there_twice_is_shown(course: Course) -> None:
    (course.root / "students.csv").write_text("ada,Ada Lovelace\n", encoding="utf-8")
    assert show(course)[0] == "1 student in students.csv; nobody has submitted anything"
    listed = "id,name,canvas\nada,Ada Lovelace,101\nbob,Bob Bee,\neve,Eve,103\nzoe,Zoë Müller,\n"
    (course.root / "students.csv").write_text(listed, encoding="utf-8")
    for student in ("ada", "101", "103", "ghost", "bob"):
        (course.root / "submitted" / student / "01_small").mkdir(parents=True)
    assert show(course) == [
        "4 students in students.csv",
        "exercise submitted missing",
        "01_small 3 of 4 zoe (Zoë Müller)",
        "01_small, unknown id: ghost is not in the list; add it to the list; if ghost has left the course, "
        "do nothing: the grades are kept",
        "01_small, submitted twice: 101 and ada are the same student; delete one of the two submissions",
        "01_small, other id: in the list, 103 is another name of eve; to store the submission under eve, "
        "collect it again",
    ]


def test_a_missing_list_is_wrong_use(course: Course) -> None:
    done = CliRunner().invoke(main, ["--course", str(course.root), "students"])
    assert done.exit_code == 2
    assert (
        "students.csv: there is no such file; create it, with the headings id,name,email and a row for"
        in done.stderr
    )
