"""The packages that a course needs. course.yaml lists them by pip's names."""

from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import InvalidRequirement, Requirement

from autograder.errors import AutograderError

DEFAULT = ("torch", "matplotlib")  # the packages of a course if course.yaml does not list any
TORCH, FIGURES = "torch", "matplotlib"


class PackageError(AutograderError):
    """A package of the course is not installed, or has the wrong version."""


def name_of(package: str) -> str:
    """Return the name in a requirement such as `scikit-learn>=1.4`; raise ValueError if it is malformed."""
    try:
        return Requirement(package).name
    except InvalidRequirement:
        raise ValueError(package) from None


def versions(packages: Sequence[str]) -> dict[str, str]:
    """Return the installed version of each package, or "" if it is not installed."""
    installed = dict.fromkeys(packages, "")
    for package in packages:
        with suppress(PackageNotFoundError):
            installed[package] = distribution(name_of(package)).version
    return installed


def is_right(package: str, version: str) -> bool:
    """Whether an installed version satisfies the course's requirement."""
    return bool(version) and Requirement(package).specifier.contains(version, prereleases=True)


def modules(packages: Sequence[str]) -> tuple[str, ...]:
    """Return the names with which code imports these packages; raise PackageError if one is missing."""
    for package, version in versions(packages).items():
        if not is_right(package, version):
            state = f"version {version}" if version else "not installed"
            fix = f'run: python -m pip install "{package}"'
            raise PackageError(f"course.yaml: packages: {package} is {state} here; {fix}")
    return tuple(module for package in packages for module in _modules(distribution(name_of(package))))


def loaded_first(packages: Sequence[str]) -> tuple[str, ...]:
    """Return the modules that grading imports at its start: all but matplotlib, which is rarely needed."""
    return tuple(name for name in modules(packages) if name != FIGURES)


def _modules(package: Distribution) -> list[str]:
    """Return the package's module of the same name or, if there is none, all its modules."""
    module = package.name.replace("-", "_").lower()
    if f"\n{module}/__init__.py," in f"\n{package.read_text('RECORD')}":
        return [module]  # faster than `package.files`, which takes 0.1 s for torch
    parts = {path.parts[0].removesuffix(".py") for path in package.files or () if path.suffix == ".py"}
    names = sorted(name for name in parts if name.isidentifier() and not name.startswith("_"))
    return [module] if module in names else names
