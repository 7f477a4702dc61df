"""Whoever installs the wheel has everything: a course starts and is proved from it alone."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HERE = Path(sysconfig.get_path("purelib"))
# What it must do without: torch, for which no course asks here, the editable engine, and large tools.
LEFT_OUT = (
    "torch",
    "torchgen",
    "functorch",
    "sympy",
    "playwright",
    "mypy",
    "__editable__*",
    "*autograder*",
    "pip",
)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an environment with the engine's wheel, and copies of this environment's packages around it."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    source = folder / "source"
    source.mkdir()
    shutil.copy(ROOT / "pyproject.toml", source)
    shutil.copytree(
        ROOT / "autograder", source / "autograder", ignore=shutil.ignore_patterns("tests", "__pycache__")
    )
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", str(folder), str(source)]
    subprocess.run(build, check=True)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "env", symlinks=True)
    python = folder / "env" / "bin" / "python"
    packages = next((folder / "env" / "lib").glob("python*/site-packages"))
    shutil.copytree(
        HERE, packages, ignore=shutil.ignore_patterns(*LEFT_OUT), copy_function=_linked, dirs_exist_ok=True
    )
    target = ["--no-deps", "--no-index", "--no-warn-script-location", str(wheel)]
    subprocess.run([*pip, "--python", str(python), "install", *target], check=True)
    return folder / "env"


def _linked(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # on another disk
        shutil.copy2(source, target)


def test_a_course_is_started_and_proved_by_the_installed_commands(installed: Path, tmp_path: Path) -> None:
    plain = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL"))}

    def call(*words: str) -> str:
        command = [str(installed / "bin" / "autograder"), *words]
        done = subprocess.run(command, cwd=tmp_path, env=plain, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    call("init", "course", "--with", "numpy")
    assert call("--course", "course", "verify").startswith(
        "01_scaled: verified (accepted answers: 1; known mistakes: 2"
    )
    call("--course", "course", "release")
    call("--course", "course", "release", "--check")
