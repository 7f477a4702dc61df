"""What a course needs is named as pip names it, and found by the names under which code imports it."""

from pathlib import Path

import pytest

from autograder.course.course import CourseError, load_course
from autograder.course.packages import PackageError, modules, versions
from autograder.tests.classroom import copy_small_course


@pytest.mark.parametrize(
    ("package", "module"),
    [
        ("numpy", "numpy"),
        ("pandas>=2", "pandas"),
        ("matplotlib", "matplotlib"),
        ("pillow", "PIL"),
        ("python-dateutil", "dateutil"),
        ("PyYAML", "yaml"),
    ],
)
def test_a_package_is_imported_by_its_own_name_or_by_that_of_its_modules(package: str, module: str) -> None:
    assert modules([package]) == (module,)


@pytest.mark.parametrize(
    ("package", "seen"), [("no-such-package", "not installed here"), ("numpy<1", "is version 2")]
)
def test_a_package_that_is_not_there_is_named_with_its_fix(package: str, seen: str) -> None:
    with pytest.raises(PackageError, match=seen) as error:
        modules(["numpy", package])
    assert str(error.value).endswith(f'run: python -m pip install "{package}"')


def test_the_version_of_what_is_not_there_is_empty() -> None:
    assert versions(["numpy", "no-such-package"])["no-such-package"] == ""


def test_a_line_that_names_no_package_is_found_in_course_yaml(tmp_path: Path) -> None:
    root = copy_small_course(tmp_path / "course").root
    path = root / "course.yaml"
    path.write_text("packages: [numpy, '>= 2']\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    said = r"course.yaml:1: packages\[1\]: is not a package name of pip; write it as pandas or pandas>=2$"
    with pytest.raises(CourseError, match=said):
        load_course(root)
