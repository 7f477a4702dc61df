"""A new course or exercise works from its first command on, and nothing that is there is ever overwritten."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

import autograder
from autograder.authoring.new import FIRST as FIRST_OF
from autograder.authoring.new import create, create_course, entry
from autograder.authoring.verify import misjudged, prove
from autograder.cli import main
from autograder.course import kept
from autograder.course.course import Course, CourseError, load_course
from autograder.course.hints import check_hints
from autograder.course.notebook import student_files
from autograder.course.packages import DEFAULT
from autograder.diagnosis.known import known_mistakes
from autograder.sandbox.zygote import Zygote
from autograder.tests.classroom import CONFIG, write_answer
from autograder.tests.course.made import MADE

FIRST = FIRST_OF["torch"]
PAGE = Path(autograder.__file__).parent / "docs" / "authors.md"
SHOWN = re.compile(r"`([a-z0-9_/]+\.py)`(?:(?!```).)*?```python\n(.*?)```", re.DOTALL)


def call(*words: str) -> str:
    """Run a command where we are, and return what it prints."""
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize(
    ("subject", "packages"),
    [("torch", DEFAULT), ("python", ()), ("numpy", ("numpy",)), ("pandas", ("pandas",))],
)
def test_a_new_course_is_proved_at_once(subject: str, packages: tuple[str, ...], tmp_path: Path) -> None:
    """That on numpy by the installed commands, and released, in test_wheel.py, where there is no torch."""
    folder = tmp_path / "my course"
    *wrote, advice = call("init", str(folder), "--with", subject).splitlines()
    assert len([line for line in wrote if line.startswith("wrote ")]) == 11
    assert advice == f"Now verify the exercise: cd '{folder}' && autograder verify"
    course = load_course(folder)
    assert course.settings.packages == packages
    exercise = course.exercises[FIRST_OF[subject]]
    setup = student_files(exercise)["SETUP.md"]
    assert f"install {' '.join([*packages, 'jupyter pytest'])}\n" in setup
    if subject != "numpy":
        with Zygote(packages=packages) as zygote:
            (proof,) = prove(course, [exercise], zygote)
        assert (proof.findings, proof.accepted, proof.mistakes) == ((), 1, 1)
    said = call("--course", str(folder), "new", "02_next")
    assert "wrote solutions/02_next/02_next.py" in said
    assert "  - name: 02_next" in said


def test_an_empty_clone_with_an_environment_in_it_becomes_a_course(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".venv").mkdir()
    monkeypatch.chdir(tmp_path)
    # The last line has no `cd`, because the course is in the current folder.
    assert call("init", ".").splitlines()[-1] == "Now verify the exercise: autograder verify"
    assert (tmp_path / CONFIG.name).read_bytes() == CONFIG.read_bytes()


@pytest.mark.parametrize("name", [".gitignore", "README.md", "notes", ".hidden"])
def test_a_file_or_a_folder_that_holds_something_is_refused_and_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine", encoding="utf-8")
    for taken in (tmp_path, tmp_path / name):
        done = CliRunner().invoke(main, ["init", str(taken)])
        assert done.exit_code == 2
        assert done.stderr == f"{taken}: is not an empty folder; choose an empty folder, or a new name\n"
    assert [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*")] == ["mine"]


def test_git_sees_nothing_of_a_term_but_what_its_author_writes_and_releases(tmp_path: Path) -> None:
    create_course(tmp_path)
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    folders = [*kept.FOLDERS, *(name for name in MADE if name.isalpha())]
    files = [kept.GRADEBOOK, f"{kept.GRADEBOOK}-journal", *kept.FILES, *(f"{name}/x" for name in folders)]
    files += [name.replace("*", "x") for name in MADE if name not in folders]
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    listed = ["git", "ls-files", "--others", "--exclude-standard"]
    seen = subprocess.run(listed, cwd=tmp_path, check=True, capture_output=True, text=True).stdout.split()
    assert sorted({name.partition("/")[0] for name in seen}) == [
        *(".gitignore", "Makefile", "README.md", "assignments"),
        *(kept.COMMENTS, "course.yaml", "nbgrader_config.py", "solutions"),
    ]


def test_the_makefile_and_the_readme_name_commands_that_are_there(tmp_path: Path) -> None:
    create_course(tmp_path)
    makefile = (tmp_path / "Makefile").read_text(encoding="utf-8")
    called = re.findall(r"\$\(GRADER\) (\w+)", makefile)
    called += re.findall(
        r"^    autograder (\w+)", (tmp_path / "README.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert set(called) <= set(main.commands)
    plain = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    made = subprocess.run(["make"], cwd=tmp_path, env=plain, check=True, capture_output=True, text=True)
    shown = made.stdout
    targets = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert targets
    assert [line.split()[0] for line in shown.splitlines()] == targets[1].split()


def test_the_question_that_the_authors_page_writes_is_proved_as_it_says(
    tmp_path: Path, zygote: Zygote
) -> None:
    """Before the last test is added, the three mutants that the page names pass. Our catalogue has more."""
    text = PAGE.read_text(encoding="utf-8").partition("## A course of your own")[2].partition("\n## ")[0]
    *files, (_, added) = SHOWN.findall(text)
    create_course(tmp_path)
    with (tmp_path / "course.yaml").open("a", encoding="utf-8") as settings:
        settings.write(entry("02_spread") + "\n")
    for name, code in files:
        path = tmp_path / "solutions" / "02_spread" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code, encoding="utf-8")
    course = load_course(tmp_path)
    (proof,) = prove(course, course.chosen(["02"]), zygote)
    for change, finding in zip((".detach()", ".float()", ".squeeze()"), proof.findings, strict=True):
        assert f'{change}", and no test of spread fails' in finding

    tests = course.exercises["02_spread"].suite
    code = tests.read_text(encoding="utf-8").replace("import expect_close", "import expect, expect_close")
    tests.write_text(f"{code}\n\n{added}", encoding="utf-8")
    course = load_course(tmp_path)
    (proof,) = prove(course, course.chosen(["02"]), zygote)
    assert (proof.findings, proof.accepted, proof.mistakes) == ((), 1, 1)

    page = PAGE.read_text(encoding="utf-8")
    section = page.partition("\n## Right and wrong answers")[2].partition("\n## ")[0]
    accepted, mistakes, _ = re.findall(r"```python\n# %% (.*?)```|```python\nedit", section, re.DOTALL)
    for cells in (accepted, *mistakes.split("# %% ")):
        marker, _, code = cells.partition("\n")
        write_answer(course.exercises["02_spread"], marker, code)
    course = load_course(tmp_path)
    assert len(known_mistakes(course.exercises["02_spread"])) == 3
    assert misjudged(course, course.exercises["02_spread"], zygote) == []

    given = PAGE.parents[2] / "solutions" / "misconceptions"
    shutil.copytree(given, tmp_path / "solutions" / "misconceptions", dirs_exist_ok=True)
    (proof,) = prove(load_course(tmp_path), [load_course(tmp_path).exercises["02_spread"]], zygote)
    for still in ("a right answer to spread, changed by the misconception", "but passes the visible check"):
        assert any(still in finding for finding in proof.findings)


def test_an_argument_is_renamed_in_the_notebook_and_a_question_by_the_command_on_the_authors_page(
    tmp_path: Path, zygote: Zygote
) -> None:
    create_course(tmp_path)
    create(load_course(tmp_path), "12_my_topic")
    with (tmp_path / "course.yaml").open("a", encoding="utf-8") as settings:
        settings.write(entry("12_my_topic") + "\n")
    source = tmp_path / "solutions" / "12_my_topic" / "12_my_topic.py"
    text = source.read_text(encoding="utf-8")
    source.write_text(re.sub(r"\bx\b", "values", text), encoding="utf-8")
    assert "def half(values: torch.Tensor)" in source.read_text(encoding="utf-8")
    course = load_course(tmp_path)
    assert misjudged(course, course.exercises["12_my_topic"], zygote) == []

    page = PAGE.read_text(encoding="utf-8").partition("\n## Renaming")[2].partition("\n## ")[0]
    (command,) = re.findall(r"^    (sed .*)$", page, re.MULTILINE)
    subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True)
    course = load_course(tmp_path)
    exercise = course.exercises["12_my_topic"]
    assert list(exercise.points) == ["halved"]
    check_hints(exercise)
    (proof,) = prove(course, [exercise], zygote)
    assert (proof.findings, proof.accepted, proof.mistakes) == ((), 1, 1)


STILL_HALF = {
    "mistakes.py": r"mistakes\.py:1: \"half\" is not a question",
    "hints.yaml": r"hints\.yaml:2: \"half\" is not a question",
    "accepted.py": r"accepted\.py:1: answers no question",
}


@pytest.mark.parametrize(("file", "finding"), STILL_HALF.items())
def test_verify_names_a_file_that_still_has_the_old_name_of_a_question(
    file: str, finding: str, tmp_path: Path, zygote: Zygote
) -> None:
    create_course(tmp_path)
    folder = tmp_path / "solutions" / FIRST
    for path in (path for path in folder.iterdir() if path.name != file):
        renamed = re.sub(r"\bhalf\b", "halved", path.read_text(encoding="utf-8"))
        path.write_text(renamed, encoding="utf-8")
    course = load_course(tmp_path)
    (proof,) = prove(course, [course.exercises[FIRST]], zygote)
    assert re.search(finding, "\n".join(proof.findings)), proof.findings


EXAMPLES = re.compile(r"`([\w./]+\.(?:py|yaml))`(?:(?!```|`\w+\.\w+`).)*?```\w+\n(.*?)```", re.DOTALL)
OF_NUMPY = ("hints.yaml", "accepted.py", "mistakes.py", "scaled.py", "test_hidden.py")


@pytest.mark.parametrize(("subject", "names"), [("numpy", OF_NUMPY), ("pandas", ("test_hidden.py",))])
def test_each_file_that_the_authors_page_shows_is_part_of_a_course_that_is_proved(
    subject: str, names: tuple[str, ...], tmp_path: Path
) -> None:
    """The page shows what `init` writes: of numpy all files but the notebook, of pandas the hidden suite."""
    text = PAGE.read_text(encoding="utf-8").partition("\n## An example of each file")[2].partition("\n## ")[0]
    shown = [(path.rpartition("/")[2], code) for path, code in EXAMPLES.findall(text)]
    assert [name for name, _ in shown] == [*OF_NUMPY, "test_hidden.py"]
    chosen = dict(shown[: len(OF_NUMPY)] if subject == "numpy" else shown[len(OF_NUMPY) :])
    assert tuple(chosen) == names
    for path in create_course(tmp_path, subject=subject):
        if (code := chosen.pop(path.name, None)) is not None:
            assert path.read_text(encoding="utf-8") == code
            path.write_text(code, encoding="utf-8")
    assert not chosen
    course = load_course(tmp_path)
    exercise = course.exercises[FIRST_OF[subject]]
    check_hints(exercise)
    with Zygote(packages=(subject,)) as zygote:
        (proof,) = prove(course, [exercise], zygote)
    assert proof.findings == ()
    assert proof.accepted == 1
    assert proof.mistakes == (2 if subject == "numpy" else 1)
    assert proof.costs is not None
    assert "the tests catch 1 of 1 misconceptions" in str(proof.costs)


@pytest.mark.parametrize("subject", FIRST_OF)
def test_a_sample_has_each_kind_of_file_and_brings_a_misconception_only_where_there_is_no_catalogue(
    subject: str, tmp_path: Path
) -> None:
    solutions = tmp_path / "solutions"
    files = {
        path.relative_to(solutions)
        for path in create_course(tmp_path, subject=subject)
        if solutions in path.parents
    }
    first = FIRST_OF[subject]
    kinds = {"accepted.py", "hints.yaml", "mistakes.py", "test_hidden.py"}
    entry_of_sample = Path("misconceptions", f"{first[3:]}.py")
    assert files == {entry_of_sample, *(Path(first, name) for name in {*kinds, f"{first}.py"})}
    written = {path.name for path in create(load_course(tmp_path), "02_next")}
    assert written == {"02_next.py", *kinds}
    (solutions / entry_of_sample).unlink()
    written = {path.name for path in create(load_course(tmp_path), "03_last")}
    assert written == {"03_last.py", *kinds, entry_of_sample.name}


NAME = "10_rotary"
ROOT = Path(__file__).parents[3]


def test_a_new_exercise_has_all_its_parts_and_is_proved_at_once(course: Course, zygote: Zygote) -> None:
    """Beside this repository's catalogue, which asks for more than a course without one."""
    folder, path = course.root / "solutions" / NAME, course.root / "course.yaml"
    assert create(course, NAME) == [
        folder / "10_rotary.py",
        folder / "accepted.py",
        folder / "hints.yaml",
        folder / "mistakes.py",
        folder / "test_hidden.py",
        course.root / "solutions" / "misconceptions" / "half.py",
    ]
    text = path.read_text(encoding="utf-8").replace("mutants_fail: 0.8\n", "")
    path.write_text(f"{text}{entry(NAME)}\n", encoding="utf-8")
    catalogue = course.root / "solutions" / "misconceptions"
    shutil.copytree(ROOT / "solutions" / "misconceptions", catalogue, dirs_exist_ok=True)
    course = load_course(course.root)
    exercise = course.exercises[NAME]
    assert (exercise.points, exercise.written) == ({"half": 2}, {"fixed_points": 2})
    (proof,) = prove(course, [exercise], zygote)
    assert (proof.findings, proof.accepted, proof.mistakes) == ((), 1, 1)


@pytest.mark.parametrize("name", ["../outside", "with space", "", "_hidden", "a/b"])
def test_a_name_that_is_no_folders_is_refused(name: str, course: Course) -> None:
    before = set(course.root.parent.rglob("*"))
    with pytest.raises(CourseError, match="is not a name for an exercise; use letters, digits"):
        create(course, name)
    assert set(course.root.parent.rglob("*")) == before


def test_an_exercise_that_is_there_is_left_alone(course: Course) -> None:
    source: Path = course.exercises["01_small"].source
    before = source.read_bytes()
    with pytest.raises(CourseError, match="01_small: already exists; choose another name"):
        create(course, "01_small")
    assert source.read_bytes() == before
