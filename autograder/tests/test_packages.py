"""Every promised Python can install the pinned versions; torch comes from the index that is named."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest
import yaml
from packaging.specifiers import SpecifierSet
from packaging.version import Version

ROOT = Path(__file__).parents[2]
NEWEST = 14  # of Python 3: the newest that docs/instructors.md promises
BUILT = "attention_course_autograder-0-py3-none-any.whl"
PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "attention-course-autograder"
version = "0"
"""
BACKEND = f"""
import shutil
def build_editable(folder, *_, **__):
    return shutil.copy({BUILT!r}, folder) and {BUILT!r}
"""


def test_every_pin_serves_every_promised_python() -> None:
    """Looks at what is installed, which is what is pinned, so that no registry is needed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pythons = [f"3.{minor}.{patch}" for minor in range(11, NEWEST + 1) for patch in range(30)]
    promised = list(SpecifierSet(project["requires-python"]).filter(pythons))
    assert {"3.11.0", "3.11.2", f"3.{NEWEST}.0"} <= set(promised)
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    for name, pin in (line.split("==") for line in lines if "==" in line and not line.startswith("#")):
        found = distribution(name)
        assert Version(found.version).public == pin, f"{name} is not the pinned one; run `make setup`"
        asked = found.metadata.get_all("Requires-Python") or [""]
        served = set(SpecifierSet(asked[0]).filter(promised))
        refused = [python for python in promised if python not in served]
        assert not refused, f"{name} {pin} refuses Python {', '.join(refused)}"


def test_the_workflow_runs_targets_on_the_oldest_and_the_newest_python() -> None:
    path = ROOT / ".github" / "workflows" / "ci.yml"
    text = path.read_text(encoding="utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    assert jobs["test"]["strategy"]["matrix"]["python"] == ["3.11", f"3.{NEWEST}"]
    targets = [line.removeprefix("run: make ") for line in re.findall(r"run: make .+", text)]
    assert targets == ["check", "test", "test-slow"]
    assert subprocess.run(["make", "-n", "-C", ROOT, *targets], check=False).returncode == 0
    assert "secrets" not in text
    assert [re.search(r"@v\d+$", used) is not None for used in re.findall(r"uses: (.+)", text)] == [True] * 5


def add_wheel(folder: Path, name: str, version: str, *metadata: str) -> None:
    """Write a wheel without modules, as pip reads it, and the page on which an index names it."""
    folder.mkdir(parents=True)
    file = f"{name}-{version}-py3-none-any.whl"
    described = f"{name}-{version}.dist-info"
    lines = ("Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", *metadata, "")
    with zipfile.ZipFile(folder / file, "w") as wheel:
        wheel.writestr(f"{described}/METADATA", "\n".join(lines))
        wheel.writestr(f"{described}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{described}/RECORD", "")
    (folder / "index.html").write_text(f'<a href="{file}">{file}</a>', encoding="utf-8")


@pytest.mark.parametrize("small", [True, False])
def test_torch_alone_comes_from_the_index_that_is_named(tmp_path: Path, small: bool) -> None:
    """Both indexes are folders. The small one has torch alone, and the ordinary one another build of it."""
    pin = next(line for line in (ROOT / "constraints.txt").read_text().splitlines() if "torch==" in line)
    version = pin.partition("==")[2]
    needs = "Requires-Dist: filelock"
    add_wheel(tmp_path / "small" / "torch", "torch", f"{version}+cpu", needs)
    add_wheel(tmp_path / "ordinary" / "torch", "torch", version, needs, "Requires-Dist: cuda-runtime")
    for name, number in (("filelock", distribution("filelock").version), ("cuda-runtime", "1")):
        add_wheel(tmp_path / "ordinary" / name, name.replace("-", "_"), number)
    course = tmp_path / "course"
    extra = ("Provides-Extra: torch", 'Requires-Dist: torch; extra == "torch"')
    add_wheel(course, "attention_course_autograder", "0", *extra)
    (course / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    (course / "backend.py").write_text(BACKEND, encoding="utf-8")
    for name in ("Makefile", "constraints.txt"):
        shutil.copy(ROOT / name, course)
    unset = ("PIP_", "MAKE", "MFLAGS", "TORCH_INDEX")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(unset)}
    environment |= {"PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": (tmp_path / "ordinary").as_uri()}
    named = [f"TORCH_INDEX={(tmp_path / 'small').as_uri()}"] if small else []
    command = ["make", "setup", f"PYTHON={sys.executable}", *named]
    done = subprocess.run(command, cwd=course, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    installed = {path.name for path in (course / ".venv").rglob("*.dist-info")}
    assert (f"torch-{version}+cpu.dist-info" in installed) is small
    assert (f"torch-{version}.dist-info" in installed) is not small
    assert ("cuda_runtime-1.dist-info" in installed) is not small
    assert [name for name in installed if name.startswith("filelock-")]
