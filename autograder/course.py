"""Reads course.yaml: the exercises in order, when they are due, what they may use and must not call."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from autograder.exercise import Exercise
from autograder.sandbox import Limits

FILE = "course.yaml"
Seconds = Annotated[float, Field(gt=0, le=3600)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")]


class CourseError(Exception):
    """A fault in course.yaml, with its line and its mend."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class LimitSettings(_Strict):
    """What one submission may use; what is not given keeps the value of the level above."""

    cell_seconds: Seconds | None = Field(None, description="wall-clock seconds for one cell of the notebook")
    call_seconds: Seconds | None = Field(None, description="wall-clock seconds for one call of a hidden test")
    total_seconds: Seconds | None = Field(None, description="wall-clock seconds for a whole submission")
    memory_mb: Annotated[int, Field(ge=64, le=1 << 20)] | None = Field(
        None, description="megabytes beyond what a warm worker already has"
    )

    def over(self, limits: Limits) -> Limits:
        """Return `limits` with what is set here put in their place."""
        return replace(limits, **self.model_dump(exclude_none=True))


class ExerciseSettings(_Strict):
    """One exercise of the course."""

    name: Name = Field(description="the name of its folder in solutions/ and assignments/")
    due: datetime | None = Field(None, description="when submissions become late, with a time zone")
    limits: LimitSettings = LimitSettings()
    forbid: dict[Name, tuple[str, ...]] = Field({}, description="calls that a question must do without, by question")


class CourseSettings(_Strict):
    """All of course.yaml."""

    course: Name = Field(description="the course's id, as nbgrader knows it")
    title: str = Field(min_length=1, description="the course's name, for people")
    walls: Literal["full", "container", "bare"] = Field(
        "full", description="the walls that must stand before a submission is run"
    )
    limits: LimitSettings = LimitSettings()
    exercises: tuple[ExerciseSettings, ...] = Field(min_length=1, description="the exercises, in order")


class Course:
    """A course in the folder `root`: its settings, its exercises and where things lie."""

    def __init__(self, root: Path, settings: CourseSettings) -> None:
        self.root = root
        self.settings = settings

    @property
    def build(self) -> Path:
        """Where everything that can be made again lies."""
        return self.root / "build"

    @property
    def assignments(self) -> Path:
        """What students get."""
        return self.root / "assignments"

    @cached_property
    def exercises(self) -> dict[str, Exercise]:
        """The exercises by name, in the course's order."""
        return {entry.name: Exercise(self.root / "solutions" / entry.name) for entry in self.settings.exercises}

    def chosen(self, names: Sequence[str]) -> list[Exercise]:
        """Return the exercises of these names, or all; an unknown name is a CourseError."""
        for name in names:
            if name not in self.exercises:
                known = ", ".join(self.exercises)
                raise CourseError(f'{self.root / FILE}: has no exercise "{name}"; use one of {known}')
        return [self.exercises[name] for name in names or self.exercises]

    def limits(self, name: str) -> Limits:
        """Return what a submission of exercise `name` may use."""
        return self._entry(name).limits.over(self.settings.limits.over(Limits()))

    def forbidden(self, name: str) -> Mapping[str, Sequence[str]]:
        """Return the calls that exercise `name` forbids, by question."""
        return self._entry(name).forbid

    def due(self, name: str) -> datetime | None:
        """Return when submissions of exercise `name` become late."""
        return self._entry(name).due

    def _entry(self, name: str) -> ExerciseSettings:
        return next(entry for entry in self.settings.exercises if entry.name == name)


def load_course(root: Path) -> Course:
    """Return the course in `root`; CourseError names the line and the fault of a bad course.yaml."""
    path = root / FILE
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        return Course(root, CourseSettings.model_validate(data))
    except FileNotFoundError:
        raise CourseError(f"{path}: missing; run this in the course's folder") from None
    except (yaml.YAMLError, ValidationError) as error:
        raise CourseError(f"{path}: {error}") from None
