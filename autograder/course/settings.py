"""Says what course.yaml may contain, and explains to authors what is wrong with theirs."""

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from autograder.course.attempts import AttemptSettings
from autograder.course.late import LateSettings
from autograder.course.limits import Limits, Repairs, RepairsShown, Tier
from autograder.course.moments import MomentError, read_moment
from autograder.course.names import NAME, suggestion
from autograder.course.yaml_lines import Document, KeyPath, Problem, dotted

SCHEMA = Path(__file__).with_name("course.schema.json")
_LIMITS = Limits()
_GONE = {
    "slip": "tests alone decide a score now",
    "checks_see": "the visible checks must see every costly mistake now",
}  # keys that course.yaml had once
_EXPLANATIONS = {  # by pydantic's kind of error
    "missing": "is missing; add it",
    "moment": "{message}; write it as 2026-03-01T18:00:00+01:00 or 2026-03-01 18:00 Europe/Berlin",
    "span": "{message}",
    "string_type": 'must be text; put it in quotes: "{input}"',
    "string_pattern_mismatch": '"{input}" may hold letters, digits, "_" and "-" only; rename it',
    "string_too_short": "is empty; write something",
    "string_too_long": "must have {bounds} characters; shorten it",
    "too_short": "is empty; list at least one",
    "enum": '"{input}" is not known; use one of {expected}',
    "greater_than": "must be {bounds}, but it is {input}; change it",
    "greater_than_equal": "must be {bounds}, but it is {input}; change it",
    "less_than_equal": "must be {bounds}, but it is {input}; change it",
    "finite_number": "must be a number that ends; change it",
    "float_type": 'must be a number, but it is "{input}"; change it',
    "int_type": 'must be a whole number, but it is "{input}"; change it',
    "model_type": "must hold keys with values; write each on a line of its own, as `key: value`",
    "dict_type": "must hold keys with values; write each on a line of its own, as `key: value`",
    "tuple_type": "must be a list; write it as [one, two]",
}
_BOUNDS = {"gt": "above", "ge": "at least", "le": "at most", "max_length": "at most"}


def _moment(value: Any) -> datetime:
    """Read a moment such as 2026-03-01T18:00:00+01:00 or 2026-03-01 18:00 Europe/Berlin."""
    try:
        return read_moment(value)
    except MomentError as error:
        raise PydanticCustomError("moment", "{message}", {"message": str(error)}) from None


