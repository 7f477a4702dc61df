"""Reads the file in which Gradescope's exports say who handed in what, and when."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import yaml

from autograder.collecting.entry import plausible

METADATA = "submission_metadata.yml"


@dataclass(frozen=True, slots=True)
class GradescopeRecord:
    """Who handed in a submission, alone or as a group, and when."""

    students: tuple[str, ...]
    when: datetime | None = None


def place_of_metadata(names: Sequence[str]) -> tuple[str, str] | None:
    """Return the folder, with its slash, that is described, and the name of the file that describes it.

    It holds all that there is: a file of this name in a student's own folder is the student's.
    """
    tops = {name.partition("/")[0] for name in names}
    folders = ["", *(f"{top}/" for top in tops if len(tops) == 1)]
    return next(((folder, folder + METADATA) for folder in folders if folder + METADATA in names), None)


def read_metadata(data: bytes, place: str) -> dict[str, GradescopeRecord]:
    """Return who handed in, by folder; nothing where the file cannot be read."""
    try:
        known = yaml.load(data, getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - both are safe
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError):
        return {}
    if not isinstance(known, dict):
        return {}
    return {f"{place}{folder}": _record(about) for folder, about in known.items() if isinstance(about, dict)}


def _record(about: Mapping[Any, Any]) -> GradescopeRecord:
    submitters = about.get(":submitters")
    return GradescopeRecord(
        tuple(_students(submitters if isinstance(submitters, list) else [])), _when(about.get(":created_at"))
    )


def _students(submitters: Sequence[Any]) -> Iterator[str]:
    """Yield ids: the institution's where it has given one, else the address."""
    for submitter in submitters:
        if isinstance(submitter, dict) and (student := submitter.get(":sid") or submitter.get(":email")):
            yield str(student)


def _when(value: object) -> datetime | None:
    if not isinstance(value, datetime):
        return None
    try:
        return plausible(value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC))
    except OverflowError:
        return None
