"""The packages that a course needs, which course.yaml lists as pip names them."""

from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import InvalidRequirement, Requirement

from autograder.errors import AutograderError

DEFAULT = ("torch", "matplotlib")  # of a course that lists none
TORCH, FIGURES = "torch", "matplotlib"


class PackageError(AutograderError):
    """A package of the course is not installed here."""


def name_of(package: str) -> str:
    """Return the name in a requirement such as `scikit-learn>=1.4`; ValueError if it is none."""
    try:
        return Requirement(package).name
    except InvalidRequirement:
        raise ValueError(package) from None


def versions(packages: Sequence[str]) -> dict[str, str]:
    """Return the installed version of each package, and nothing for one that is not there."""
    found = dict.fromkeys(packages, "")
    for package in packages:
        with suppress(PackageNotFoundError):
            found[package] = distribution(name_of(package)).version
    return found


def is_right(package: str, version: str) -> bool:
    """Whether an installed version is one that the course asks for."""
    return bool(version) and Requirement(package).specifier.contains(version, prereleases=True)


def modules(packages: Sequence[str]) -> tuple[str, ...]:
    """Return the modules by which code imports these packages; PackageError names one that is not here."""
    for package, version in versions(packages).items():
        if not is_right(package, version):
            seen = f"version {version}" if version else "not installed"
            fix = f'run: python -m pip install "{package}"'
            raise PackageError(f"course.yaml: packages: {package} is {seen} here; {fix}")
    return tuple(module for package in packages for module in _modules(distribution(name_of(package))))


def loaded_first(packages: Sequence[str]) -> tuple[str, ...]:
    """Return the modules that grading imports at its start: all but matplotlib, which few notebooks use."""
    return tuple(name for name in modules(packages) if name != FIGURES)


def _modules(found: Distribution) -> list[str]:
    """Return the module of the package's own name, or else all its modules."""
    own = found.name.replace("-", "_").lower()
    if f"\n{own}/__init__.py," in f"\n{found.read_text('RECORD')}":
        return [own]  # to parse all of torch's lines would take a tenth of a second
    parts = {path.parts[0].removesuffix(".py") for path in found.files or () if path.suffix == ".py"}
    names = sorted(name for name in parts if name.isidentifier() and not name.startswith("_"))
    return [own] if own in names else names