Seconds = Annotated[float, Field(strict=True, gt=0, le=3600, allow_inf_nan=False)]
Megabytes = Annotated[int, Field(strict=True, ge=64, le=1 << 20)]
Share = Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)]
Name = Annotated[str, Field(pattern=NAME, max_length=100)]
Call = Annotated[str, Field(min_length=1)]
Moment = Annotated[AwareDatetime, BeforeValidator(_moment)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class LimitSettings(_Strict):
    """What one submission may use; a limit that is not given here is the course's, or else the default."""

    cell_seconds: Seconds = Field(
        _LIMITS.cell_seconds, description="seconds in which one cell may compute or sleep"
    )
    call_seconds: Seconds = Field(
        _LIMITS.call_seconds, description="seconds in which one call may compute or sleep"
    )
    total_seconds: Seconds = Field(
        _LIMITS.total_seconds,
        description="seconds in which a submission may compute or sleep, in all of its runs",
    )
    memory_mb: Megabytes = Field(
        _LIMITS.memory_mb, description="megabytes beyond what a warm worker already has"
    )

    def over(self, limits: Limits) -> Limits:
        """Return `limits`, changed to what is set here."""
        return replace(limits, **self.model_dump(exclude_unset=True))


class ExerciseSettings(_Strict):
    """One exercise of the course."""

    name: Name = Field(description="the name of its folder in solutions/ and assignments/")
    due: Moment | None = Field(None, description="when submissions become late, with a time zone")
    late: LateSettings | None = Field(None, description="what late work costs in this exercise")
    attempts: AttemptSettings | None = Field(None, description="which attempt counts in this exercise")
    limits: LimitSettings = Field(LimitSettings(), description="limits of this exercise alone")
    forbid: dict[Name, tuple[Call, ...]] = Field(
        {}, description="calls that a question must do without, by question; a use is held for review"
    )
    by_hand: dict[Name, tuple[Call, ...]] = Field(
        {},
        description="all that torch may run during a question's calls, by question: basics, sums, products, "
        "softmaxes, or single operators; anything else is held for review",
    )
    builds_on: dict[Name, tuple[Name, ...]] = Field(
        {},
        description="the earlier questions that a question may call, by question; where one of them is "
        "wrong, the question is graded with a right one, too, and the better score counts",
    )
    even_empty: tuple[Name, ...] = Field(
        (), description="questions that others may build on even where they were left empty"
    )
    repairs: RepairsShown | None = Field(None, description="what students of this exercise see of repairs")
    no_examples: tuple[Name, ...] = Field(
        (),
        description="questions whose pages show no small call that goes wrong, since its right answer would "
        "give too much away",
    )


class CourseSettings(_Strict):
    """All of course.yaml."""

    course: Name = Field(description="the course's id, as nbgrader knows it")
    title: str = Field(min_length=1, description="the course's name, for people")
    walls: Tier = Field(Tier.FULL, description="the walls that must stand before a submission is run")
    limits: LimitSettings = Field(LimitSettings(), description="limits of every exercise")
    late: LateSettings | None = Field(None, description="what late work costs in every exercise")
    attempts: AttemptSettings | None = Field(None, description="which attempt counts in every exercise")
    repairs: RepairsShown = Field(
        RepairsShown.PLACE,
        description="what a student sees of the smallest edit that makes an answer right: its place, also "
        "what it writes there (shown), or nothing (off)",
    )
    repair_seconds: Seconds = Field(
        Repairs().seconds,
        description="processor time for the search for such an edit, in each failed question",
    )
    mutants_fail: Share = Field(
        0.97, description="the share of an exercise's mutants that its hidden tests must fail"
    )
    exercises: tuple[ExerciseSettings, ...] = Field(min_length=1, description="the exercises, in order")


def schema() -> str:
    """Return the JSON schema of course.yaml, with which editors complete and check the file."""
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return json.dumps(dialect | CourseSettings.model_json_schema(), indent=2) + "\n"


def read_settings(document: Document) -> CourseSettings | list[Problem]:
    """Return the document's settings, or everything that is wrong with them."""
    try:
        return CourseSettings.model_validate(document.data)
    except ValidationError as error:
        return [_problem(document, details) for details in error.errors() if not _is_echo(details)]


def _is_echo(error: ErrorDetails) -> bool:
    """Whether a list counts as too short only because its items are wrong, which other errors say."""
    return error["type"] == "too_short" and bool(error["input"])


def _problem(document: Document, error: ErrorDetails) -> Problem:
    path = tuple(step for step in error["loc"] if step != "[key]")
    where = dotted(path) or "the file"
    return Problem(document.line(path), f"{where}: {_explained(error, path)}")


def _explained(error: ErrorDetails, path: KeyPath) -> str:
    """Return in an author's words what is wrong and what to do."""
    if error["input"] is None:
        return "is empty; give it a value or take it out"
    if error["type"] in ("extra_forbidden", "invalid_key"):
        if gone := _GONE.get(str(path[-1])):
            return f"{gone}; delete this line"
        return f"unknown key; {suggestion(str(path[-1]), _model_at(path[:-1]).model_fields)}"
    context = error.get("ctx", {})
    bounds = " and ".join(f"{word} {context[key]:g}" for key, word in _BOUNDS.items() if key in context)
    explanation = _EXPLANATIONS.get(error["type"], "{message}; change it")
    values = {"message": error["msg"], "input": error["input"], "expected": context.get("expected")}
    return explanation.format(bounds=bounds, **values)


def _model_at(path: KeyPath) -> type[BaseModel]:
    """Return the model whose keys stand at `path`."""
    if path[-1:] == ("limits",):
        return LimitSettings
    if path[-1:] == ("late",):
        return LateSettings
    if path[-1:] == ("attempts",):
        return AttemptSettings
    return ExerciseSettings if path else CourseSettings


if __name__ == "__main__":
    SCHEMA.write_text(schema(), encoding="utf-8")
