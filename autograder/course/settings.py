"""Defines what course.yaml may contain, and explains what is wrong in it."""

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationError,
    WithJsonSchema,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from autograder.course.moments import MomentError, Span, read_moment, read_span
from autograder.course.names import NAME, suggestion
from autograder.course.packages import DEFAULT, name_of
from autograder.course.yaml_lines import Document, KeyPath, Problem, dotted
from autograder.report.text import number


class Tier(StrEnum):
    """How much stands between a submission and the machine."""

    FULL = "full"  # namespaces around the zygote, and all of container
    CONTAINER = "container"  # Landlock, seccomp and limits in each worker
    BARE = "bare"  # a process of its own, with limits where the system has them


class RepairsShown(StrEnum):
    """What a student reads of the edit that makes an answer right."""

    OFF = "off"  # nothing: none is looked for
    PLACE = "place"  # the line and the part of it that the edit changes
    SHOWN = "shown"  # and what stands there instead

    @classmethod
    def _missing_(cls, value: object) -> "RepairsShown | None":
        return cls.OFF if value is False else None  # as YAML reads a plain `off`


@dataclass(frozen=True, slots=True)
class Repairs:
    """How repairs of failed answers are looked for."""

    shown: RepairsShown = RepairsShown.PLACE
    seconds: float = 2.0  # of processor time for one question, by which candidates are counted


DEFAULT_REPAIRS = Repairs()


@dataclass(frozen=True, slots=True)
class Limits:
    """What one submission may use.

    Seconds are those in which its processes compute, or sleep, and not those in which they wait for a
    processor. By the clock, ten times as many may pass.
    """

    cell_seconds: float = 20.0
    call_seconds: float = 5.0
    total_seconds: float = 300.0
    memory_mb: int = 2048


_MAX_STEPS = 10_000


def _span(value: object) -> Span:
    try:
        return value if isinstance(value, Span) else read_span(value)
    except MomentError as error:
        raise PydanticCustomError("span", "{message}", {"message": str(error)}) from None


def _some_time(span: Span) -> Span:
    if not span.count:
        raise PydanticCustomError("span", "must be above 0; write it as 12 hours or 1 day")
    return span


Duration = Annotated[
    Span,
    BeforeValidator(_span),
    PlainSerializer(str, return_type=str),
    WithJsonSchema({"type": "string", "pattern": "^[0-9]{1,4} (minute|hour|day)s?$"}),
]
Percent = Annotated[float, Field(strict=True, ge=0, le=100, allow_inf_nan=False)]


class LateSettings(BaseModel):
    """What late work costs; without this, being late costs nothing.

    The rules are those of Canvas's late policy (instructure/canvas-lms, app/models/late_policy.rb), with a
    grace and an end besides: it takes a part of the exercise's points for each day or hour begun, but leaves
    at least a certain part of the points, if the work was worth as much.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    percent: Percent = Field(description="the part of the exercise's points that each step begun takes")
    every: Annotated[Duration, AfterValidator(_some_time)] = Field(
        Span(1, "day"), description="how long a step is: a day, or some hours"
    )
    grace: Duration = Field(
        Span(0, "minute"), description="so long after the due date work still counts as handed in on time"
    )
    floor: Percent = Field(0.0, description="the part of the exercise's points that being late leaves")
    cut_off: Duration | None = Field(None, description="work that comes so long after the due date scores 0")

    def penalty(self, score: float, points: float, due: datetime, handed_in: datetime) -> float:
        """Return what a submission worth `score` of `points` loses; days are those of the zone of `due`."""
        came = handed_in.astimezone(UTC)
        if score <= 0 or came <= self.grace.after(due).astimezone(UTC):
            return 0.0
        if self.cut_off is not None and came > self.cut_off.after(due).astimezone(UTC):
            return score
        taken = points * self.percent / 100 * self._steps(due, came)
        return round(max(min(taken, score - points * self.floor / 100), 0.0), 4)

    def reason(self, points: float, due: datetime, handed_in: datetime) -> str:
        """Return in words what being late takes of these points, such as "2 days begun: -2.8, floor 7"."""
        came = handed_in.astimezone(UTC)
        if self.cut_off is not None and came > self.cut_off.after(due).astimezone(UTC):
            return f"more than {self.cut_off}"
        steps, step = self._steps(due, came), self.every
        begun = str(Span(steps, step.unit)) if step.count == 1 else f"{steps} times {step}"
        floor = f", floor {number(points * self.floor / 100)}" if self.floor else ""
        return f"{begun} begun: \N{MINUS SIGN}{number(points * self.percent / 100 * steps)}{floor}"

    def _steps(self, due: datetime, came: datetime) -> int:
        """Return how many steps have begun."""
        steps = 1
        while steps < _MAX_STEPS and self.every.after(due, steps).astimezone(UTC) < came:
            steps += 1
        return steps


class Counts(StrEnum):
    """Which of the attempts of a student counts."""

    NEWEST = "newest"
    BEST = "best"  # by the points of the tests, less what being late costs; of equals the newest
    BEFORE_DUE = "last before due"  # and where none came in time, the newest


class Tells(StrEnum):
    """What a page says that is written while students may still hand in."""

    SCORE = "score"
    TESTS = "tests"  # the score, and for each question the tests that did not pass
    HINTS = "hints"  # everything


AttemptsADay = Annotated[int, Field(strict=True, ge=1, le=1000)]


class AttemptSettings(BaseModel):
    """What several attempts of a student come to."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    counts: Counts = Field(Counts.NEWEST, description="which attempt counts: newest, best or last before due")
    a_day: AttemptsADay = Field(4, description="how many attempts `watch` grades for a student on one day")
    pause: Duration = Field(
        Span(10, "minute"), description="how long `watch` waits after one graded attempt for the next one"
    )
    tells: Tells = Field(
        Tells.TESTS, description="what pages by `watch` tell before the due date: score, tests or hints"
    )


SCHEMA = Path(__file__).with_name("course.schema.json")
_LIMITS = Limits()
_GONE = {
    "slip": "tests alone decide a score now",
    "even_empty": "an empty answer carries no mistake forward",
    "no_examples": "pages always show the smallest call that goes wrong",
    "checks_see": "the visible checks must see every costly mistake now",
}  # keys that course.yaml had once
_EXPLANATIONS = {  # by pydantic's kind of error
    "missing": "is missing; add it",
    "moment": "{message}; write it as 2026-03-01T18:00:00+01:00 or 2026-03-01 18:00 Europe/Berlin",
    "span": "{message}",
    "package": "{message}",
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


def _package(text: str) -> str:
    """Read a requirement of pip's, such as `pandas` or `scikit-learn>=1.4`."""
    try:
        name_of(text)
    except ValueError:
        message = "is no package as pip names it; write it as pandas or pandas>=2"
        raise PydanticCustomError("package", message) from None
    return text


Package = Annotated[str, AfterValidator(_package)]


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
    repairs: RepairsShown | None = Field(None, description="what students of this exercise see of repairs")


class CourseSettings(_Strict):
    """All of course.yaml."""

    course: Name = Field(description="the course's id, as nbgrader knows it")
    title: str = Field(min_length=1, description="the course's name, for people")
    walls: Tier = Field(Tier.FULL, description="the walls that must stand before a submission is run")
    packages: tuple[Package, ...] = Field(
        DEFAULT,
        description="what notebooks import beside Python itself, as pip names it; [] for Python alone",
    )
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
