"""The package for Gradescope: what is in it, the same bytes each time, and how it sets itself up."""

import os
import shutil
import subprocess
import zipfile
from pathlib import Path

from click.testing import CliRunner

import autograder
from autograder.cli import main
from autograder.course.course import Course, load_course
from autograder.plugins.gradescope import write_package
from autograder.tests.classroom import open_course, small
from autograder.tests.gradescope.container import Container


def test_two_packages_of_a_course_are_the_same_to_the_byte(own: Course, tmp_path: Path) -> None:
    first = write_package(own, small(own)).read_bytes()
    again = open_course(tmp_path / "elsewhere")
    for path in (again.root / "solutions").rglob("*.py"):
        os.utime(path, (1, 1))
    assert write_package(again, small(again)).read_bytes() == first


def test_the_zip_holds_two_scripts_the_engine_and_this_exercise_alone(tmp_path: Path) -> None:
    course = open_course(tmp_path / "course")
    shutil.copytree(small(course).folder, course.root / "solutions" / "02_other")
    (course.root / "solutions/02_other/01_small.py").rename(course.root / "solutions/02_other/02_other.py")
    with (course.root / "course.yaml").open("a", encoding="utf-8") as file:
        file.write("  - name: 02_other\n")
    course = load_course(course.root)
    with zipfile.ZipFile(write_package(course, course.exercises["02_other"])) as packed:
        names = packed.namelist()
        modes = {info.filename: info.external_attr >> 16 for info in packed.infolist()}
        settings = packed.read("course/course.yaml").decode()
    assert {name for name in names if "/" not in name} == {
        *("setup.sh", "run_autograder", "constraints.txt", "packages.txt")
    }
    assert modes["setup.sh"] & modes["run_autograder"] & 0o111 == 0o111
    assert "course/solutions/02_other/test_hidden.py" in names
    rooms = {path.parent.name for path in Path(autograder.__file__).parent.glob("*/__init__.py")}
    parts = [name.split("/") for name in names if name.startswith("engine/autograder/")]
    assert {room for _, _, room, *inside in parts if inside} == rooms
    assert not [name for name in parts if {"bench", "tests", "__pycache__"} & set(name)]
    assert not [name for name in names if "01_small" in name]
    assert "01_small" not in settings


def test_the_set_up_asks_public_indexes_for_the_tested_versions(container: Container, tmp_path: Path) -> None:
    log, tools = tmp_path / "log", tmp_path / "bin"
    tools.mkdir()
    _tool(tools / "apt-get", f'echo "apt-get $*" >> {log}')
    _tool(tools / "python3.13", f'[ "$1" = -c ] && exit 0; mkdir -p "$3/bin"; cp {tools}/pip "$3/bin/pip"')
    _tool(tools / "pip", f'echo "pip $*" >> {log}')
    source, venv = container.root / "source", tmp_path / "venv"
    subprocess.run(
        ["bash", str(source / "setup.sh")],
        env={
            "PATH": f"{tools}:/usr/bin:/bin",
            "AUTOGRADER_SOURCE": str(source),
            "AUTOGRADER_VENV": str(venv),
        },
        check=True,
        timeout=60,
    )
    assert log.read_text(encoding="utf-8").splitlines() == [
        "apt-get update",
        "apt-get install -y bubblewrap",
        f"pip install --no-cache-dir --constraint {source}/constraints.txt "
        f"--index-url https://pypi.org/simple --extra-index-url https://download.pytorch.org/whl/cpu "
        f"--requirement {source}/packages.txt {source}/engine",
    ]


def test_the_command_says_where_the_package_is_and_what_it_is_worth(own: Course) -> None:
    done = CliRunner().invoke(main, ["--course", str(own.root), "gradescope", "01_small"])
    assert done.exit_code == 0
    assert "wrote build/packages/01_small-gradescope.zip" in done.stdout
    assert "5 points" in done.stdout
    assert "2 more points are for written answers (why)" in done.stdout


def _tool(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/bash\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
