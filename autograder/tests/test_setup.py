"""A wheel contains all files of the engine, and whoever may not install a package reads what to do."""

import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = """#!/bin/sh
test "$1 $2" = "-m venv" && mkdir -p .venv/bin && cp "$0" .venv/bin/python
exit 0
"""


def test_every_file_that_is_no_module_is_in_the_package() -> None:
    """Else whoever installs a wheel lacks it. The engine's own page is for whoever has the repository."""
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    globs = tool["setuptools"]["package-data"].items()
    packed = {
        path for name, each in globs for one in each for path in ROOT.glob(f"{name.replace('.', '/')}/{one}")
    }
    aside = ("__pycache__", "tests")
    found = (path for path in (ROOT / "autograder").rglob("*") if path.is_file())
    engine = [path for path in found if not {*path.relative_to(ROOT).parts} & {*aside}]
    left = {str(path.relative_to(ROOT)) for path in engine if path.suffix not in (".py", ".pyi")} - {
        str(path.relative_to(ROOT)) for path in packed
    }
    pages = {"CHANGELOG.md", "CONTRIBUTING.md", "README.md"}
    assert left == {f"autograder/{page}" for page in pages}


@pytest.fixture
def plain_machine(tmp_path: Path) -> dict[str, str]:
    """Return the environment of a machine with `make` and a pretended Python, but nothing that installs."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("cp", "echo", "id", "make", "mkdir", "sh", "touch"):
        (tools / name).symlink_to(shutil.which(name) or name)
    (tools / "python3").write_text(PYTHON, encoding="utf-8")
    (tools / "python3").chmod(0o755)
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    return {"PATH": str(tools)}


@pytest.mark.parametrize("target", ["quick", "test", "test-slow"])
def test_a_path_of_tests_that_does_not_exist_is_named_before_anything_runs(target: str) -> None:
    """Pytest would say that it does not know the lane's option."""
    tests = "TESTS=autograder/tests/test_setup.py::test_x no/such/test.py"
    untouched = [f"--old-file={name}" for name in (".venv/ready", ".venv/ready-dev", ".venv/ready-slow")]
    command = ["make", *untouched, "WITHOUT_BROWSER=1", target, tests]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "TESTS: there is no no/such/test.py" in done.stderr
    assert "pytest" not in done.stdout


@pytest.mark.parametrize(
    ("target", "missing"), [("setup", "apt-get install bubblewrap"), ("browser", "apt-get install chromium")]
)
def test_what_may_not_be_installed_is_named_and_set_up_goes_on(
    plain_machine: dict[str, str], tmp_path: Path, target: str, missing: str
) -> None:
    command = [plain_machine["PATH"] + "/make", target]
    done = subprocess.run(
        command, cwd=tmp_path, env=plain_machine, stdout=subprocess.PIPE, text=True, check=True
    )
    assert missing in done.stdout
    assert (tmp_path / ".venv" / "ready").exists() is (target == "setup")
